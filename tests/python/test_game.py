"""A single game from Python."""

import copy
import pickle
import threading
import time
from xml.etree import ElementTree

import numpy as np
import pytest

import shashki

# White's man on c3 takes d4 and f6, two jumps.
CHAIN = "W:Wc3,h2:Bd4,f6,h8"


def test_the_readme_walk():
    game = shashki.Game("russian")
    assert game.turns() == ["a3-b4", "c3-b4", "c3-d4", "e3-d4", "e3-f4", "g3-f4", "g3-h4"]
    assert game.play("c3-d4") == "c3-d4"
    assert (game.side, game.outcome) == ("black", None)
    assert game.fen() == (
        "B:Wa1,c1,e1,g1,b2,d2,f2,h2,a3,e3,g3,d4:Bb6,d6,f6,h6,a7,c7,e7,g7,b8,d8,f8,h8"
    )
    assert game.history == ["c3-d4"]
    assert game.turns_played == 1


def test_hops_and_turns_are_two_ways_to_play_the_same():
    by_turn = shashki.Game(fen=CHAIN)
    assert by_turn.play("c3xg7") == "c3:e5:g7"
    by_hop = shashki.Game(fen=CHAIN)
    [(action, source, target)] = by_hop.hops()
    assert (source, target) == ("c3", "e5")
    by_hop.play_hop(action)
    assert by_hop.side == "white", "a chain keeps the side to move"
    assert by_hop.history == []
    assert by_hop.turns() == ["e5:g7"]
    half = by_hop.copy()
    by_hop.play_hop(np.int16(by_hop.hops()[0][0]))
    half.play("e5:g7")
    assert by_turn == by_hop == half
    assert by_turn.history == by_hop.history == half.history == ["c3:e5:g7"]


def test_masks_list_the_hops_and_vanish_with_the_game(play_random):
    game = shashki.Game()
    for seed in range(30):
        play_random(game, 20, seed)
        mask = game.action_mask()
        assert mask.dtype == np.int8 and mask.shape == (game.num_actions,) == (280,)
        assert np.flatnonzero(mask).tolist() == [action for action, _, _ in game.hops()]
        if game.outcome is not None:
            assert not mask.any() and game.turns() == []
            return
    pytest.fail("a random game lasts less than 600 hops")


def test_observations_are_seen_by_the_mover():
    game = shashki.Game()
    planes = game.observation()
    assert planes.dtype == np.float32
    assert planes.shape == game.observation_shape == (len(game.plane_names), 8, 8)
    assert planes[0].sum() == planes[2].sum() == 12
    assert planes[0, :3].sum() == 12, "own men on the mover's first ranks"
    game.play("c3-d4")
    black = game.observation()
    assert black[0, :3].sum() == 12
    assert not np.shares_memory(planes, game.observation())
    chain = shashki.Game(fen=CHAIN)
    chain.play_hop(chain.hops()[0][0])
    planes = chain.observation()
    assert planes[4].sum() == 1 and planes[4, 4, 4] == 1, "the piece on e5 goes on"
    assert planes[5].sum() == 1 and planes[5, 3, 3] == 1, "d4 is jumped and still stands"


def test_copies_and_pickles_stand_the_same_in_mid_game_and_mid_chain(play_random):
    chain = shashki.Game(fen=CHAIN)
    chain.play_hop(chain.hops()[0][0])
    games = [shashki.Game(), chain, shashki.Game(draws="basic")]
    games += [play_random(shashki.Game(), 10 + 7 * seed, seed) for seed in range(20)]
    for game in games:
        restored = shashki.Game()
        restored.set_state(game.get_state())
        for other in (
            game.copy(),
            copy.copy(game),
            copy.deepcopy(game),
            pickle.loads(pickle.dumps(game)),
            restored,
        ):
            assert other == game and other is not game
            assert other.get_state() == game.get_state()
            assert (other.history, other.draws) == (game.history, game.draws)
            if game.outcome is None:
                before = game.fen()
                play_random(other, 5, 1)
                assert game.fen() == before, "copies are apart"
                assert other == play_random(game.copy(), 5, 1)


def test_games_are_equal_by_position_and_counters():
    game, other = shashki.Game(), shashki.Game()
    assert game == other
    other.play("c3-d4")
    assert game != other
    assert game != "a game"
    with pytest.raises(TypeError):
        hash(game)


def test_a_game_ends_by_offer_by_resignation_and_by_the_rules():
    game = shashki.Game()
    game.offer_draw()
    assert game.offer == "white"
    game.decline_draw()
    assert game.offer is None
    with pytest.raises(ValueError, match="offer"):
        game.accept_draw()
    game.offer_draw()
    game.accept_draw()
    assert game.outcome == shashki.Outcome(None, "agreement")
    with pytest.raises(ValueError, match="over"):
        game.play("c3-d4")
    game = shashki.Game()
    game.resign()
    assert game.outcome == shashki.Outcome("black", "resignation")
    game = shashki.Game()
    game.resign("black")
    assert game.outcome.winner == "white"
    game = shashki.Game(fen="W:Wg7:Bh8")
    game.play("g7-f8")
    assert game.outcome is None
    game = shashki.Game(fen="W:Wa1:Bb2,c3")
    assert game.outcome == shashki.Outcome("black", "no move")


