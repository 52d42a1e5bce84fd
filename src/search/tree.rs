//! The tree of a Monte Carlo search: nodes in one list, children as index ranges, values in White's view.

use crate::board::{Hop, Hops, Side, Square};
use crate::evaluator::{Knowledge, Wdl};
use crate::games::game::Game;
use crate::games::position::Position;

/// The index of the root.
pub(super) const ROOT: u32 = 0;

/// What is known for certain of a node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Known {
    /// Nothing.
    Open,
    /// The game is over and drawn, or known to end so. Nothing is concluded from it for the nodes above.
    Drawn,
    /// This side wins against any play.
    Won(Side),
}

/// One node: the hop that leads to it and what its visits found, in 32 bytes. The position is not kept: a descent replays
/// hops.
#[derive(Copy, Clone, Debug)]
pub(super) struct Node {
    /// The chance of White's win, the mean over the visits.
    pub white: f32,
    /// The chance of Black's win, the mean over the visits.
    pub black: f32,
    pub visits: u32,
    pub prior: f32,
    pub parent: u32,
    /// The first child; the children lie side by side in the order of the position's hops. Where there are none: the turns
    /// to the end of the game that the tree's knowledge tells.
    pub first: u32,
    pub count: u16,
    /// Descents through this node whose leaf waits for its evaluation.
    pub in_flight: u16,
    pub hop: Hop,
    /// Who moves here; set when the children are made.
    pub side: Side,
    pub known: Known,
}

// Two nodes fill a cache line.
const _: () = assert!(size_of::<Node>() == 32);

impl Node {
    pub(super) const fn new(hop: Hop, parent: u32) -> Self {
        Self {
            white: 0.0,
            black: 0.0,
            visits: 0,
            prior: 0.0,
            parent,
            first: 0,
            count: 0,
            in_flight: 0,
            hop,
            side: Side::White,
            known: Known::Open,
        }
    }

    const fn root() -> Self {
        let corner = Square::new(0, 0);
        Self::new(Hop { from: corner, to: corner }, ROOT)
    }

    /// The indices of the children: empty where there are none, wherever it begins then.
    pub(super) const fn children(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }

    /// The mean over the visits, or what is known; an even game before the first visit.
    pub(super) fn wdl(&self) -> Wdl {
        match self.known {
            Known::Won(side) => Wdl::certain(Some(side)),
            Known::Drawn => Wdl::DRAW,
            Known::Open if self.visits == 0 => Wdl::DRAW,
            Known::Open => Wdl::of(Side::White, [self.white, (1.0 - self.white - self.black).max(0.0), self.black]),
        }
    }
}

/// What a search found of one node.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Found {
    /// The hop that leads to it.
    pub hop: Hop,
    /// Descents that came through it.
    pub visits: u32,
    /// The evaluator's prior, without noise.
    pub prior: f32,
    /// Its value; even before the first visit.
    pub wdl: Wdl,
    /// The side that is proven to win against any play.
    pub winner: Option<Side>,
}

/// The search tree of one game. Its memory is kept from one search to the next.
///
/// Searching is `gather`, evaluate, `apply` (in [`mcts`](super::mcts)): the tree hands out leaves and takes back what an
/// evaluator says of them. A node is a path of hops from the root, so draws by repetition and by counting are exact.
#[derive(Debug)]
pub struct Tree<P> {
    pub(super) nodes: Vec<Node>,
    /// The priors of the root's children as evaluated, once noise may have been mixed in; empty before.
    pub(super) root_priors: Vec<f32>,
    pub(super) game: Game<P>,
    /// Follows the descents; equal to `game` between them only by chance.
    pub(super) scratch: Game<P>,
    pub(super) hops: Hops,
    /// Counts the re-rootings, so that tickets from before are not mistaken for those of today.
    pub(super) epoch: u32,
    pub(super) knowledge: Knowledge<P>,
    spare: Vec<Node>,
}

impl<P: Position> Tree<P> {
    /// A tree whose root is the game's position.
    #[must_use]
    pub fn new(game: &Game<P>) -> Self {
        Self {
            nodes: vec![Node::root()],
            root_priors: Vec::new(),
            game: game.clone(),
            scratch: game.clone(),
            hops: Hops::new(),
            epoch: 0,
            knowledge: Knowledge::default(),
            spare: Vec::new(),
        }
    }

