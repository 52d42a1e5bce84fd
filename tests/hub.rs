//! The Hub protocol: texts there and back, our engine in conversation, and matches against engines good and hostile.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Cursor, Write};
use std::process::{Child, Command, Stdio};

use common::full;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shashki::games::{Game, Poddavki, Position, Preset, Russian, Spantsireti, Variant};
use shashki::hub::{self, Served, Session, text};
use shashki::player::Player;
use shashki::roster::{self, Entrant};
use shashki::search::heuristic::Heuristic;

const SHASHKI: &str = env!("CARGO_BIN_EXE_shashki");

fn start<P: Position>() -> String {
    text::position(&P::start())
}

/// Plays random games and shows every position with a legal turn.
fn random_games<P: Position>(games: u64, mut see: impl FnMut(&Game<P>)) {
    for seed in 0..games {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut game = Game::<P>::new(Preset::Official).unwrap();
        while game.outcome().is_none() {
            see(&game);
            let mut turns = game.turns();
            let turn = turns.swap_remove(rng.random_range(0..turns.len()));
            game.play(&turn).unwrap();
        }
    }
}

fn every_text_is_read_as_what_it_was<P: Position>(games: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut captures = 0;
    random_games::<P>(games, |game| {
        let position = game.position();
        let told = text::position(position);
        assert_eq!(told.len(), 1 + P::SPEC.squares);
        assert_eq!(text::read_position::<P>(&told).unwrap(), *position);
        let turns = game.turns();
        let texts: Vec<_> = turns.iter().map(|turn| text::turn(position, turn)).collect();
        assert_eq!(texts.iter().collect::<HashSet<_>>().len(), turns.len(), "{told}: {texts:?}");
        for (turn, told) in turns.iter().zip(&texts) {
            assert_eq!(text::read_turn(position, told).unwrap(), *turn, "{told}");
            // The captured squares may stand in any order.
            let mut numbers: Vec<_> = told.split('x').collect();
            if numbers.len() > 3 {
                captures += 1;
                numbers[2..].shuffle(&mut rng);
                assert_eq!(text::read_turn(position, &numbers.join("x")).unwrap(), *turn, "{told}");
                // A missing one makes it another turn, or none.
                let short = text::read_turn(position, &numbers[..numbers.len() - 1].join("x"));
                assert!(short.is_err_and(|error| error.to_string().contains(told)));
            }
        }
    });
    assert!(captures > 10, "only {captures} long captures were seen");
}

#[test]
fn every_legal_turn_of_random_games_is_read_as_it_was_written() {
    let games = if full() { 2000 } else { 40 };
    every_text_is_read_as_what_it_was::<Russian>(games);
    every_text_is_read_as_what_it_was::<Poddavki>(games);
    every_text_is_read_as_what_it_was::<Spantsireti>(games);
}

#[test]
fn positions_and_turns_are_numbered_as_the_board_is_printed() {
    assert_eq!(start::<Russian>(), format!("W{}{}{}", "b".repeat(12), "e".repeat(8), "w".repeat(12)));
    assert_eq!(start::<Spantsireti>(), format!("W{}{}{}", "b".repeat(15), "e".repeat(10), "w".repeat(15)));
    let position = Russian::read_fen("B:WKg1,a3:Bb8,Kh2").unwrap();
    assert_eq!(text::position(&position), "BbeeeeeeeeeeeeeeeeeeeweeeeeeBeeeW");
    let position = Russian::read_fen("W:Wc3,g5:Bd4,d6,b6").unwrap();
    let turns: Vec<_> =
        text::read_turn(&position, "22x6x18x10").into_iter().chain(text::read_turn(&position, "22x6")).collect();
    assert_eq!(turns.len(), 0, "c3:e5:c7:a5 ends on 13, not on 6");
    assert_eq!(text::read_turn(&position, "22x13x9x18x10").unwrap().to_string(), "c3:e5:c7:a5");
    assert_eq!(text::read_turn(&position, "22x13").unwrap().to_string(), "c3:e5:c7:a5", "the only one with these ends");
    for wrong in
        ["", "22", "22-13", "22x13x9", "22x13x9x18x10x1", "a-b", "22-18-15", "99x1", "22x13x", "22x13x9x18x10x10"]
    {
        let error = text::read_turn(&position, wrong).unwrap_err().to_string();
        assert!(error.contains("expected one of 22x13x9x10x18"), "{wrong}: {error}");
    }
}

