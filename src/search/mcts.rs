//! Monte Carlo tree search over hops: leaves out, evaluations in; PUCT, root noise, choice of a hop by temperature.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma};

use crate::board::{Hop, Side};
use crate::config::{Puct, SearchConfig};
use crate::evaluator::Wdl;
use crate::games::game::Leaf;
use crate::games::position::Position;

use super::tree::{Known, Node, ROOT, Tree};

/// How a tree is searched.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Settings {
    /// How values, priors and visits are weighed.
    pub puct: Puct,
    /// The share of noise in the root's priors.
    pub noise: f32,
    /// The noise is Dirichlet with this over the number of legal hops as its parameter.
    pub noise_concentration: f32,
}

impl Default for Settings {
    /// The defaults of [`SearchConfig`], without noise: for playing, not for learning.
    fn default() -> Self {
        Self { noise: 0.0, ..Self::from(&SearchConfig::default()) }
    }
}

impl From<&SearchConfig> for Settings {
    fn from(config: &SearchConfig) -> Self {
        Self { puct: config.puct(), noise: config.noise, noise_concentration: config.noise_concentration }
    }
}

/// The claim on a leaf that was handed out; [`Tree::apply`] takes it back.
#[derive(Debug, PartialEq, Eq)]
pub struct Ticket {
    node: u32,
    epoch: u32,
}

/// What one descent came to.
#[derive(Debug)]
pub enum Gather<P> {
    /// A position to evaluate, with at least two hops. Until [`Tree::apply`] it counts as lost for all who chose it.
    Leaf(Leaf<P>, Ticket),
    /// The descent ended where the value is known: it is counted already.
    Done,
    /// The descent came to a leaf that is in flight; nothing was counted.
    Busy,
}

impl<P: Position> Tree<P> {
    /// Descends once from the root to a leaf. Positions with one legal hop are passed through, and an end of the game
    /// is counted with its exact value, both without an evaluation.
    ///
    /// ```
    /// use rand::SeedableRng;
    /// use shashki::evaluator::{Evaluations, Evaluator, Uniform};
    /// use shashki::games::{Game, Preset, Russian};
    /// use shashki::search::mcts::{Gather, Settings};
    /// use shashki::search::tree::Tree;
    ///
    /// let mut tree = Tree::new(&Game::<Russian>::new(Preset::Official)?);
    /// let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
    /// let (mut evaluator, mut answers) = (Uniform::default(), Evaluations::default());
    /// while tree.visits() < 32 {
    ///     if let Gather::Leaf(leaf, ticket) = tree.gather(&Settings::default(), &mut rng) {
    ///         evaluator.evaluate(&[leaf], &mut answers)?;
    ///         tree.apply(ticket, answers.wdl[0], answers.priors_of(0));
    ///     }
    /// }
    /// assert_eq!(tree.children().map(|found| found.visits).sum::<u32>(), 31);
    /// # Ok::<(), shashki::Error>(())
    /// ```
    pub fn gather(&mut self, settings: &Settings, rng: &mut impl Rng) -> Gather<P> {
        self.prepare_root(settings, rng);
        self.scratch.clone_from(&self.game);
        let mut at = ROOT;
        loop {
            let node = &self.nodes[at as usize];
            if node.known != Known::Open {
                let wdl = node.wdl();
                self.back_up(at, wdl);
                return Gather::Done;
            }
            at = match node.count {
                0 => match self.expand(at) {
                    Some(only) => only,
                    None if self.nodes[at as usize].known == Known::Open => return self.hand_out(at),
                    None => continue,
                },
                1 => node.first,
                _ if node.visits > 0 => self.select(at, settings),
                // The children wait for their priors: the evaluation is on its way, or was released.
                _ if node.in_flight > 0 => return Gather::Busy,
                _ => return self.hand_out(at),
            };
            self.scratch.play_unchecked(self.nodes[at as usize].hop);
        }
    }