    /// A tree that takes what is certain for proven, like ends of the game. What is certain of the root itself is left to
    /// its hops, so that the search finds one to play.
    #[must_use]
    pub fn with_knowledge(mut self, knowledge: Knowledge<P>) -> Self {
        self.knowledge = knowledge;
        self.clear();
        self
    }

    /// Notes what is certain of the position at `node`, where `scratch` stands, and what follows above; answers whether
    /// anything is.
    pub(super) fn know(&mut self, node: u32) -> bool {
        let Some(proven) = self.knowledge.certain(&self.scratch) else { return false };
        self.nodes[node as usize].first = proven.turns.into();
        match proven.winner(self.scratch.side()) {
            Some(winner) => self.prove(node, winner),
            None => self.nodes[node as usize].known = Known::Drawn,
        }
        true
    }

    /// Notes what is certain of each hop of the root, so that the quickest win is among those that are seen.
    pub(super) fn know_hops(&mut self) {
        if !self.knowledge.reaches(self.game.position()) {
            return;
        }
        for child in self.nodes[ROOT as usize].children() {
            self.scratch.clone_from(&self.game);
            self.scratch.play_unchecked(self.nodes[child].hop);
            if self.scratch.outcome().is_none() {
                self.know(child as u32);
            }
        }
        self.scratch.clone_from(&self.game);
    }

