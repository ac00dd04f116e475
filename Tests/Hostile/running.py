"""Runs a command, or a browser on a pseudo-terminal, within limits, and reports its resource use."""

import fcntl
import os
import pty
import resource
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
from dataclasses import dataclass

# The memory limit of programs, so that a fault doesn't bring down the machine.
ADDRESS_SPACE = 24 << 30
# Commands that run this long are assumed to hang.
HANG_SECONDS = 20


@dataclass
class Outcome:
    """The outcome of one run. `status` is the exit code, or minus the signal that ended it."""

    words: list
    status: int
    output: bytes
    errors: bytes
    processor_seconds: float
    megabytes: float
    hung: bool = False

    @property
    def text(self):
        return self.output.decode("utf-8", "replace")


def environment(scratch):
    """The environment of a run that writes only under `scratch`."""
    return {
        "PATH": os.environ["PATH"], "HOME": scratch, "XDG_STATE_HOME": scratch + "/state",
        "XDG_CONFIG_HOME": scratch + "/config", "XDG_CACHE_HOME": scratch + "/cache",
        "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC",
        "TMPDIR": scratch}


def _limit():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A shell's background jobs ignore the signal and would pass that on.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _wait(pid, deadline):
    """Waits for a process until the deadline, then kills it."""
    pause, hung = 0.002, False
    while True:
        found, status, usage = os.wait4(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status), usage, hung
        if time.monotonic() > deadline and not hung:
            os.kill(pid, signal.SIGKILL)
            hung = True
        time.sleep(pause)
        pause = min(0.02, pause * 1.5)


def run(words, environment, interrupt_after=None):
    """Runs a command; with `interrupt_after`, interrupts it that many seconds after its first line."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=environment,
            preexec_fn=_limit, start_new_session=True)
        begun = time.monotonic()
        if interrupt_after is not None:
            while (os.fstat(output.fileno()).st_size == 0
                   and time.monotonic() - begun < HANG_SECONDS / 2
                   and os.waitid(os.P_PID, process.pid,
                                 os.WEXITED | os.WNOHANG | os.WNOWAIT) is None):
                time.sleep(0.02)
            time.sleep(interrupt_after)
            process.send_signal(signal.SIGINT)
        status, usage, hung = _wait(process.pid, begun + HANG_SECONDS)
        process.returncode = status
        output.seek(0)
        errors.seek(0)
        return Outcome(
            words, status, output.read(64 << 20), errors.read(1 << 20),
            usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, hung)


def browse(words, environment, keys, rows=24, columns=80):
    """Opens a browser on a terminal, presses `keys` one by one, and waits for its end."""
    pid, master = pty.fork()
    if pid == 0:
        try:
            _limit()
            os.execve(words[0], words, environment)
        finally:
            os._exit(127)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    begun = time.monotonic()
    output = bytearray()

    def listen(seconds, quiet):
        """Reads until there was no output for `quiet` seconds or the program ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([master], [], [], quiet)
            if not ready:
                if output:
                    return True
                continue
            try:
                piece = os.read(master, 65536)
            except OSError:
                return False
            if not piece:
                return False
            output.extend(piece)
        return True

    alive = listen(HANG_SECONDS / 2, 0.25)
    for key in keys:
        if not alive:
            break
        try:
            os.write(master, key)
        except OSError:
            break
        alive = listen(3, 0.03)
    while alive and time.monotonic() - begun < HANG_SECONDS:
        alive = listen(0.5, 0.1) and os.waitid(
            os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    status, usage, hung = _wait(pid, begun + HANG_SECONDS)
    os.close(master)
    return Outcome(
        words, status, bytes(output), b"", usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024, hung)
