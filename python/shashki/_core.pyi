"""The compiled module; import ``shashki`` instead."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Literal, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

__all__ = [
    "VARIANTS",
    "Batch",
    "Game",
    "Outcome",
    "PdnGame",
    "PdnReader",
    "Player",
    "VecEnv",
    "__version__",
    "arena",
    "load_player",
    "main",
    "read_pdn",
    "train",
]

VARIANTS: tuple[str, ...]
"""The names of the variants."""

__version__: str

@final
class Outcome:
    """How a game ended.

    Args:
        winner: ``"white"``, ``"black"``, or ``None`` for a draw.
        reason: Why, in the words of the rules.

    Raises:
        ValueError: If the winner is no side.
    """

    def __new__(cls, winner: Literal["white", "black"] | None, reason: str) -> Self: ...
    @property
    def winner(self) -> Literal["white", "black"] | None:
        """The side that won; ``None`` for a draw."""
    @property
    def reason(self) -> str:
        """Why, in the words of the rules: ``"no move"``, ``"repetition"``, …."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __getnewargs__(self) -> tuple[Literal["white", "black"] | None, str]: ...

@final
class Game:
    """A game in play or over.

    People play turns (``game.play("c5:e3:g5")``); learners play hops, a step or one jump of one
    piece, by number (``game.play_hop(action)``). Numbers run from 0 to ``num_actions - 1`` (280 in
    Russian draughts) and are the mover's: for Black the board is turned. A longer capture is
    several hops, during which ``side`` stays the same.

    ``observation()`` shows the game to the side to move, row 0 being its first rank. The planes
    (``plane_names``) of Russian draughts: own men, own kings, the other's men, the other's kings,
    the piece that must go on jumping, the pieces jumped in this chain and still standing, plies
    over limit of the nearest draw (in sixteenths), earlier occurrences of the position over 2.

    Games can be copied, compared and pickled, in mid chain too. Two games are equal if their
    positions and draw counters are; the turns that led there do not matter.

    Args:
        variant: What is played, one of ``VARIANTS``.
        fen: The first position, ``"W:Wa1,Kc3:Bb8"``; the variant's start unless given.
        draws: The draw rules: ``"official"``, ``"basic"``, ``"lidraughts"`` or ``"russian"``.

    Raises:
        ValueError: If a name is unknown or the position cannot be read.
    """

    def __new__(
        cls, variant: str = "russian", fen: str | None = None, draws: str = "official"
    ) -> Self: ...
    @property
    def variant(self) -> str:
        """The variant's name."""
    @property
    def draws(self) -> str:
        """The name of the draw rules in force."""
    @property
    def side(self) -> Literal["white", "black"]:
        """Who moves. Within a chain of jumps it stays the same side."""
    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; ``None`` while it goes on."""
    @property
    def offer(self) -> Literal["white", "black"] | None:
        """The side whose draw offer is open."""
    @property
    def history(self) -> list[str]:
        """The whole turns played, in full notation."""
    @property
    def turns_played(self) -> int:
        """How many whole turns both sides have played."""
    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape of an observation: channels, height, width."""
    @property
    def num_actions(self) -> int:
        """Hop numbers run from 0 to this less 1."""
    @property
    def plane_names(self) -> list[str]:
        """What each channel of an observation shows."""
    def turns(self) -> list[str]:
        """The legal turns in full notation, sorted; in a chain its continuations."""
    def play(self, turn: str) -> str:
        """Play a turn, in full or short form, and return it in full.

        Raises:
            ValueError: If it is unreadable, illegal or fits several turns, or the game is over.
        """
    def hops(self) -> list[tuple[int, str, str]]:
        """The legal hops as (action, from, to), sorted by action; none when the game is over."""
    def play_hop(self, action: SupportsIndex) -> None:
        """Play the hop of a number.

        Raises:
            ValueError: If it is illegal, or the game is over.
        """
    def fen(self) -> str:
        """The position as text. Draw counters are not in it; ``get_state`` keeps them."""
    def offer_draw(self) -> None:
        """Offer a draw in the name of the side to move.

        It stands until the other side answers or plays.

        Raises:
            ValueError: If the game is over.
        """
    def accept_draw(self) -> None:
        """Accept the open offer: the game is drawn.

        Raises:
            ValueError: If no offer is open.
        """
    def decline_draw(self) -> None:
        """Decline the open offer.

        Raises:
            ValueError: If no offer is open.
        """
    def resign(self, side: Literal["white", "black"] | None = None) -> None:
        """Give up, in the name of the side to move unless another is given.

        Raises:
            ValueError: If the game is over.
        """
    def action_mask(self) -> npt.NDArray[np.int8]:
        """1 for each legal hop, ``[actions]``; all zero when the game is over."""
    def observation(self) -> npt.NDArray[np.float32]:
        """The position as planes ``[channels, height, width]``, seen by the side to move."""
    def get_state(self) -> bytes:
        """The whole game as bytes: position, draw counters, earlier positions, turns, outcome."""
    def set_state(self, state: bytes) -> None:
        """Restore what ``get_state`` returned.

        Raises:
            ValueError: If the bytes are damaged or of another variant; then nothing has changed.
        """
    def pdn(self, tags: Mapping[str, object] | None = None) -> str:
        """The whole turns played as a PDN text, to be written behind others, in UTF-8.

        Args:
            tags: Further tags, ``{"White": "Ivanov", "Round": 3}``; those that follow from the game
                (Result, FEN, GameType, …) are written anyway.

        Raises:
            ValueError: If the name of a tag is none.
        """
    def copy(self) -> Game:
        """A game apart that stands the same."""
    def pieces(self) -> dict[str, str]:
        """The pieces by square: ``{"c3": "w", "d4": "Wbb"}``.

        ``w`` and ``b`` are men, ``W`` and ``B`` kings; of a tower the top comes first.
        """
    def svg(
        self,
        size: int = 360,
        *,
        below: Literal["white", "black"] = "white",
        last_turn: bool = True,
        arrows: Sequence[str] = ...,
    ) -> str:
        """The board as an SVG picture; notebooks show it by themselves.

        Args:
            size: Its width in pixels.
            below: The side at the bottom.
            last_turn: Whether to mark the squares of the turn that led here.
            arrows: Turns in full notation to point at, the best first: the later the fainter.
                None unless given.

        Raises:
            ValueError: If the size is not 1 to 10,000, or a side or turn cannot be read.
        """
    def _repr_svg_(self) -> str: ...
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, _memo: dict[int, Any], /) -> Game: ...
    def __getnewargs__(self) -> tuple[str]: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, state: bytes, /) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]