    /// Takes back a leaf: its value, and the priors of its hops in their order. A ticket from before the last
    /// [`reset`](Tree::reset) or [`advance`](Tree::advance) is ignored.
    ///
    /// # Panics
    /// If there are not as many priors as the leaf has hops.
    pub fn apply(&mut self, ticket: Ticket, wdl: Wdl, priors: &[f32]) {
        if ticket.epoch != self.epoch {
            return;
        }
        let children = self.nodes[ticket.node as usize].children();
        assert_eq!(children.len(), priors.len(), "an evaluation has a prior for each hop");
        for (child, &prior) in self.nodes[children].iter_mut().zip(priors) {
            child.prior = prior;
        }
        self.fly(ticket.node, false);
        self.back_up(ticket.node, wdl);
    }

    /// Gives a leaf back without an evaluation; a later descent will ask for it again.
    pub fn release(&mut self, ticket: Ticket) {
        if ticket.epoch == self.epoch {
            self.fly(ticket.node, false);
        }
    }

    /// The share of each root hop in the search's choice, in the order of the hops: by visits, proven losses left out
    /// while anything else is left, and proven wins alone once there are any. All equal before the first visit.
    pub fn policy(&self, out: &mut Vec<f32>) {
        let side = self.root().side();
        out.clear();
        let won = self.children().any(|found| found.winner == Some(side));
        let open = self.children().any(|found| found.winner.is_none());
        out.extend(self.children().map(|found| match found.winner {
            Some(winner) if winner == side => found.visits as f32,
            Some(_) if open => 0.0,
            _ if won => 0.0,
            _ => found.visits as f32,
        }));
        let mut sum: f32 = out.iter().sum();
        if sum == 0.0 {
            // Every visited hop is lost, or those that win are known without a visit: they share, or the others.
            for (share, found) in out.iter_mut().zip(self.children()) {
                *share = f32::from(if won { found.winner == Some(side) } else { found.winner.is_none() || !open });
                sum += *share;
            }
        }
        out.iter_mut().for_each(|share| *share /= sum);
    }

    /// Chooses a hop: the quickest proven win if there is one; else by the shares of [`Tree::policy`] to the power one
    /// over `temperature` (Silver et al. 2017), where 0 stands for the largest share. `None` before the first visit.
    pub fn choose(&self, temperature: f32, rng: &mut impl Rng) -> Option<Hop> {
        let best = self.best_child(ROOT)?;
        if temperature <= 0.0 || self.winner().is_some() {
            return Some(self.nodes[best as usize].hop);
        }
        let mut weights = Vec::new();
        self.policy(&mut weights);
        let largest = weights.iter().copied().fold(0.0, f32::max);
        weights.iter_mut().for_each(|weight| *weight = (*weight / largest).powf(1.0 / temperature));
        let mut at = rng.random::<f32>() * weights.iter().sum::<f32>();
        let chosen = self.children().zip(&weights).find(|&(_, &weight)| {
            at -= weight;
            weight > 0.0 && at < 0.0
        });
        Some(chosen.map_or(self.nodes[best as usize].hop, |(found, _)| found.hop))
    }

    /// Keeps the root's priors as evaluated and mixes in the noise, once for each root.
    fn prepare_root(&mut self, settings: &Settings, rng: &mut impl Rng) {
        let root = &self.nodes[ROOT as usize];
        if root.count < 2 || root.visits == 0 || !self.root_priors.is_empty() {
            return;
        }
        let children = root.children();
        let children = &mut self.nodes[children];
        self.root_priors.extend(children.iter().map(|child| child.prior));
        if settings.noise > 0.0 {
            let mut noise = Vec::with_capacity(children.len());
            dirichlet(settings.noise_concentration, children.len(), rng, &mut noise);
            for (child, share) in children.iter_mut().zip(noise) {
                child.prior += settings.noise * (share - child.prior);
            }
        }
    }

