//! The rules: positions, turns, draws and whole games, for every variant.

pub mod diagram;
pub mod draughts;
pub mod draws;
pub mod fen;
pub mod game;
pub mod outcome;
pub mod pdn;
pub mod planes;
pub mod position;
pub mod spec;
pub mod turn;
pub mod variant;

pub use draughts::Russian;
pub use draws::{ClockView, Draws, Preset};
pub use game::{Game, Outcome, Reason};
pub use planes::Features;
pub use position::{Position, Spec};
pub use turn::{Turn, perft};
pub use variant::Variant;

/// Runs an expression with the type of a variant bound to a name: the one place where a name becomes a type.
///
/// ```
/// use shashki::for_variant;
/// use shashki::games::{Position, Variant};
///
/// let actions = for_variant!(Variant::Russian, P => P::SPEC.actions);
/// assert_eq!(actions, 280);
/// ```
#[macro_export]
macro_rules! for_variant {
    ($variant:expr, $P:ident => $body:expr) => {
        match $variant {
            $crate::games::Variant::Russian => {
                type $P = $crate::games::Russian;
                $body
            }
        }
    };
}