@final
class Batch:
    """What a step of ``n`` games answers. Sides are 0 for White, 1 for Black, -1 for none."""

    # ``Any`` spares the many who have their observations as they come a look at what they are.
    @property
    def observation(self) -> npt.NDArray[np.float32] | Any:
        """``[n, channels, height, width]``, each game seen by its side to move.

        ``None`` where the environment writes no observations.
        """
    @property
    def action_mask(self) -> npt.NDArray[np.int8] | Any:
        """``[n, actions]``, 1 or ``True`` for each legal hop."""
    @property
    def side(self) -> npt.NDArray[np.int8]:
        """``[n]``, who moves."""
    @property
    def agent(self) -> npt.NDArray[np.int8]:
        """``[n]``, the caller's side in the game the step was played in; -1 in self-play."""
    @property
    def reward(self) -> npt.NDArray[np.float32]:
        """``[n, 2]``, White's and Black's: 0 until a game ends, then +1, 0 or -1."""
    @property
    def terminated(self) -> npt.NDArray[np.bool_]:
        """``[n]``, whether a game ended by the rules."""
    @property
    def truncated(self) -> npt.NDArray[np.bool_]:
        """``[n]``, whether a game was cut off at ``max_turns``."""
    @property
    def final_observation(self) -> npt.NDArray[np.float32] | Any:
        """``[n, channels, height, width]``, the last position of each game that ended.

        Other rows are stale. ``None`` where the environment writes no observations.
        """
    @property
    def final_side(self) -> npt.NDArray[np.int8]:
        """``[n]``, who was to move when a game ended; -1 where none ended."""
    @property
    def outcome(self) -> list[Outcome | None]:
        """How each game ended; ``None`` where none ended."""
    def __len__(self, /) -> int: ...

