//! Monte Carlo tree search: values and proofs, forced hops, PUCT, noise, reuse, and the players built on it.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::Result;
use shashki::board::{Hop, Hops, Side};
use shashki::config::Puct;
use shashki::evaluator::{Evaluations, Evaluator, Uniform, Wdl};
use shashki::games::game::Leaf;
use shashki::games::{Game, Position, Preset, Russian};
use shashki::player::Player;
use shashki::search::mcts::{Gather, Settings, dirichlet};
use shashki::search::mcts_player::{MctsPlayer, PlayerSettings, PolicyPlayer, Rollout};
use shashki::search::tree::{Found, Tree};

/// White takes on d4 by e3:c5 or c3:e5, either way Black's last piece.
const WIN_IN_ONE: &str = "W:Wc3,e3,a1:Bd4";

fn game(fen: &str) -> Game<Russian> {
    Game::from_position(Russian::read_fen(fen).unwrap(), Preset::Official).unwrap()
}

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Searches one leaf at a time; answers how many leaves were evaluated.
fn search(tree: &mut Tree<Russian>, visits: u32, settings: &Settings, evaluator: &mut dyn Evaluator<Russian>) -> u32 {
    let (mut rng, mut answers, mut asked) = (rng(7), Evaluations::default(), 0);
    while tree.visits() < visits {
        match tree.gather(settings, &mut rng) {
            Gather::Leaf(leaf, ticket) => {
                evaluator.evaluate(&[leaf], &mut answers).unwrap();
                tree.apply(ticket, answers.wdl[0], answers.priors_of(0));
                asked += 1;
            }
            Gather::Done => {}
            Gather::Busy => panic!("nothing else is in flight"),
        }
    }
    asked
}

fn searched(fen: &str, visits: u32) -> Tree<Russian> {
    let mut tree = Tree::new(&game(fen));
    search(&mut tree, visits, &Settings::default(), &mut Uniform::default());
    tree
}

fn player(visits: u32, batch: usize) -> MctsPlayer<Russian> {
    let settings = PlayerSettings { visits: Some(visits), batch, ..PlayerSettings::default() };
    MctsPlayer::new(Box::new(Uniform::default()), settings, "mcts:uniform".to_owned())
}

/// Values a position by men and kings, in White's view, with equal priors.
struct Material;

impl Evaluator<Russian> for Material {
    fn evaluate(&mut self, leaves: &[Leaf<Russian>], out: &mut Evaluations) -> Result<()> {
        Uniform::default().evaluate(leaves, out)?;
        for (leaf, wdl) in leaves.iter().zip(&mut out.wdl) {
            let m = leaf.position.material(0);
            let worth = |s: usize| f32::from(m.men[s]) + 3.0 * f32::from(m.kings[s]);
            let white = 1.0 / (1.0 + (worth(1) - worth(0)).exp());
            *wdl = Wdl::of(Side::White, [white, 0.0, 1.0 - white]);
        }
        Ok(())
    }
}

#[test]
fn a_win_in_one_is_proven_and_played() {
    let mut tree = Tree::new(&game(WIN_IN_ONE));
    search(&mut tree, 5, &Settings::default(), &mut Uniform::default());
    assert_eq!(tree.winner(), Some(Side::White));
    assert_eq!(tree.wdl(), Wdl::certain(Some(Side::White)));
    let hop = tree.choose(1.0, &mut rng(1)).unwrap();
    let mut after = game(WIN_IN_ONE);
    after.play_hop(hop).unwrap();
    assert_eq!(after.outcome().unwrap().winner, Some(Side::White));
}

#[test]
fn the_quickest_of_proven_wins_is_played_to_the_end() {
    for batch in [1, 8] {
        let mut mcts = player(3000, batch);
        // Two kings hunt a man that has to come down the board.
        let mut game = game("W:WKa1,Kc1:Bh8");
        for _ in 0..20 {
            if game.outcome().is_some() {
                break;
            }
            let turn = mcts.choose(&game).unwrap();
            game.play(&turn).unwrap();
        }
        assert_eq!(game.outcome().and_then(|o| o.winner), Some(Side::White), "batch {batch}");
    }
}

