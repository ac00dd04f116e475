"""The common part of all carriers: programs that keep two folders in sync while both are written to."""

import os
import shutil
import threading
import time

import processes


class Carrier:
    """A carrier between the two sides. The folders exist and are empty at the start."""

    name = ""
    # The programs it needs.
    programs = []
    # Whether deletions are carried to the other side; if not, files are deleted on both sides.
    carries_deletions = True
    # Whether a file has the same modification time, in microseconds, on both sides.
    carries_times = True
    # Whether it can miss a write made during a run until the file changes again.
    overlooks = False
    # Whether it leaves a conflict copy next to a file that both sides changed; otherwise in `kept`.
    leaves_copies = False
    # Regular expressions for the names of files that it creates in the folders.
    names = []
    # Patterns for the devices that write on each side, for carriers that need them.
    owned = [[], []]
    # The locks held by the writers of each side.
    quiet = []

    def __init__(self, home, sides, environment):
        self.home = home
        self.sides = sides
        self.environment = dict(environment, HOME=home, XDG_CONFIG_HOME=home + "/config",
                                XDG_CACHE_HOME=home + "/cache", XDG_STATE_HOME=home + "/state")
        self.log = home + "/log"
        self.faults = []
        os.makedirs(home, exist_ok=True)

    @classmethod
    def missing(cls):
        """Returns the first program that isn't installed, if any."""
        return next((name for name in cls.programs if shutil.which(name) is None), None)

    def begin(self):
        raise NotImplementedError

    def connect(self):
        """Starts carrying."""
        raise NotImplementedError

    def disconnect(self):
        """Stops carrying. A run in progress finishes or is cancelled."""
        raise NotImplementedError

    def end(self):
        self.disconnect()

    def kept(self):
        """Returns the folders with losing versions outside the packages."""
        return []

    def last_words(self):
        """Returns the last lines of the program's output."""
        try:
            with open(self.log, errors="replace") as file:
                return file.read()[-1500:]
        except OSError:
            return ""


class Rounds(Carrier):
    """A carrier that is a repeatedly run command."""

    pause = 0.3

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.thread = None
        self.stops = threading.Event()
        self.count = 0

    def begin(self):
        pass

    def round(self):
        """Carries once in both directions."""
        raise NotImplementedError

    def connect(self):
        if self.thread:
            return
        self.stops.clear()
        self.thread = threading.Thread(target=self.go_round, daemon=True)
        self.thread.start()

    def go_round(self):
        while not self.stops.is_set():
            try:
                self.round()
            except Exception as error:  # a fault of the carrier is one of the run
                self.faults.append(f"a round of {self.name}: {error!r}")
                return
            self.count += 1
            self.stops.wait(self.pause)

    def disconnect(self):
        if self.thread:
            self.stops.set()
            self.thread.join()
            self.thread = None

    def expect(self, words, allowed=(0,)):
        status = processes.run(words, self.environment, self.log)
        if status not in allowed:
            raise RuntimeError(f"`{' '.join(words)}` ended with {status}: {self.last_words()}")
        return status
