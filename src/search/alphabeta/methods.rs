//! What the engine does beyond plain alpha-beta, each to be left out, so that a match can tell what it is worth.

/// A method of the search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Method {
    /// The transposition table.
    Table,
    /// Windows around the score of the iteration before.
    Aspiration,
    /// Late hops are looked at less deep first.
    Reductions,
    /// What a shallower search shows to be far above the window is not searched to its depth (Buro 1995, "ProbCut: an
    /// effective selective extension of the alpha-beta algorithm").
    ProbCut,
    /// Near the horizon, positions far outside the window are taken at their evaluation.
    Margins,
    /// A reply that is the only one costs no depth.
    Forced,
    /// Men that can be crowned are crowned at the horizon.
    Crownings,
    /// Where the table knows no hop the search is less deep.
    Internal,
}

impl Method {
    /// Every method with its name in a player's text: `without=NAME`.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::Table, "table"),
        (Self::Aspiration, "aspiration"),
        (Self::Reductions, "reductions"),
        (Self::ProbCut, "probcut"),
        (Self::Margins, "margins"),
        (Self::Forced, "forced"),
        (Self::Crownings, "crownings"),
        (Self::Internal, "internal"),
    ];
}

/// A set of methods.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Methods(u16);

impl Methods {
    /// All.
    pub const ALL: Self = Self((1 << Method::ALL.len()) - 1);
    /// None: plain principal variation search, which finds what minimax finds.
    pub const NONE: Self = Self(0);

    /// Whether a method is one of them.
    #[must_use]
    pub const fn has(self, method: Method) -> bool {
        self.0 >> method as u32 & 1 == 1
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, method: Method) -> Self {
        Self(self.0 | 1 << method as u32)
    }

    /// All of these but one.
    #[must_use]
    pub const fn without(self, method: Method) -> Self {
        Self(self.0 & !(1 << method as u32))
    }

    /// The names of those left out.
    pub fn left_out(self) -> impl Iterator<Item = &'static str> {
        Method::ALL.into_iter().filter(move |(method, _)| !self.has(*method)).map(|(_, name)| name)
    }
}