#[test]
fn a_proven_loss_is_not_walked_into() {
    // c3-d4 hands the last man to e5:c3; c3-b4 keeps it.
    let tree = searched("W:Wc3:Be5", 200);
    let found = |text: &str| tree.children().find(|f| f.hop.to.to_string() == text).unwrap();
    assert_eq!(found("d4").winner, Some(Side::Black));
    assert_eq!(tree.choose(0.0, &mut rng(1)).unwrap().to.to_string(), "b4");
    let mut shares = Vec::new();
    tree.policy(&mut shares);
    let lost = tree.children().position(|f| f.hop.to.to_string() == "d4").unwrap();
    assert_eq!(shares[lost], 0.0);
}

#[test]
fn a_forced_line_costs_no_evaluation() {
    // One capture of three hops, no choice, and Black is gone.
    let mut tree = Tree::new(&game("W:Wa1:Bb2,d4,f6"));
    assert_eq!(search(&mut tree, 1, &Settings::default(), &mut Uniform::default()), 0);
    assert_eq!(tree.winner(), Some(Side::White));
    assert_eq!(tree.line([]).len(), 3);
}

#[test]
fn a_forced_turn_is_played_without_asking() {
    struct Never;
    impl Evaluator<Russian> for Never {
        fn evaluate(&mut self, _: &[Leaf<Russian>], _: &mut Evaluations) -> Result<()> {
            panic!("a forced turn needs no evaluation")
        }
    }
    let settings = PlayerSettings { visits: Some(50), ..PlayerSettings::default() };
    let mut mcts = MctsPlayer::new(Box::new(Never), settings, "never".to_owned());
    let forced = game("W:Wa1,h2:Bb2,d4,f6,h8,a7");
    assert_eq!(mcts.choose(&forced).unwrap().to_string(), "a1:c3:e5:g7");
    assert_eq!(PolicyPlayer::new(Box::new(Never), "p".to_owned()).choose(&forced).unwrap().hops().count(), 3);
}