    /// Forgets everything and starts from this game; leaves in flight are forgotten too.
    pub fn reset(&mut self, game: &Game<P>) {
        self.game.clone_from(game);
        self.clear();
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node::root());
        self.root_priors.clear();
        self.epoch = self.epoch.wrapping_add(1);
    }

    /// Plays a legal hop at the root and keeps what was found below it. Leaves in flight are forgotten.
    pub fn advance(&mut self, hop: Hop) {
        self.game.play_unchecked(hop);
        let child = self.nodes[ROOT as usize].children().find(|&child| self.nodes[child].hop == hop);
        let Some(child) = child else { return self.clear() };
        // A hop of which all is known without a search has no hops below it, and the next one is to be chosen among them.
        let leaf = self.nodes[child].count == 0 && self.game.outcome().is_none();
        if leaf || self.knowledge.reaches(self.game.position()) {
            return self.clear();
        }
        let mut kept = std::mem::take(&mut self.spare);
        kept.clear();
        kept.push(Node { parent: ROOT, in_flight: 0, ..self.nodes[child] });
        // Breadth first: each node's children are copied side by side, and its range is set to where they now lie.
        let mut at = 0;
        while at < kept.len() {
            if kept[at].count > 0 {
                let children = kept[at].children();
                kept[at].first = kept.len() as u32;
                let moved = self.nodes[children].iter().map(|&node| Node { parent: at as u32, in_flight: 0, ..node });
                kept.extend(moved);
            }
            at += 1;
        }
        self.spare = std::mem::replace(&mut self.nodes, kept);
        self.root_priors.clear();
        self.epoch = self.epoch.wrapping_add(1);
    }

    /// The game at the root.
    #[must_use]
    pub const fn root(&self) -> &Game<P> {
        &self.game
    }

    /// Descents so far, those kept by [`Tree::advance`] included; leaves in flight are not counted yet.
    #[must_use]
    pub fn visits(&self) -> u32 {
        self.nodes[ROOT as usize].visits
    }

    /// Leaves that wait for their evaluation.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.nodes[ROOT as usize].in_flight.into()
    }

    /// Leaves in flight over all nodes: the sum of virtual losses, zero when nothing waits.
    #[must_use]
    pub fn virtual_losses(&self) -> u64 {
        self.nodes.iter().map(|node| u64::from(node.in_flight)).sum()
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing has been searched.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.visits() == 0
    }

    /// The value of the root: the mean over all descents, or what is proven.
    #[must_use]
    pub fn wdl(&self) -> Wdl {
        self.nodes[ROOT as usize].wdl()
    }

    /// The side that is proven to win against any play.
    #[must_use]
    pub fn winner(&self) -> Option<Side> {
        self.found(ROOT).winner
    }

    /// What was found of each legal hop at the root, in the order of the position's hops; none before the first descent.
    pub fn children(&self) -> impl ExactSizeIterator<Item = Found> + '_ {
        let children = self.nodes[ROOT as usize].children();
        let noisy = self.root_priors.len() == children.len();
        children.enumerate().map(move |(i, child)| {
            let found = self.found(child as u32);
            Found { prior: if noisy { self.root_priors[i] } else { found.prior }, ..found }
        })
    }

    /// What was found at the end of a path of hops from the root; `None` where the tree does not reach.
    pub fn at(&self, path: impl IntoIterator<Item = Hop>) -> Option<Found> {
        self.node_at(path).map(|node| self.found(node))
    }

    /// The expected play: the best hops from the end of a path, most visited first, as far as the tree was visited.
    pub fn line(&self, path: impl IntoIterator<Item = Hop>) -> Vec<Hop> {
        let mut line = Vec::new();
        let Some(mut at) = self.node_at(path) else { return line };
        let is_known = |child: &u32| {
            let node = &self.nodes[*child as usize];
            node.visits > 0 || !matches!(node.known, Known::Open)
        };
        while let Some(best) = self.best_child(at).filter(is_known) {
            line.push(self.nodes[best as usize].hop);
            at = best;
        }
        line
    }

    fn node_at(&self, path: impl IntoIterator<Item = Hop>) -> Option<u32> {
        path.into_iter().try_fold(ROOT, |at, hop| {
            let mut children = self.nodes[at as usize].children();
            children.find(|&child| self.nodes[child].hop == hop).map(|child| child as u32)
        })
    }

    fn found(&self, node: u32) -> Found {
        let node = &self.nodes[node as usize];
        let winner = if let Known::Won(side) = node.known { Some(side) } else { None };
        Found { hop: node.hop, visits: node.visits, prior: node.prior, wdl: node.wdl(), winner }
    }

    /// The child to play: the quickest proven win, or the most visited one that is not proven lost, or the longest
    /// resistance. Ties go to the better value, then to the first.
    pub(super) fn best_child(&self, node: u32) -> Option<u32> {
        let parent = &self.nodes[node as usize];
        let rank = |child: usize| {
            let node = &self.nodes[child];
            let (class, order) = match node.known {
                Known::Won(side) if side == parent.side => (2, -i64::from(self.distance(child as u32))),
                Known::Won(_) => (0, i64::from(self.distance(child as u32))),
                _ => (1, i64::from(node.visits)),
            };
            (class, order, node.wdl().value(parent.side))
        };
        let mut best: Option<(usize, (i32, i64, f32))> = None;
        for child in parent.children() {
            let rank = rank(child);
            if best.is_none_or(|(_, so_far)| rank > so_far) {
                best = Some((child, rank));
            }
        }
        best.map(|(child, _)| child as u32)
    }

    /// Hops to the end of the game from a proven node, the winner taking the shortest way and the loser the longest.
    fn distance(&self, node: u32) -> u32 {
        let Node { known: Known::Won(winner), side, count, first, .. } = self.nodes[node as usize] else { return 0 };
        if count == 0 {
            return first;
        }
        let children = self.nodes[node as usize].children();
        let won = children.filter(|&child| self.nodes[child].known == Known::Won(winner));
        let distances = won.map(|child| 1 + self.distance(child as u32));
        let distance = if side == winner { distances.min() } else { distances.max() };
        distance.unwrap_or(0)
    }

    /// Lets the game's end at `node` decide the nodes above it as far as it does (Winands et al. 2008): a side that has a
    /// winning hop wins, one that has only losing hops loses.
    pub(super) fn prove(&mut self, mut node: u32, winner: Side) {
        loop {
            self.nodes[node as usize].known = Known::Won(winner);
            if node == ROOT {
                return;
            }
            let parent = self.nodes[node as usize].parent;
            let above = self.nodes[parent as usize];
            let decided = above.side == winner
                || self.nodes[above.children()].iter().all(|child| child.known == Known::Won(winner));
            if !decided {
                return;
            }
            node = parent;
        }
    }

    /// Counts one visit with this value at `node` and all above it.
    pub(super) fn back_up(&mut self, mut node: u32, wdl: Wdl) {
        let [white, _, black] = wdl.seen_by(Side::White);
        loop {
            let here = &mut self.nodes[node as usize];
            here.visits += 1;
            let weight = 1.0 / here.visits as f32;
            here.white += weight * (white - here.white);
            here.black += weight * (black - here.black);
            if node == ROOT {
                return;
            }
            node = here.parent;
        }
    }
}
