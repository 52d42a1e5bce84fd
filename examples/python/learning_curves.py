"""Print the learning curves of runs as tables: the scores against each opponent as the run went on.

Example: python examples/python/learning_curves.py runs/bashni runs/vigman
"""

import json
import sys
from pathlib import Path
from typing import Any


def measured(run: Path) -> list[dict[str, Any]]:
    """The rounds of a run after which matches were played."""
    with (run / "metrics.jsonl").open(encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["elo"]]


def table(run: Path) -> str:
    """A table in Markdown: a row a measurement, and the closing matches with their intervals."""
    rows = measured(run)
    opponents = sorted(rows[0]["elo"], key=lambda name: (name != "random", name))
    names = [name.replace("alphabeta:eval=basic,", "") for name in opponents]
    lines = [
        f"| minutes | positions | {' | '.join(names)} |",
        f"|---|---|{'---|' * len(names)}",
    ]
    for row in rows:
        scores = " | ".join(f"{row['elo'][name]['score']:.3f}" for name in opponents)
        lines.append(f"| {row['seconds'] / 60:.1f} | {row['samples']:,} | {scores} |")
    final = run / "final.json"
    if final.is_file():
        closing = json.loads(final.read_text(encoding="utf-8"))["final"]
        trained = [closing[name] for name in opponents]
        start = [row.get("start") for row in trained]
        for label, shown in (("**best, closing matches**", trained), ("at the start", start)):
            if all(shown):
                scores = " | ".join(
                    f"{one['score']:.3f} [{one['score_low']:.3f}, {one['score_high']:.3f}]"
                    for one in shown
                )
                lines.append(f"| {label} | | {scores} |")
    return "\n".join(lines)


def main() -> None:
    """Print a table for each run named on the command line."""
    if len(sys.argv) < 2:
        sys.exit("learning_curves.py: name one run folder or more")
    for run in map(Path, sys.argv[1:]):
        print(f"\n`{run.name}`\n\n{table(run)}")


if __name__ == "__main__":
    main()