#[test]
fn visits_of_the_children_and_of_the_root_itself_sum_up() {
    let tree = searched("W:Wc3,e3,g3:Bb6,d6,f6", 300);
    assert_eq!(tree.visits(), 300);
    assert_eq!(tree.children().map(|f| f.visits).sum::<u32>(), 299);
    let mut shares = Vec::new();
    tree.policy(&mut shares);
    assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn selection_follows_the_formula_worked_out_by_hand() {
    // Two hops, priors .6 and .4, c 1, first-play urgency .2, every leaf worth +.5 to White, who moves at the root.
    struct Fixed;
    impl Evaluator<Russian> for Fixed {
        fn evaluate(&mut self, leaves: &[Leaf<Russian>], out: &mut Evaluations) -> Result<()> {
            Uniform::default().evaluate(leaves, out)?;
            out.wdl.fill(Wdl::of(Side::White, [0.75, 0.0, 0.25]));
            if leaves[0].position.side() == Side::White && out.priors.len() == 2 {
                out.priors.copy_from_slice(&[0.6, 0.4]);
            }
            Ok(())
        }
    }
    let settings = Settings { puct: Puct { c_puct: 1.0, ..Puct::default() }, ..Settings::default() };
    let mut tree = Tree::new(&game("W:Wc3:Bb8,f8,h8"));
    // N = 1: .3 + .6 against .3 + .4: the first.
    // N = 2: .5 + .6 * 1.414 / 2 = .924 against .3 + .4 * 1.414 = .866: the first.
    // N = 3: .5 + .6 * 1.732 / 3 = .846 against .3 + .4 * 1.732 = .993: the second.
    for (visits, expected) in [(2, [1, 0]), (3, [2, 0]), (4, [2, 1])] {
        search(&mut tree, visits, &settings, &mut Fixed);
        assert_eq!(tree.children().map(|f| f.visits).collect::<Vec<_>>(), expected, "after {visits} visits");
    }
}

#[test]
fn a_draw_is_worth_to_both_sides_what_the_settings_say() {
    // As long as the man is on d4 (e5 for Black) the game is a draw, else it is worse for its side and mostly decided.
    struct Drawish(Side);
    impl Evaluator<Russian> for Drawish {
        fn evaluate(&mut self, leaves: &[Leaf<Russian>], out: &mut Evaluations) -> Result<()> {
            Uniform::default().evaluate(leaves, out)?;
            for (leaf, wdl) in leaves.iter().zip(&mut out.wdl) {
                let fen = leaf.position.write_fen();
                let drawn = fen.contains("Wd4") || fen.contains("Be5");
                *wdl = Wdl::of(self.0, if drawn { [0.0, 1.0, 0.0] } else { [0.3, 0.1, 0.6] });
            }
            Ok(())
        }
    }
    let most_visited = |fen: &str, draw_value: f32| {
        let mut tree = Tree::new(&game(fen));
        let settings = Settings { puct: Puct { draw_value, ..Puct::default() }, ..Settings::default() };
        let side = tree.root().side();
        search(&mut tree, 40, &settings, &mut Drawish(side));
        tree.children().max_by_key(|found| found.visits).unwrap().hop.to.to_string()
    };
    // 0 against −.3; with draws at −.6 it is −.6 against −.36.
    assert_eq!(most_visited("W:Wc3:Bb8,f8,h8", 0.0), "d4");
    assert_eq!(most_visited("W:Wc3:Bb8,f8,h8", -0.6), "b4");
    assert_eq!(most_visited("B:Wa1,c1,g1:Bf6", 0.0), "e5");
    assert_eq!(most_visited("B:Wa1,c1,g1:Bf6", -0.6), "g5");
}

#[test]
fn virtual_losses_spread_a_batch_and_are_gone_after_it() {
    let mut tree = searched("W:Wc3,e3,g3:Bb6,d6,f6", 50);
    let (mut rng, mut leaves, mut tickets) = (rng(3), Vec::new(), Vec::new());
    for _ in 0..6 {
        if let Gather::Leaf(leaf, ticket) = tree.gather(&Settings::default(), &mut rng) {
            leaves.push(leaf);
            tickets.push(ticket);
        }
    }
    assert!(leaves.len() > 1 && tree.virtual_losses() > 0);
    assert!((1..leaves.len()).all(|i| !leaves[..i].contains(&leaves[i])));
    let given_back = tickets.pop().unwrap();
    tree.release(given_back);
    let mut answers = Evaluations::default();
    Uniform::default().evaluate(&leaves, &mut answers).unwrap();
    let before = tree.visits();
    let applied = tickets.len() as u32;
    for (i, ticket) in tickets.into_iter().enumerate() {
        tree.apply(ticket, answers.wdl[i], answers.priors_of(i));
    }
    assert_eq!((tree.virtual_losses(), tree.in_flight(), tree.visits()), (0, 0, before + applied));
}

#[test]
fn a_leaf_in_flight_is_not_handed_out_twice_and_a_released_one_is() {
    let mut tree = Tree::new(&game("W:Wc3,e3:Bb6,d6"));
    let Gather::Leaf(first, ticket) = tree.gather(&Settings::default(), &mut rng(1)) else { panic!("a leaf") };
    assert!(matches!(tree.gather(&Settings::default(), &mut rng(1)), Gather::Busy));
    tree.release(ticket);
    let Gather::Leaf(again, _) = tree.gather(&Settings::default(), &mut rng(1)) else { panic!("the leaf again") };
    assert_eq!(first, again);
}

#[test]
fn a_ticket_from_before_a_reset_changes_nothing() {
    let start = game("W:Wc3,e3:Bb6,d6");
    let mut tree = Tree::new(&start);
    let Gather::Leaf(_, stale) = tree.gather(&Settings::default(), &mut rng(1)) else { panic!("a leaf") };
    tree.reset(&start);
    tree.apply(stale, Wdl::DRAW, &[]);
    assert_eq!((tree.visits(), tree.virtual_losses()), (0, 0));
}

#[test]
fn advancing_keeps_what_was_found_below_the_hop() {
    let mut tree = searched("W:Wc3,e3,g3:Bb6,d6,f6", 400);
    let best = tree.choose(0.0, &mut rng(1)).unwrap();
    let below = |tree: &Tree<Russian>, path: &[Hop]| -> Vec<Found> {
        let mut at = tree.root().clone();
        for &hop in path {
            at.play_hop(hop).unwrap();
        }
        let mut hops = Hops::new();
        at.hops(&mut hops);
        hops.iter().filter_map(|&hop| tree.at(path.iter().copied().chain([hop]))).collect()
    };
    let (found, grandchildren) = (tree.at([best]).unwrap(), below(&tree, &[best]));
    tree.advance(best);
    assert_eq!((tree.visits(), tree.wdl()), (found.visits, found.wdl));
    assert_eq!(below(&tree, &[]), grandchildren);
    search(&mut tree, found.visits + 50, &Settings::default(), &mut Uniform::default());
    assert_eq!(tree.visits(), found.visits + 50);
}

#[test]
fn root_noise_keeps_the_priors_a_distribution_and_their_originals_readable() {
    let settings = Settings { noise: 0.25, ..Settings::default() };
    let mut tree = Tree::new(&game("W:Wc3,e3,g3:Bb6,d6,f6"));
    search(&mut tree, 20, &settings, &mut Uniform::default());
    let n = tree.children().len() as f32;
    assert!(tree.children().all(|f| (f.prior - 1.0 / n).abs() < 1e-6));
    let visits = |seed: u64| {
        let mut tree = Tree::new(&game("W:Wc3,e3,g3:Bb6,d6,f6"));
        let (mut rng, mut answers) = (rng(seed), Evaluations::default());
        while tree.visits() < 60 {
            if let Gather::Leaf(leaf, ticket) = tree.gather(&settings, &mut rng) {
                Uniform::default().evaluate(&[leaf], &mut answers).unwrap();
                tree.apply(ticket, answers.wdl[0], answers.priors_of(0));
            }
        }
        tree.children().map(|f| f.visits).collect::<Vec<_>>()
    };
    assert_eq!(visits(1), visits(1));
    assert_ne!(visits(1), visits(2));
}

#[test]
fn dirichlet_shares_sum_to_one_and_spread_as_their_concentration_says() {
    // The variance of one share is (1/n)(1 - 1/n) / (concentration + 1).
    let (n, rounds, mut rng, mut shares) = (5, 4000, rng(11), Vec::new());
    for concentration in [1.0f32, 10.0] {
        let mut squares = 0.0;
        for _ in 0..rounds {
            dirichlet(concentration, n, &mut rng, &mut shares);
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            squares += f64::from((shares[0] - 0.2).powi(2));
        }
        let expected = 0.16 / f64::from(concentration + 1.0);
        assert!((squares / f64::from(rounds) / expected - 1.0).abs() < 0.15, "concentration {concentration}");
    }
}

#[test]
fn a_turned_board_has_the_turned_value() {
    let mut values = ["W:Wc3,e3,g1:Bd6,f6", "B:Wc3,e3:Bf6,d6,b8"].map(|fen| {
        let mut tree = Tree::new(&game(fen));
        search(&mut tree, 150, &Settings::default(), &mut Material);
        tree.wdl().value(Side::White)
    });
    assert!(values[0] > 0.1, "White is a man up: {}", values[0]);
    values[1] = -values[1];
    assert!((values[0] - values[1]).abs() < 0.15, "{values:?}");
}

#[test]
fn within_a_chain_the_same_side_chooses_again() {
    // After c3:e5 the man must choose e5:g7 or e5:c7: both nodes on the path are White's to judge.
    let fen = "W:Wc3:Bd4,f6,d6,a7,h8";
    let mut tree = Tree::new(&game(fen));
    search(&mut tree, 60, &Settings::default(), &mut Material);
    let first = tree.children().next().unwrap();
    let mut after = game(fen);
    assert!(!after.play_hop(first.hop).unwrap().turn_over);
    assert_eq!(after.side(), Side::White);
    let mut hops = Hops::new();
    after.hops(&mut hops);
    assert_eq!(hops.len(), 2);
    let ends: Vec<_> = hops.iter().map(|&hop| tree.at([first.hop, hop]).unwrap()).collect();
    let best = ends.iter().max_by(|a, b| a.wdl.value(Side::White).total_cmp(&b.wdl.value(Side::White))).unwrap();
    let line = tree.line([]);
    assert_eq!(line[1], best.hop, "White takes what is better for White: {ends:?}");
}

#[test]
fn a_draw_by_counting_is_exact_and_proves_nothing() {
    // An evaluator that sees White win everywhere, so that only the rules can say draw.
    struct WhiteWins;
    impl Evaluator<Russian> for WhiteWins {
        fn evaluate(&mut self, leaves: &[Leaf<Russian>], out: &mut Evaluations) -> Result<()> {
            Uniform::default().evaluate(leaves, out)?;
            out.wdl.fill(Wdl::certain(Some(Side::White)));
            Ok(())
        }
    }
    // King against king, five moves each: nine plies that put nothing en prise, then the tenth draws whatever it is.
    let mut near = game("W:WKa1:BKb8");
    while near.plies_to_draw() != Some(1) {
        let quiet = near.turns().into_iter().find(|turn| {
            let mut after = near.clone();
            after.play(turn).unwrap();
            after.outcome().is_none() && !after.position().must_capture() && after.occurrences() == 1
        });
        near.play(&quiet.unwrap()).unwrap();
    }
    let mut tree = Tree::new(&near);
    assert_eq!(search(&mut tree, 100, &Settings::default(), &mut WhiteWins), 1, "only the root is evaluated");
    assert_eq!(tree.winner(), None);
    assert!(tree.children().filter(|f| f.visits > 0).all(|f| f.wdl == Wdl::DRAW && f.winner.is_none()));
    assert!((tree.wdl().seen_by(Side::White)[1] - 0.99).abs() < 1e-5);
}

#[test]
fn temperature_samples_by_visits_and_zero_takes_the_most() {
    let tree = searched("W:Wc3,e3,g3:Bb6,d6,f6", 200);
    let best = tree.children().map(|f| f.visits).max().unwrap();
    let mut rng = rng(5);
    for _ in 0..20 {
        let hop = tree.choose(0.0, &mut rng).unwrap();
        assert_eq!(tree.at([hop]).unwrap().visits, best);
    }
    let chosen: Vec<_> = (0..200).map(|_| tree.choose(1.0, &mut rng).unwrap()).collect();
    assert!(chosen.iter().any(|&hop| hop != chosen[0]));
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let play = |seed: u64| {
        let settings = PlayerSettings { visits: Some(40), temperature: 1.0, seed, ..PlayerSettings::default() };
        let mut mcts = MctsPlayer::new(Box::new(Rollout::new(Preset::Official, 1)), settings, "rollout".to_owned());
        let mut game = Game::<Russian>::new(Preset::Official).unwrap();
        let mut turns = Vec::new();
        while game.outcome().is_none() && turns.len() < 12 {
            let turn = mcts.choose(&game).unwrap();
            game.play(&turn).unwrap();
            turns.push(turn);
        }
        turns
    };
    assert_eq!(play(1), play(1));
    assert_ne!(play(1), play(2));
}

#[test]
fn the_tree_goes_on_with_the_game_and_starts_anew_with_another() {
    let mut mcts = player(200, 4);
    let mut going_on = Game::<Russian>::new(Preset::Official).unwrap();
    for _ in 0..2 {
        let turn = mcts.choose(&going_on).unwrap();
        going_on.play(&turn).unwrap();
    }
    let turn = mcts.choose(&going_on).unwrap();
    assert!(mcts.tree().unwrap().root().turns_played() == 2 && going_on.turns().contains(&turn));
    let other = game("B:Wc3,e3:Bb6,d6");
    assert!(other.turns().contains(&mcts.choose(&other).unwrap()));
    assert_eq!(mcts.tree().unwrap().root(), &other);
}

#[test]
fn an_analysis_names_each_turn_once_and_the_chosen_one_first() {
    let position = game("W:Wc3,e3,g3:Bb6,d6,f6");
    let mut mcts = player(300, 8);
    let analysis = mcts.analyse(&position).unwrap();
    let legal = position.turns();
    assert!(analysis.lines.iter().all(|line| legal.contains(&line.turn) && line.line[0] == line.turn));
    let distinct: BTreeSet<_> = analysis.lines.iter().map(|line| line.turn.to_string()).collect();
    assert!(distinct.len() == analysis.lines.len() && distinct.len() > 1, "{distinct:?}");
    assert!(analysis.lines.windows(2).all(|pair| pair[0].visits >= pair[1].visits));
    assert_eq!(analysis.lines[0].turn, mcts.choose(&position).unwrap());
    let won = player(50, 8).analyse(&game(WIN_IN_ONE)).unwrap();
    assert_eq!((won.value, won.lines[0].value), (1.0, 1.0));
}

#[test]
fn a_time_limit_still_answers() {
    let settings = PlayerSettings { time_s: Some(0.0), ..PlayerSettings::default() };
    let mut mcts = MctsPlayer::<Russian>::new(Box::new(Uniform::default()), settings, "t".to_owned());
    let start = Game::<Russian>::new(Preset::Official).unwrap();
    assert!(start.turns().contains(&mcts.choose(&start).unwrap()));
}