/// What the engine says to these lines; the last of them is the end of its input.
fn talk_as<P: Heuristic>(player: &str, lines: &[u8]) -> Vec<String> {
    let mut said = String::new();
    let mut write = |line: &str| {
        said += line;
        Ok(())
    };
    let mut session = Session::new(player.to_owned(), P::SPEC.variant, Cursor::new(lines.to_vec()), &mut write);
    let entrant = Entrant::<P>::new(player).unwrap();
    while session.greet().unwrap() {
        let served = hub::serve::<P>(&mut session, Preset::Official, &mut |d, n| entrant.player_within(d, n)).unwrap();
        if served != Served::Variant {
            assert_eq!(served, Served::Left { searching: false });
            break;
        }
    }
    said.lines().map(str::to_owned).collect()
}

fn talk(player: &str, lines: &str) -> Vec<String> {
    talk_as::<Russian>(player, lines.as_bytes())
}

#[test]
fn the_introduction_names_the_engine_and_its_variants() {
    let said = talk("random", "hub\n\ninit\nquit\nping\n");
    assert!(said[0].starts_with("id name=\"shashki random\" version=") && said[0].contains(" author="), "{said:?}");
    let param = "param name=variant value=russian type=enum values=\"russian poddavki spantsireti\"";
    assert_eq!(said[1..], [param, "wait", "ready"]);
}

#[test]
fn a_search_answers_a_legal_turn_and_what_is_sent_meanwhile_waits() {
    let lines = format!(
        "init\nnew-game\npos pos={} moves=\"21-17 9-13\"\nlevel depth=4\ngo think\nping\npos pos={}\ngo think\n",
        start::<Russian>(),
        text::position(&Russian::read_fen("W:Wc3:Bd4,f6,h8").unwrap())
    );
    // Of all that is sent while it thinks only the ping is answered at once; the end of the input drops what waits.
    let said = talk("alphabeta", &lines);
    let done: Vec<_> = said.iter().filter(|line| line.starts_with("done move=")).collect();
    assert!(!done.is_empty() && said.contains(&"pong".to_owned()), "{said:?}");
    let mut game = Game::<Russian>::new(Preset::Official).unwrap();
    game.play_text("21-17").unwrap();
    game.play_text("9-13").unwrap();
    assert!(text::read_turn(game.position(), &done[0]["done move=".len()..]).is_ok(), "{said:?}");
}

#[test]
fn a_level_of_the_other_program_limits_the_player() {
    let lines = |level: &str| format!("init\npos pos={}\n{level}\ngo analyze\n", start::<Russian>());
    let depth = |player: &str, level: &str| {
        let said = talk(player, &lines(level));
        let info = said.iter().find(|line| line.starts_with("info ")).unwrap_or_else(|| panic!("{said:?}"));
        hub::message::Message::read(info).number("depth")
    };
    assert_eq!(depth("alphabeta", "level depth=3"), Some(3.0));
    assert_eq!(depth("alphabeta:depth=2", "level depth=3"), Some(2.0), "the nearer limit holds");
    assert_eq!(depth("alphabeta:depth=2", "level infinite"), Some(2.0));
}

#[test]
fn what_cannot_be_done_is_told_and_the_conversation_goes_on() {
    let told = |line: &str, words: &str| {
        let said = talk("random", &format!("init\n{line}\nping\n"));
        assert!(said[1].starts_with("error message=") && said[1].contains(words), "{line}: {said:?}");
        assert_eq!(said.last().map(String::as_str), Some("pong"), "{line}");
    };
    told("go think", "no position");
    told("pos", "expected W or B and 32");
    told("pos pos=W", "expected W or B and 32");
    told(&format!("pos pos=Ww{}", "e".repeat(31)), "b8");
    told(&format!("pos pos={} moves=\"21-17 21-17\"", start::<Russian>()), "21-17");
    told(&format!("pos pos={}\ngo fishing", start::<Russian>()), "go fishing");
    told(&format!("pos pos={}\ngo think", text::position(&Russian::read_fen("B:Wc3:B").unwrap())), "the game is over");
    told("set-param name=variant value=chess", "expected one of russian");
    assert!(talk("random", "go think\n")[0].contains("expected init"));
}

#[test]
fn a_game_that_our_draw_rules_have_ended_is_played_on() {
    let shuffle = "32-28 1-5 28-32 5-1 ".repeat(4);
    let lines = format!("init\npos pos=WBeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeW moves=\"{shuffle}\"\ngo think\n");
    let said = talk("alphabeta:depth=1", &lines);
    assert!(said.last().unwrap().starts_with("done move=32-"), "{said:?}");
}