@final
class VecEnv:
    """Many games stepped in one call, each begun anew within the step that ends it.

    ``batch = venv.reset()``, then ``batch = venv.step(actions)`` with one hop's number a game;
    ``venv.random_actions()`` draws legal ones. Actions and observations are those of ``Game``.

    Without an opponent the caller plays both sides: ``batch.side`` says whose hop is due. With one,
    the caller sees only positions in which its own side moves: the opponent's whole reply, and its
    first turn where it has White, happen inside the call.

    Rewards are 0 until a game ends, then +1, 0 or -1, for White and for Black. A draw by rule is
    ``terminated``; ``truncated`` comes only of ``max_turns``. When a game ends, observation, mask
    and side are of the new one; ``final_observation``, ``final_side``, ``outcome`` and the reward
    are of the one that ended.

    If one action of a batch is illegal, ``step`` raises ``ValueError`` and nothing moves.

    The arrays of a batch are written again by the next call, unless ``copy`` is set.

    Args:
        variant: What is played, one of ``VARIANTS``.
        num_envs: How many games, 1 unless given.
        seed: Same seed, options and actions, same games; drawn by lot unless given.
        opponent: A player's text, or a callable ``f(game) -> action`` that is asked until its
            turn is over. Each thread has a player of its own; a callable is asked on one
            thread only.
        draws: The draw rules: ``"official"``, ``"basic"``, ``"lidraughts"`` or ``"russian"``.
        max_turns: Turns of both sides after which a game is truncated, at least 2.
        copy: Whether each call returns arrays of its own.
        threads: One a core unless given. Small batches stay on the calling thread.
        side: The caller's side against an opponent. ``"alternate"`` begins with White in games
            0, 2, 4, …, with Black in the others, and changes with each game.
        observation: Whether to write observations. Without them ``batch.observation`` and
            ``batch.final_observation`` are ``None``, and a step is several times as fast.
        observation_dtype: ``"float32"``, from 0 to 1; or ``"uint8"``, a quarter of the memory, from
            0 to 16: exactly sixteen times as much, in scalar planes too.
        mask_dtype: ``"int8"``, as Gymnasium's ``Discrete.sample`` wants it, or ``"bool"``.

    Raises:
        ValueError: If a value is unknown or out of range.
    """

    def __new__(
        cls,
        variant: str = "russian",
        num_envs: SupportsIndex | None = None,
        seed: SupportsIndex | None = None,
        opponent: str | Callable[[Game], SupportsIndex] | None = None,
        draws: str = "official",
        max_turns: SupportsIndex | None = None,
        copy: bool = False,
        threads: SupportsIndex | None = None,
        side: Literal["white", "black", "alternate", "random"] = "alternate",
        *,
        observation: bool = True,
        observation_dtype: Literal["float32", "uint8"] = "float32",
        mask_dtype: Literal["int8", "bool"] = "int8",
    ) -> Self: ...
    @property
    def variant(self) -> str:
        """The variant's name."""
    @property
    def num_envs(self) -> int:
        """How many games there are."""
    @property
    def threads(self) -> int:
        """How many threads play them."""
    @property
    def side(self) -> Literal["white", "black", "alternate", "random"]:
        """The caller's side against an opponent."""
    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape of one observation: channels, height, width."""
    @property
    def num_actions(self) -> int:
        """Hop numbers run from 0 to this less 1."""
    @property
    def plane_names(self) -> list[str]:
        """What each channel of an observation shows."""
    def reset(self, seed: SupportsIndex | None = None) -> Batch:
        """Begin every game anew, from a new seed if one is given."""
    def step(self, actions: npt.ArrayLike) -> Batch:
        """Play one hop in each game, and the opponent's reply.

        Args:
            actions: ``[n]`` whole numbers of any width.

        Raises:
            ValueError: If an action is illegal (then nothing moves), or the array has a wrong shape
                or dtype.
            RuntimeError: If the games have not been reset.
        """
    def random_actions(self) -> npt.NDArray[np.int64]:
        """A legal hop of each game, drawn by lot: ``[n]``."""
    def game(self, index: SupportsIndex) -> Game:
        """A copy of one game.

        Raises:
            ValueError: If there is no such game.
        """
    def get_state(self) -> bytes:
        """All games and their chance as bytes; what an opponent has thought is not among them."""
    def set_state(self, state: bytes) -> Batch:
        """Restore what ``get_state`` of an environment with as many games returned.

        Raises:
            ValueError: If the bytes are damaged or do not fit; then nothing has changed.
        """
    def __len__(self, /) -> int: ...

@final
class Player:
    """Chooses turns."""

    @property
    def name(self) -> str:
        """Its text."""
    @property
    def variant(self) -> str:
        """What it plays."""
    def choose(self, game: Game) -> str:
        """The turn it would play, in full notation; in a chain the rest of it.

        Raises:
            ValueError: If the game is over or of another variant.
        """
    def analyse(self, game: Game) -> dict[str, Any]:
        """What it thinks, as the command ``analyse`` says it: fen, best, value, lines.

        Raises:
            ValueError: If the game is over or of another variant.
        """
    def new_game(self) -> None:
        """Forget the game before."""
    def seed(self, seed: SupportsIndex) -> None:
        """Seed its chance."""

def load_player(text: str, variant: str = "russian") -> Player:
    """Make the player that a text names: ``"random"``, ``"alphabeta:depth=4"``, ….

    Raises:
        ValueError: If the text makes no sense, or a model does not fit.
        OSError: If a file cannot be read.
    """

def arena(
    a: str,
    b: str,
    variant: str = "russian",
    games: SupportsIndex | None = None,
    *,
    openings: str = "random:4",
    draws: str = "official",
    max_turns: SupportsIndex | None = None,
    clock: str | None = None,
    sprt: tuple[float, float] | None = None,
    tables: str | PathLike[str] | None = None,
    threads: SupportsIndex | None = None,
    seed: SupportsIndex | None = None,
) -> dict[str, Any]:
    """Play a match and return what the command ``arena --json`` prints, seen from ``a``'s side.

    Args:
        a: The first player's text.
        b: The second player's.
        variant: What is played.
        games: An even number, 100 unless given: each opening is played twice, colours swapped.
        openings: ``"random:PLIES"``, ``"balanced:PLIES"`` (of random ones those that a search
            of six turns calls even), or a file with an opening a line or of games (PDN).
        draws: The draw rules.
        max_turns: A longer game is a draw.
        clock: ``"blitz"``, ``"rapid"``, ``"classic"`` or ``"SECONDS+INCREMENT"``.
        sprt: ``(elo0, elo1)`` ends the match as soon as this test decides.
        tables: A folder of endgame tables: a game ends where they are certain of its end.
        threads: 0, and nothing given, is one a core.
        seed: Same seed, same match, as long as nobody thinks by time.

    Raises:
        ValueError: If a text or number makes no sense, or tables are missing or damaged.
        OSError: If a file cannot be read.
    """

@final
class PdnGame:
    """One game of a PDN file, as ``read_pdn`` finds it.

    ``Game(game.variant, game.fen, game.draws)`` is its first position, from where its ``turns`` can
    be played, as far as no draw rule ends the game before: people have played by other rules, and
    then ``warnings`` says so.
    """

    @property
    def number(self) -> int:
        """Its number in the file, from 1."""
    @property
    def line(self) -> int:
        """The line it begins on, from 1."""
    @property
    def tags(self) -> dict[str, str]:
        """Its tags in the order they are written: ``{"White": "Ivanov", …}``."""
    @property
    def variant(self) -> str | None:
        """What is played; ``None`` where the tags name no game that is known here."""
    @property
    def fen(self) -> str | None:
        """The first position."""
    @property
    def draws(self) -> str:
        """The name of its draw rules."""
    @property
    def turns(self) -> list[str]:
        """The turns of the main line in full notation; none of a broken game."""
    @property
    def comments(self) -> list[tuple[int, str]]:
        """Remarks: the number of turns played before each, and its text."""
    @property
    def result(self) -> str:
        """``"2-0"``, ``"1-1"``, ``"0-2"``, ``"*"``, or the points of two games that are summed."""
    @property
    def outcome(self) -> Outcome | None:
        """How it ended; ``None`` for an unfinished or broken game."""
    @property
    def fault(self) -> str | None:
        """What is wrong with it, by game and line; ``None`` for a good one."""
    @property
    def warnings(self) -> list[str]:
        """What is odd about it but no fault."""

@final
class PdnReader:
    """The games of a file, one after the other."""

    def __iter__(self) -> PdnReader: ...
    def __next__(self) -> PdnGame: ...

def read_pdn(path: str | PathLike[str], variant: str = "russian") -> PdnReader:
    """Read a PDN file game by game, whatever its size.

    A broken game says so in its ``fault``; those behind it are read all the same.

    Args:
        path: The file, in UTF-8 or Windows-1251.
        variant: What games play that name no variant.

    Returns:
        An iterator over ``PdnGame``.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If there is no such variant.
    """

def train(
    config: str | PathLike[str] | None = None,
    *,
    set: Sequence[str] | None = None,
    run: str | PathLike[str] | None = None,
    init: str | PathLike[str] | None = None,
    resume: str | PathLike[str] | None = None,
    from_pdn: str | PathLike[str] | None = None,
) -> None:
    """Train as the command ``train`` does; only in builds with the feature ``torch``.

    Args:
        config: The file of knobs.
        set: Knobs that differ from it, ``"learner.batch_size=512"``.
        run: The run folder.
        init: A model to begin from.
        resume: A run folder to go on with, instead of a config.
        from_pdn: A PDN file whose positions are the first samples: what was played, and who won.

    Raises:
        RuntimeError: If this build has no trainer, or training failed.
    """

def main(argv: Sequence[str]) -> int:
    """Run the command line, the program's name first, and return its exit status."""
