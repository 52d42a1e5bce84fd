"""Makes SimpleEngine of py-draughts (`pip install py-draughts`) an engine that speaks Hub.

It plays Russian draughts through the package's own interface: iterative deepening until the time of
the turn is over, or to a fixed depth. Any program that speaks Hub can play it, ours by

    shashki arena alphabeta:time=0.1 "hub:time=0.1,cmd=python examples/py_draughts_engine.py"

SimpleEngine looks at its clock once in 2048 nodes, so it takes more than its time, not less.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import version

import draughts
from draughts.boards.russian import Board

# Deeper than any search that is stopped by time.
NO_LIMIT = 60
DEFAULT_TIME = 1.0


def arguments(line: str) -> dict[str, str]:
    """The names of a line and their values, which may stand in quotes."""
    found = re.findall(r'([^\s="]+)(?:=(?:"([^"]*)"|(\S*)))?', line)
    return {name: quoted or plain for name, quoted, plain in found}


def text_of_move(move: draughts.Move) -> str:
    """Start and end, or start, end and captured squares; numbered from 1 = b8."""
    ends = [move.square_list[0] + 1, move.square_list[-1] + 1]
    captured = [square + 1 for square in move.captured_list]
    return ("x" if captured else "-").join(str(square) for square in ends + captured)


def same(text: str, move: draughts.Move) -> bool:
    """Whether a text names this move; its captured squares may stand in any order."""
    mine, theirs = text_of_move(move), text
    if ("x" in mine) != ("x" in theirs):
        return False
    mine_parts, their_parts = re.split("[-x]", mine), re.split("[-x]", theirs)
    return mine_parts[:2] == their_parts[:2] and sorted(mine_parts[2:]) == sorted(their_parts[2:])


def board_of(position: str, moves: str) -> Board:
    """The board after moves from a position, which is the side and a letter a square."""
    if not re.fullmatch("[WB][wbWBe]{32}", position):
        raise ValueError(f"pos {position}: expected W or B and 32 of w, b, W, B, e")
    sides: dict[str, list[str]] = {"w": [], "b": []}
    for number, letter in enumerate(position[1:], start=1):
        if letter != "e":
            sides[letter.lower()].append(("K" if letter.isupper() else "") + str(number))
    board = Board.from_fen(f"{position[0]}:W{','.join(sides['w'])}:B{','.join(sides['b'])}")
    for text in moves.split():
        fitting = [move for move in board.legal_moves if same(text, move)]
        if not fitting:
            raise ValueError(f"move {text}: not legal")
        board.push(fitting[0])
    return board


def time_of_turn(level: dict[str, str]) -> float | None:
    """Seconds to think; None where only depth counts."""
    if "move-time" in level:
        return float(level["move-time"])
    if "time" in level:
        left, increment = float(level["time"]), float(level.get("inc", 0))
        return min(left / min(20.0, float(level.get("moves", 20))) + 0.8 * increment, 0.9 * left)
    return None if "depth" in level else DEFAULT_TIME


class Engine:
    """One conversation."""

    def __init__(self) -> None:
        """Waits for a position."""
        self.engine = draughts.SimpleEngine()
        self.board: Board | None = None
        self.level: dict[str, str] = {}

    def think(self) -> str:
        """The answer to `go`."""
        if self.board is None:
            raise ValueError("no position: expected pos before go")
        # The engine reads both at each search.
        self.engine.time_limit = time_of_turn(self.level)
        self.engine.depth_limit = int(self.level.get("depth", NO_LIMIT))
        if not any(self.board.legal_moves):
            raise ValueError("the game is over")
        return f"done move={text_of_move(self.engine.get_best_move(self.board))}"

    def answer(self, line: str) -> str | None:
        """What to say to a line; nothing to those that nobody understands."""
        words = line.split(maxsplit=1)
        word, rest = (words + ["", ""])[:2]
        given = arguments(rest)
        if word == "hub":
            return (
                f'id name="py-draughts SimpleEngine" version={version("py-draughts")}'
                ' author="Michal Skibinski" country=Poland\n'
                "param name=variant value=russian type=enum values=russian\nwait"
            )
        if word == "init":
            return "ready"
        if word == "ping":
            return "pong"
        if word == "new-game":
            self.engine = draughts.SimpleEngine()
        elif word == "pos":
            self.board = None
            self.board = board_of(given.get("pos", ""), given.get("moves", ""))
        elif word == "level":
            self.level = given
        elif word == "go":
            return self.think()
        return None


def main() -> None:
    """Answers line by line until the other program leaves. A `stop` is heard after the search."""
    engine = Engine()
    for line in sys.stdin:
        if line.strip() == "quit":
            return
        try:
            answer = engine.answer(line)
        except ValueError as error:
            answer = f'error message="{str(error).replace(chr(34), chr(39))}"'
        if answer is not None:
            print(answer, flush=True)


if __name__ == "__main__":
    main()