#[test]
fn pondering_waits_for_the_other_side() {
    let lines = |end: &str| format!("init\npos pos={}\nlevel depth=2\ngo ponder\n{end}\n", start::<Russian>());
    let done = |end: &str| talk("alphabeta", &lines(end)).iter().filter(|line| line.starts_with("done")).count();
    assert_eq!((done("ping"), done("ponder-hit"), done("stop"), done("stop\nstop")), (0, 1, 1, 1));
}

#[test]
fn nothing_that_comes_in_ends_the_engine() {
    let words = ["hub", "init", "pos", "level", "go", "stop", "ping", "ponder-hit", "new-game", "set-param", "x"];
    let start = start::<Russian>();
    let arguments = [
        format!(" pos={start}"),
        format!(" pos={start} moves=\"21-17 9-13 22-18\""),
        format!(" pos={} moves=\"", &start[..20]),
        " think".to_owned(),
        " analyze".to_owned(),
        " ponder".to_owned(),
        " depth=1 time=-1 inc=nan moves=0".to_owned(),
        " move-time=0.001".to_owned(),
        " name=variant value=russian".to_owned(),
        " =\"=\" \"".to_owned(),
        "\0\u{fffd}ъ".to_owned(),
    ];
    for seed in 0..30 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut lines = b"init\n".to_vec();
        for _ in 0..40 {
            lines.extend(words[rng.random_range(0..words.len())].bytes());
            lines.extend(arguments[rng.random_range(0..arguments.len())].bytes());
            if rng.random_range(0..4) == 0 {
                let at = rng.random_range(0..lines.len());
                lines[at] = rng.next_u32() as u8;
            }
            lines.push(b'\n');
        }
        let known = ["id", "param", "wait", "ready", "info", "done", "error", "pong"];
        for said in talk_as::<Russian>("random", &lines) {
            assert!(known.contains(&said.split(' ').next().unwrap()), "seed {seed}: {said}");
        }
    }
    let endless = [b"init\n", vec![b'a'; 3 << 20].as_slice(), b"\nping\n"].concat();
    let said = talk_as::<Russian>("random", &endless);
    assert_eq!(said, ["ready", "error message=\"a line too long\"", "pong"]);
}

