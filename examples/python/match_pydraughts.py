"""Plays our classic engine against SimpleEngine of py-draughts (`pip install py-draughts`).

Both look equally many turns ahead. Every opening of a few random turns is played twice with colours
swapped, by the draw rules of shashki; the score is (wins + draws/2)/games of our engine, with a 95%
interval over the pairs of games.

    python examples/python/match_pydraughts.py --games 100 --depth 4
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys

import draughts
from draughts.boards.russian import Board

import shashki


def square_numbers(text: str) -> list[int]:
    """The squares of a turn in full notation, numbered from 0 (b8), row by row."""
    return [Board.SQUARE_NAMES.index(square) for square in text.replace(":", "-").split("-")]


def position(board: Board) -> tuple[str, frozenset[str], frozenset[str]]:
    """Whose turn it is and each side's pieces in algebraic squares, K before a king."""
    sides: dict[int, set[str]] = {-1: set(), 1: set()}
    for square, piece in zip(Board.SQUARE_NAMES, board.position, strict=True):
        if piece:
            sides[1 if piece > 0 else -1].add(("K" if abs(piece) == 2 else "") + square)
    turn = "W" if board.turn == draughts.Color.WHITE else "B"
    return turn, frozenset(sides[-1]), frozenset(sides[1])


def position_of_fen(fen: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """The same of a position text like `W:Wc3,Kd4:Bb8`."""
    turn, white, black = fen.split(":")
    return turn, *(frozenset(filter(None, side[1:].split(","))) for side in (white, black))


def follow(board: Board, game: shashki.Game, text: str) -> None:
    """Plays a turn in our game and on the board of py-draughts, whichever way it writes it."""
    squares = square_numbers(text)
    game.play(text)
    wanted = position_of_fen(game.fen())
    for move in board.legal_moves:
        if move.square_list[0] == squares[0] and move.square_list[-1] == squares[-1]:
            board.push(move)
            if position(board) == wanted:
                return
            board.pop()
    sys.exit(f"py-draughts does not know the turn {text}, which led to {game.fen()}")


def text_of_move(move: draughts.Move) -> str:
    """A move of py-draughts in full notation."""
    mark = ":" if move.captured_list else "-"
    return mark.join(Board.SQUARE_NAMES[square] for square in move.square_list)


def random_opening(rng: random.Random, turns: int) -> list[str]:
    """Random turns from the start position."""
    game = shashki.Game("russian")
    played = []
    for _ in range(turns):
        played.append(rng.choice(game.turns()))
        game.play(played[-1])
    return played


def play(opening: list[str], ours: str, depth: int) -> float:
    """Our points of one game in which we play the side `ours`."""
    game, board = shashki.Game("russian"), Board()
    player = shashki.load_player(f"alphabeta:eval=basic,depth={depth}")
    simple = draughts.SimpleEngine(depth_limit=depth)
    for text in opening:
        follow(board, game, text)
    while game.outcome is None:
        if game.side == ours:
            text = player.choose(game)
        else:
            text = text_of_move(simple.get_best_move(board))
        follow(board, game, text)
    winner = game.outcome.winner
    return 0.5 if winner is None else float(winner == ours)


def main() -> None:
    """Plays the match and prints its result."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--games", type=int, default=100, help="an even number (default 100)")
    parser.add_argument("--depth", type=int, default=4, help="turns looked ahead (default 4)")
    parser.add_argument("--opening", type=int, default=4, help="random turns first (default 4)")
    parser.add_argument("--seed", type=int, default=1, help="of the openings (default 1)")
    args = parser.parse_args()
    if args.games < 2 or args.games % 2:
        parser.error(f"--games {args.games}: expected an even number, at least 2")
    rng = random.Random(args.seed)
    points: list[float] = []
    for _ in range(args.games // 2):
        opening = random_opening(rng, args.opening)
        points += [play(opening, ours, args.depth) for ours in ("white", "black")]
        so_far = f"\r{len(points)} of {args.games} games, {sum(points)} points"
        print(so_far, end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    won, drawn, lost = (points.count(value) for value in (1.0, 0.5, 0.0))
    pairs = [(first + second) / 2 for first, second in zip(points[::2], points[1::2], strict=True)]
    score = statistics.fmean(pairs)
    # Two games from one opening are not independent, pairs are.
    margin = 1.96 * statistics.stdev(pairs) / math.sqrt(len(pairs)) if len(pairs) > 1 else 1.0
    low, high = max(0.0, score - margin), min(1.0, score + margin)
    print(f"alphabeta:eval=basic against py-draughts' SimpleEngine, both at depth {args.depth}:")
    print(f"W {won}  D {drawn}  L {lost}  score {score:.3f}, 95% interval {low:.3f} to {high:.3f}")


if __name__ == "__main__":
    main()
