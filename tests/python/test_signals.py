"""Ctrl-C while the crate works."""

import _thread
import threading

import pytest

import shashki


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_is_heard_between_the_turns_of_the_opponents(threads):
    venv = shashki.VecEnv(
        num_envs=400, opponent="alphabeta:time=0.05", side="black", threads=threads
    )
    timer = threading.Timer(0.2, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        venv.reset()
    # Not all opponents have played.
    with pytest.raises(RuntimeError, match="reset"):
        venv.random_actions()