/// A player as an engine in a process of its own.
fn engine(player: &str) -> Child {
    Command::new(SHASHKI).args(["hub", player]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

#[test]
fn the_other_program_chooses_the_variant() {
    let lines = format!(
        "hub\nset-param name=variant value=spantsireti\ninit\npos pos={}\ngo think\nquit\n",
        start::<Spantsireti>()
    );
    let mut child = engine("random");
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let turn = said.lines().find_map(|line| line.strip_prefix("done move=")).unwrap();
    assert!(text::read_turn(&Spantsireti::start(), turn).is_ok(), "{said}");
}

#[test]
fn a_stop_is_heard_while_the_player_thinks() {
    let engines =
        ["rollout:visits=100000000", "alphabeta", "alphabeta:eval=basic", &format!("hub:cmd={SHASHKI} hub alphabeta")];
    engines.into_iter().for_each(heeds_a_stop);
}

/// A search without an end ends.
fn heeds_a_stop(player: &str) {
    let mut child = engine(player);
    let (mut input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut lines = output.lines().map(Result::unwrap);
    writeln!(input, "init\npos pos={}\nlevel infinite\ngo think\nping", start::<Russian>()).unwrap();
    assert_eq!(lines.by_ref().take(2).collect::<Vec<_>>(), ["ready", "pong"]);
    // Its search would take hours.
    writeln!(input, "stop").unwrap();
    assert!(lines.by_ref().find(|line| !line.starts_with("info")).unwrap().starts_with("done move="));
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// Asks an engine over the protocol and the same player at hand about every position of random games.
fn over_the_protocol_a_player_chooses_as_it_does_at_hand<P: Heuristic>(games: u64) {
    let variant = P::SPEC.variant;
    let engine = format!("hub:depth=3,cmd='{SHASHKI}' hub alphabeta:eval=basic");
    let mut engine = roster::player::<P>(&engine).unwrap();
    let mut own = roster::player::<P>("alphabeta:eval=basic,depth=3").unwrap();
    random_games::<P>(games, |game| {
        if game.turns_played() == 0 {
            engine.new_game();
        }
        assert_eq!(engine.choose(game).unwrap(), own.choose(game).unwrap(), "{variant} {game:?}");
    });
}

#[cfg(unix)]
#[test]
fn an_engine_sees_the_game_as_we_do_its_repetitions_included() {
    over_the_protocol_a_player_chooses_as_it_does_at_hand::<Russian>(2);
    over_the_protocol_a_player_chooses_as_it_does_at_hand::<Poddavki>(1);
    over_the_protocol_a_player_chooses_as_it_does_at_hand::<Spantsireti>(1);
    // A lone king has nothing better than to go back and forth: the third time is a draw, which both know.
    let mut engine =
        roster::player::<Russian>(&format!("hub:depth=3,cmd='{SHASHKI}' hub alphabeta:eval=basic")).unwrap();
    let mut own = roster::player::<Russian>("alphabeta:eval=basic,depth=3").unwrap();
    let mut game = Game::from_position(Russian::read_fen("W:WKa1,Kc1,Ke1:BKb8,a7").unwrap(), Preset::Official).unwrap();
    while game.outcome().is_none() {
        let turn = own.choose(&game).unwrap();
        assert_eq!(engine.choose(&game).unwrap(), turn, "{game:?}");
        game.play(&turn).unwrap();
    }
}

#[test]
fn a_variant_that_the_protocol_cannot_name_is_refused() {
    let error = roster::player::<shashki::games::Bashni>("hub:cmd=x").err().unwrap();
    assert!(error.to_string().contains("expected one of russian, poddavki, spantsireti"), "{error}");
    assert_eq!(text::variants().count(), 3);
    assert!(text::variants().all(|variant| variant != Variant::Bashni));
    let output = Command::new(SHASHKI).args(["hub", "random", "--variant", "vigman"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
mod hostile {
    //! Engines that break every rule, as scripts of the shell.

    use std::fs;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use shashki::arena::{self, GameRecord, Opening, Openings, Options, Report};
    use shashki::hub::{HubPlayer, Settings};
    use shashki::player::RandomPlayer;

    use super::*;

    /// A script that introduces itself and does `go` when it is to think.
    fn script(go: &str) -> String {
        format!(
            "while read -r line; do case \"$line\" in hub) echo wait;; init) echo ready;; ping) echo pong;; \
             quit) exit 0;; go*) {go};; esac; done"
        )
    }

    /// Whether a process runs; one that is dead and waits to be collected does not.
    fn runs(pid: &str) -> bool {
        match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) => !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'),
            Err(_) if Path::new("/proc/self/stat").exists() => false,
            Err(_) => {
                Command::new("sh").args(["-c", &format!("kill -0 {pid} 2>/dev/null")]).status().unwrap().success()
            }
        }
    }

    /// Plays `games` games of a random player against a script, which writes its numbers to a file; answers the report,
    /// the games, and the processes that it has started. All are gone by then.
    fn against(script: &str, options: Options<Russian>) -> (Report, Vec<GameRecord<Russian>>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        let command = format!("echo $$ >> '{}'\n{script}", pids.display());
        let settings = Settings { command, time_s: Some(0.01), depth: None, timeout_s: Some(0.4) };
        let random = || Ok(Box::new(RandomPlayer::new(0)) as Box<dyn Player<Russian>>);
        let engine = || Ok(Box::new(HubPlayer::new(settings.clone())?) as Box<dyn Player<Russian>>);
        let mut games = Vec::new();
        let report = arena::play(&random, &engine, &options, &AtomicBool::new(false), &mut |game, _| {
            games.push(game.clone());
            Ok(())
        });
        let pids: Vec<_> = fs::read_to_string(pids).unwrap().lines().map(str::to_owned).collect();
        assert!(!pids.is_empty());
        for pid in &pids {
            assert!(!runs(pid), "{pid} still runs");
        }
        (report.unwrap(), games, pids)
    }

    fn games(games: u32) -> Options<Russian> {
        Options { games, ..Options::default() }
    }

    /// Asserts that a script loses each game, by `illegal` and with these words in its record, and is started afresh.
    fn loses(script: &str, words: &str) {
        let (report, played, pids) = against(script, games(2));
        assert_eq!((report.tally.wins, report.decided_by.get("illegal")), (2, Some(&2)), "{script}: {report:?}");
        for game in &played {
            let pdn = game.record(["random", "engine"], Preset::Official).to_string();
            let pdn = pdn.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(pdn.contains("[Termination \"illegal\"]") && pdn.contains(words), "{script}: {pdn}");
        }
        assert!(pids.len() >= 2, "{script}: started only {} times", pids.len());
    }

    #[test]
    fn an_engine_that_ends_loses_that_game_with_its_last_words() {
        loses("exit 7", "closed its");
        loses("no_such_program_at_all", "not found");
        loses(&script("echo 'out of luck' >&2; exit 3"), "exit status: 3, it said \"out of luck\"");
        loses(&script("kill -SEGV $$"), "closed its output");
        loses(&script("exec 1>&-; while :; do sleep 1; done"), "closed its output");
    }

    #[test]
    fn an_engine_that_does_not_answer_in_time_loses_that_game() {
        loses("while :; do sleep 1; done", "no wait in time at its start");
        loses(&script("while :; do sleep 1; done"), "no answer in time");
        loses(&script("echo 'error message=\"I am lost\"'; sleep 100"), "I am lost");
        // What it says does not stop the clock, nor fill the memory.
        loses(&script("while :; do echo 'info depth=1 22-18 22-18 22-18 22-18'; done"), "no answer in time");
    }

    #[test]
    fn an_illegal_answer_loses_that_game() {
        loses(&script("echo 'done move=1-32'"), "turn \"1-32\": not legal, expected one of");
        loses(&script("echo 'done move=c3-d4'"), "unreadable");
        loses(&script("echo done"), "without a move");
        loses(
            "echo 'param name=variant value=normal values=\"normal killer\"'; echo wait; sleep 100",
            "it plays normal killer",
        );
    }

    #[test]
    fn an_engine_that_answers_twice_loses_that_game() {
        let twice = format!(
            "'{SHASHKI}' hub random | while IFS= read -r line; do echo \"$line\"; case \"$line\" in done*) echo \"$line\";; esac; done"
        );
        loses(&twice, "without being asked");
    }

    #[test]
    fn the_same_text_twice_running_is_an_answer_each_time() {
        let won = Openings::List(vec![Opening::read("B:Wc3:Bd4", Preset::Official).unwrap()]);
        // The engine has Black in the first game of each pair and takes the last piece.
        let (report, played, _) = against(&script("echo 'done move=18x25x22'"), Options { openings: won, ..games(4) });
        assert_eq!((report.tally.losses, report.decided_by.get("no move")), (2, Some(&4)), "{report:?}");
        assert!(played.iter().all(|game| game.warning.is_none()));
    }

    #[test]
    fn banners_and_garbage_are_passed_over() {
        let noisy = format!(
            "echo 'Welcome to the engine, version 1'; echo; printf '\\001\\377\\n'; head -c 200000 /dev/zero; echo; echo wait for it; \
             echo 'pv=\"'; exec '{SHASHKI}' hub random"
        );
        let (report, played, pids) = against(&noisy, games(4));
        assert_eq!((report.tally.games(), report.decided_by.get("illegal")), (4, None), "{played:?}");
        assert_eq!(pids.len(), 1, "a good engine plays all games of its thread");
    }

    #[test]
    fn an_engine_that_will_not_quit_is_ended_with_all_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let child = folder.path().join("child");
        let stubborn = format!(
            "trap '' TERM INT HUP; (trap '' TERM INT HUP; while :; do sleep 1; done) & echo $! > '{}'; '{SHASHKI}' hub random; while :; do sleep 1; done",
            child.display()
        );
        let (report, ..) = against(&stubborn, games(2));
        assert_eq!((report.tally.games(), report.decided_by.get("illegal")), (2, None));
        let child = fs::read_to_string(child).unwrap();
        assert!(!runs(child.trim()), "what it started still runs");
    }

    #[test]
    fn an_engine_ends_with_a_panic_of_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let command = format!("echo $$ > '{}'; exec '{SHASHKI}' hub random", file.display());
        let settings = Settings { command, time_s: Some(0.01), depth: None, timeout_s: None };
        let panicked = std::thread::spawn(move || {
            let mut player = HubPlayer::<Russian>::new(settings).unwrap();
            player.choose(&Game::new(Preset::Official).unwrap()).unwrap();
            std::panic::panic_any("on purpose");
        });
        assert!(panicked.join().is_err());
        assert!(!runs(fs::read_to_string(file).unwrap().trim()));
    }

    #[test]
    fn ctrl_c_ends_an_engine_that_hangs() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let engine =
            format!("hub:cmd={}", script(&format!("echo $$ > '{}'; while :; do sleep 1; done", file.display())));
        let mut child = Command::new(SHASHKI).args(["arena", "random", &engine, "--games", "2"]).spawn().unwrap();
        let pid = loop {
            match fs::read_to_string(&file) {
                Ok(pid) if pid.ends_with('\n') => break pid,
                _ => std::thread::sleep(std::time::Duration::from_millis(5)),
            }
        };
        while child.try_wait().unwrap().is_none() {
            // The first asks for an orderly end, which waits for the engine; the second does not.
            Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(!runs(pid.trim()));
    }
}
