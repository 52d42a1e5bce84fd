//! The rules: positions, turns, draws and whole games, for every variant.

pub mod bashni;
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
mod track;
pub mod turn;
pub mod variant;
pub mod vigman;

pub use bashni::{Bashni, BashniIm};
pub use draughts::{Poddavki, Russian, Spantsireti};
pub use draws::{ClockView, Draws, Preset};
pub use game::{Game, Outcome, Reason};
pub use planes::Features;
pub use position::{Position, Spec};
pub use turn::{Turn, perft};
pub use variant::Variant;
pub use vigman::{Vigman, VigmanFree};

/// The table of the variants: what each is, its place in the enum [`Variant`], its name, its type, and whether the
/// classic engine has an evaluation for it (`judged`) or goes by `material`. Everything that goes
/// over all variants is made from it: `variants!(name, tokens)` calls the macro `name` with `tokens` and the rows.
#[macro_export]
#[doc(hidden)]
macro_rules! variants {
    ($($then:ident)::+, $tokens:tt) => {
        $($then)::+! { $tokens
            /// Russian draughts on 8x8, PDN game type 25.
            Russian = "russian", $crate::games::Russian, judged;
            /// Giveaway: as Russian draughts, but the side without a move wins.
            Poddavki = "poddavki", $crate::games::Poddavki, judged;
            /// Towers; prisoners are lifted when the turn is over.
            Bashni = "bashni", $crate::games::Bashni, judged;
            /// Towers; a prisoner is lifted at each jump.
            BashniIm = "bashni-im", $crate::games::BashniIm, judged;
            /// Spantsireti's draughts on 10x8, PDN game type 41.
            Spantsireti = "spantsireti", $crate::games::Spantsireti, judged;
            /// Vigman's draughts: two games side by side, a move in each every turn.
            Vigman = "vigman", $crate::games::Vigman, judged;
            /// Vigman's draughts with two moves a turn, each on either board.
            VigmanFree = "vigman-free", $crate::games::VigmanFree, judged;
        }
    };
}

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
        $crate::variants!($crate::match_variant, [$variant, $P, $body])
    };
}

/// One arm for each row of the table.
#[macro_export]
#[doc(hidden)]
macro_rules! match_variant {
    ([$variant:expr, $P:ident, $body:expr] $($(#[$doc:meta])* $name:ident = $text:literal, $type:ty, $how:ident;)*) => {
        match $variant {
            $($crate::games::Variant::$name => {
                type $P = $type;
                $body
            })*
        }
    };
}
