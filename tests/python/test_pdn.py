"""Game records from Python."""

import pytest

import shashki


def test_a_game_is_written_and_read_back(tmp_path):
    game = shashki.Game("spantsireti", draws="basic")
    played = [game.play(game.turns()[0]) for _ in range(9)]
    game.resign("white")
    path = tmp_path / "games.pdn"
    path.write_text(
        game.pdn({"White": "Иванов", "Round": 3, "Date": None}) + game.pdn(), encoding="utf-8"
    )
    [first, second] = shashki.read_pdn(path)
    assert (first.number, second.number) == (1, 2)
    assert (first.tags["White"], first.tags["Round"]) == ("Иванов", "3")
    assert list(first.tags)[:3] == ["Event", "Site", "Date"] and first.tags["Date"] == "????.??.??"
    assert (first.variant, first.draws, first.result) == ("spantsireti", "basic", "0-2")
    assert first.turns == played == game.history
    assert first.outcome == shashki.Outcome("black", "resignation")
    assert (first.fault, first.warnings) == (None, [])
    again = shashki.Game(first.variant, first.fen, first.draws)
    for turn in first.turns:
        again.play(turn)
    assert again.fen() == game.fen()


def test_a_game_set_up_is_written_from_its_first_position():
    game = shashki.Game(fen="W:Wc3,h2:Bd4,f6,h8")
    game.play("c3:g7")
    other = shashki.Game()
    other.set_state(game.get_state())
    for text in (game.pdn(), other.pdn()):
        assert '[FEN "W:Wh2,c3:Bd4,f6,h8"]' in text
        assert "1. c3:e5:g7 *" in text


def test_a_broken_game_says_so_and_the_rest_is_read(tmp_path):
    path = tmp_path / "games.pdn"
    path.write_text(
        '1. c3-d4 d6-c5 {good} *\n\n1. c3-d5 2-0\n\n[Variant "chess"]\n\n1. e4 *\n\n1. a3-b4 1-0\n'
    )
    games = list(shashki.read_pdn(path))
    assert [game.fault is None for game in games] == [True, False, False, True]
    assert games[0].comments == [(2, "good")]
    assert "game 2, line 3" in games[1].fault and games[1].turns == []
    assert games[2].variant is None and "chess" in games[2].fault
    assert games[3].result == "2-0"


def test_what_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.pdn"):
        shashki.read_pdn(tmp_path / "none.pdn")
    with pytest.raises(ValueError, match="chess"):
        shashki.read_pdn(__file__, variant="chess")
    for name in ("", "A b", "И", 1):
        with pytest.raises(ValueError, match="tag name"):
            shashki.Game().pdn({name: "x"})
    with pytest.raises(OSError, match="director"):
        list(shashki.read_pdn(tmp_path))
