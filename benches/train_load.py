"""Trains for some minutes and tells how busy the cores were kept and how much memory it took.

    python benches/train_load.py configs/russian.toml --minutes 5 --shashki target/release/shashki

Both figures are the system's own account of the process: its processor time over the cores it may
use, and the most memory it ever held.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time


def main() -> None:
    """Reads the command line, trains, prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("config", help="what to train")
    parser.add_argument("--shashki", default="shashki", help="the command, of a build with torch")
    parser.add_argument("--minutes", type=float, default=5.0, help="self-play and learning")
    parser.add_argument("--json", action="store_true", help="one object")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        changes = [f"run.minutes={args.minutes}", "arena.every=0", "arena.final_games=0"]
        command = [args.shashki, "train", args.config, "--run", os.path.join(folder, "run")]
        for change in changes:
            command += ["--set", change]
        start = time.perf_counter()
        status = subprocess.run(command, stdout=sys.stderr, check=False).returncode
        seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(status)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    busy = (used.ru_utime + used.ru_stime) / seconds / cores
    # Kilobytes, but bytes on macOS.
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 2**30
    if args.json:
        print(json.dumps({"cores": cores, "busy": busy, "peak_gib": peak, "seconds": seconds}))
    else:
        print(f"{cores} cores {100 * busy:.1f}% busy, at most {peak:.2f} GiB, {seconds:.0f} s")


if __name__ == "__main__":
    main()
