"""The console script ``shashki``: the same command line as the Rust binary's."""

import signal
import sys

from shashki import _core


def main() -> None:
    """Run the command line and leave with its exit status."""
    # Python's own handler would only note Ctrl-C until the command returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_core.main(["shashki", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
