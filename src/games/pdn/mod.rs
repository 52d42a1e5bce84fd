//! Game records in PDN (portable draughts notation): written, and read as a stream whatever the file is like.
//!
//! ```
//! use shashki::games::Russian;
//! use shashki::games::pdn::Reader;
//!
//! let file = "[White \"Ivanov\"]\n\n1. e3-d4 d6-c5 2. g3-f4?c5:e3:g5 3. ...";
//! for text in Reader::new(file.as_bytes()) {
//!     let text = text?;
//!     match text.read::<Russian>() {
//!         Ok(read) => assert_eq!(read.record.turns.len(), 4),
//!         Err(fault) => println!("{fault}"),
//!     }
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

mod fault;
mod input;
mod record;
mod replay;
mod said;
mod scan;
mod text;
mod write;

pub use fault::Fault;
pub use record::Record;
pub use replay::Read;
pub use scan::{LIMIT, Reader};
pub use text::GameText;