def test_outcomes_are_values():
    outcome = shashki.Outcome("white", "no move")
    assert repr(outcome) == "Outcome(winner='white', reason='no move')"
    assert pickle.loads(pickle.dumps(outcome)) == outcome
    assert {outcome: 1}[shashki.Outcome("white", "no move")] == 1
    assert outcome != shashki.Outcome(None, "no move")
    with pytest.raises(ValueError, match="'green'|\"green\""):
        shashki.Outcome("green", "no move")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: shashki.Game("chess"), ["chess", "russian"]),
        (lambda: shashki.Game(fen="W:Wa2"), ["W:Wa2", "a2"]),
        (lambda: shashki.Game(draws="none"), ["none", "official"]),
        (lambda: shashki.Game().play("a3-a4"), ["a3-a4", "c3-d4"]),
        (lambda: shashki.Game().play("!"), ["!", "c3-d4"]),
        (lambda: shashki.Game().play_hop(-1), ["-1"]),
        (lambda: shashki.Game().play_hop(280), ["280"]),
        (lambda: shashki.Game().play_hop(2**80), [str(2**80), "279"]),
        (lambda: shashki.Game().resign("red"), ["red", "white"]),
        (lambda: shashki.Game().set_state(b""), ["game"]),
        (lambda: shashki.Game().set_state(shashki.Game().get_state() + b"{"), ["game"]),
        (lambda: shashki.Game().svg(0), ["0"]),
        (lambda: shashki.Game().svg(-1), ["size", "-1", "10000"]),
        (lambda: shashki.arena("random", "random", games=2**40), [str(2**40), "1000000"]),
        (lambda: shashki.arena("random", "random", games=10**7), [str(10**7), "1000000"]),
        (lambda: shashki.arena("random", "random", max_turns=2**40), ["max_turns", "4294967295"]),
        (lambda: shashki.load_player("deep blue"), ["deep blue"]),
    ],
)
def test_bad_values_are_named_with_what_was_expected(call, words):
    with pytest.raises(ValueError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_damaged_states_are_refused():
    game = shashki.Game()
    for turn in ("c3-d4", "b6-a5"):
        game.play(turn)
    state = game.get_state()
    rng = np.random.default_rng(1)
    for _ in range(2000):
        damaged = bytearray(state)
        damaged[rng.integers(len(damaged))] ^= 1 << rng.integers(8)
        other = shashki.Game()
        with pytest.raises(ValueError, match="game: its checksum"):
            other.set_state(bytes(damaged))
        assert other == shashki.Game()
    for length in range(len(state) - 1):
        with pytest.raises(ValueError):
            shashki.Game().set_state(state[:length])


def test_the_board_is_drawn():
    game = shashki.Game(fen="W:Wa1,Kc3:Bh2,Kb8")
    rows = str(game).splitlines()
    assert rows[0] == " 8   B   .   .   ."
    assert rows[5] == " 3 .   W   .   .  "
    assert rows[7] == " 1 w   .   .   .  "
    assert rows[8] == "   a b c d e f g h"
    assert repr(game) == "Game('russian', fen='W:Wa1,Kc3:Bh2,Kb8', draws='official')"
    svg = ElementTree.fromstring(game.svg(200))
    assert svg.get("width") == "200"
    assert len([node for node in svg if node.tag.endswith("circle")]) == 4 + 2
    assert game._repr_svg_() == game.svg()


def test_players_choose_legal_turns():
    player = shashki.load_player("random")
    assert player.name == "random" and player.variant == "russian"
    game = shashki.Game()
    player.seed(5)
    chosen = [player.choose(game) for _ in range(20)]
    assert set(chosen) <= set(game.turns()) and len(set(chosen)) > 1
    player.seed(5)
    assert [player.choose(game) for _ in range(20)] == chosen
    thought = player.analyse(game)
    assert thought["best"] in game.turns() and thought["fen"] == game.fen()
    assert thought["lines"][0]["turn"] == thought["best"]
    game.resign()
    with pytest.raises(ValueError, match="over"):
        player.choose(game)


def test_a_match_reports_what_the_command_prints(tmp_path):
    report = shashki.arena("random", "random", games=10, seed=3)
    assert (report["games"], report["variant"], report["a"]) == (10, "russian", "random")
    assert report["wins"] + report["draws"] + report["losses"] == 10
    assert report["score"] == (report["wins"] + report["draws"] / 2) / 10
    again = shashki.arena("random", "random", games=10, seed=3)
    assert again["wins"] == report["wins"]
    for key in ("elo", "elo_low", "elo_high", "los", "seconds", "b", "losses"):
        assert key in report
    with pytest.raises(ValueError, match="even"):
        shashki.arena("random", "random", games=3)
    sprt = shashki.arena("random", "random", games=4, sprt=(0, 50), threads=0)["sprt"]
    assert (sprt["elo0"], sprt["elo1"], sprt["accepted"]) == (0, 50, None)
    with pytest.raises(OSError):
        shashki.arena("random", "random", games=2, openings="no/such/file")
    with pytest.raises(ValueError, match="balanced:PLIES with 0 to 100"):
        shashki.arena("random", "random", games=2, openings="balanced:101")
    with pytest.raises(ValueError, match="no complete set of tables of russian"):
        shashki.arena("random", "random", games=2, tables=tmp_path)
    assert shashki.arena("random", "random", games=4, openings="balanced:4")["games"] == 4
    for text in ("", "c3-c4"):
        (tmp_path / "openings").write_text(text)
        with pytest.raises(OSError, match="openings: (expected|line 1)"):
            shashki.arena("random", "random", games=2, openings=str(tmp_path / "openings"))


def test_other_threads_run_while_a_match_is_played():
    done = threading.Event()
    ticks = 0

    def tick():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    ticker = threading.Thread(target=tick)
    ticker.start()
    before = ticks
    shashki.arena("random", "random", games=4000)
    during = ticks - before
    done.set()
    ticker.join()
    assert during > 3
