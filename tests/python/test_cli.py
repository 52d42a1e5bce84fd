"""The console script and the doors to commands."""

import json
import subprocess
import sys

import pytest

import shashki


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shashki", *arguments], capture_output=True, text=True, check=False
    )


def test_the_script_is_the_command_line():
    done = run("perft", "--variant", "russian", "--depth", "3", "--json")
    assert done.returncode == 0, done.stderr
    assert '"nodes":302' in done.stdout.replace(" ", "")


def test_a_match_tells_python_what_it_tells_the_command_line():
    done = run("arena", "random", "random", "--games", "4", "--json")
    printed, returned = json.loads(done.stdout), shashki.arena("random", "random", games=4)
    for timed in ("seconds", "mean_turn_seconds"):
        assert printed.pop(timed) is not None and returned.pop(timed) is not None
    assert printed == returned


def test_what_the_command_line_cannot_mean_ends_with_status_2():
    done = run("perft", "--variant", "chess", "--depth", "3")
    assert done.returncode == 2
    assert "chess" in done.stderr and "Traceback" not in done.stderr


def test_a_build_without_a_trainer_says_so():
    try:
        shashki.train("no/such/file.toml")
    except RuntimeError as error:
        assert "torch" in str(error)
    except OSError as error:
        assert "no/such/file.toml" in str(error)
    else:
        pytest.fail("a file that is not there trains nothing")


def test_knobs_are_a_list():
    with pytest.raises(TypeError, match="set 'run.seed=1': expected a list"):
        shashki.train("configs/smoke.toml", set="run.seed=1")