    /// Lists the hops at `at`, where `scratch` stands, as its children. Answers the child of a position with one hop; the
    /// end of the game is noted.
    fn expand(&mut self, at: u32) -> Option<u32> {
        if let Some(outcome) = self.scratch.outcome() {
            match outcome.winner {
                Some(winner) => self.prove(at, winner),
                None => self.nodes[at as usize].known = Known::Drawn,
            }
            return None;
        }
        if at != ROOT && self.know(at) {
            return None;
        }
        self.scratch.position().hops(&mut self.hops);
        let first = self.nodes.len() as u32;
        self.nodes.extend(self.hops.iter().map(|&hop| Node::new(hop, at)));
        let node = &mut self.nodes[at as usize];
        node.first = first;
        node.count = self.hops.len() as u16;
        node.side = self.scratch.side();
        if at == ROOT {
            self.know_hops();
        }
        if self.hops.len() > 1 {
            return None;
        }
        self.nodes[first as usize].prior = 1.0;
        Some(first)
    }

    fn hand_out(&mut self, at: u32) -> Gather<P> {
        self.fly(at, true);
        Gather::Leaf(self.scratch.leaf(), Ticket { node: at, epoch: self.epoch })
    }

    /// Counts a leaf in flight in or out, at it and at all nodes above.
    fn fly(&mut self, mut node: u32, out: bool) {
        loop {
            let here = &mut self.nodes[node as usize];
            here.in_flight = if out { here.in_flight + 1 } else { here.in_flight - 1 };
            if node == ROOT {
                return;
            }
            node = here.parent;
        }
    }

    /// The child of the largest upper bound: value plus `c_puct * prior * sqrt(visits of the node) / (1 + visits of the
    /// child)` (PUCT; Silver et al. 2018). A leaf in flight counts as a visit that lost. Proven losses are not entered.
    fn select(&self, at: u32, settings: &Settings) -> u32 {
        let node = &self.nodes[at as usize];
        let sign = if node.side == Side::White { 1.0 } else { -1.0 };
        let Puct { c_puct, fpu_reduction, draw_value } = settings.puct;
        // The value of a node's visits, their mean, in the view of the side to move here.
        let mean = |of: &Node| sign * (of.white - of.black) + draw_value * (1.0 - of.white - of.black);
        let visits = (node.visits + u32::from(node.in_flight)) as f32;
        let scale = c_puct * visits.sqrt();
        let unvisited = mean(node) - fpu_reduction;
        let (mut best, mut best_score) = (node.first, f32::NEG_INFINITY);
        for child in node.children() {
            let edge = &self.nodes[child];
            if edge.known == Known::Won(!node.side) {
                continue;
            }
            let lost = u32::from(edge.in_flight);
            let n = (edge.visits + lost) as f32;
            let value = match (lost, edge.visits) {
                (0, 0) => unvisited,
                (0, _) => mean(edge),
                (lost, visits) => (mean(edge) * visits as f32 - lost as f32) / n,
            };
            let score = value + scale * edge.prior / (1.0 + n);
            if score > best_score {
                (best, best_score) = (child as u32, score);
            }
        }
        best
    }
}

/// Draws `n` shares from the symmetric Dirichlet distribution whose parameters sum to `concentration`: gamma variates
/// over their sum.
///
/// # Panics
/// If `concentration` is not above 0.
pub fn dirichlet(concentration: f32, n: usize, rng: &mut impl Rng, out: &mut Vec<f32>) {
    let gamma = Gamma::new(concentration / n as f32, 1.0).expect("the concentration is above 0");
    out.clear();
    out.extend((0..n).map(|_| gamma.sample(rng)));
    let sum: f32 = out.iter().sum();
    if sum > 0.0 {
        out.iter_mut().for_each(|share| *share /= sum);
    } else {
        // Parameters so small that every variate rounds to nothing.
        out.fill(1.0 / n as f32);
    }
}
