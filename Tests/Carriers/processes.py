"""Starts the carriers' programs, each in a separate process group, and ends the whole group."""

import os
import signal
import socket
import subprocess
import time


def free_port():
    """Returns a free port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds, pause=0.2):
    """Returns whether `condition` became true within `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


def listens(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Group:
    """A program that runs in the background; its output goes to a file."""

    # The programs that are still running.
    live = set()

    def __init__(self, words, environment, log, output=None):
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=output or errors, stderr=errors,
                env=environment, start_new_session=True)
        Group.live.add(self)

    @property
    def runs(self):
        return self.process.poll() is None

    def end(self, how=signal.SIGTERM, patience=10):
        """Ends the group, including processes that the program started."""
        for number in [how, signal.SIGKILL]:
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                continue
        self.process.wait()
        Group.live.discard(self)
        return self.process.returncode

    @classmethod
    def kill_all(cls):
        """Ends all groups, for an interrupted run."""
        for group in list(cls.live):
            try:
                os.killpg(group.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def run(words, environment, log, patience=120):
    """Runs a program and returns its exit code. A program that hangs is killed: -9."""
    group = Group(words, environment, log)
    try:
        return group.process.wait(patience)
    except subprocess.TimeoutExpired:
        return -9
    finally:
        group.end(signal.SIGKILL)
