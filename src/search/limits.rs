//! How far the classic engines look.

/// The turns that an engine without limits looks ahead.
pub const DEFAULT_DEPTH: u32 = 6;
/// The most turns that any search looks ahead.
pub(super) const MAX_DEPTH: u32 = 100;

/// How far the engine looks, for each turn. The nearest limit stops it, but never before it has looked one turn ahead.
/// Without any it looks [`DEFAULT_DEPTH`] turns ahead.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Limits {
    /// Turns (of either side) to look ahead; captures are played out beyond.
    pub depth: Option<u32>,
    /// Seconds.
    pub time_s: Option<f64>,
    /// Positions looked at.
    pub nodes: Option<u64>,
}

impl Limits {
    /// The table entries that a search within these limits can make use of.
    pub(super) fn useful_entries(&self) -> usize {
        let by_depth = self.depth.map(|depth| 1 << (depth.min(20) + 10));
        let by_nodes = self.nodes.map(|nodes| usize::try_from(nodes).unwrap_or(usize::MAX));
        by_depth.into_iter().chain(by_nodes).min().unwrap_or(usize::MAX)
    }

    /// Half the time and the nodes, to the same depth.
    pub(super) fn half(self) -> Self {
        Self { time_s: self.time_s.map(|s| s / 2.0), nodes: self.nodes.map(|n| n.div_ceil(2)), ..self }
    }

    /// As a player's text says them.
    pub(super) fn options(&self) -> impl Iterator<Item = String> {
        let options = [
            self.depth.map(|n| format!("depth={n}")),
            self.time_s.map(|s| format!("time={s}")),
            self.nodes.map(|n| format!("nodes={n}")),
        ];
        options.into_iter().flatten()
    }
}
