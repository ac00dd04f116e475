"""One side: a machine's copy of the store, and the program run on it."""

import hashlib
import json
import os
import re
import subprocess
import threading
import time

# Commands that run this long are assumed to hang.
HANG_SECONDS = 60


# The database files of a device folder.
OWN_FILES = re.compile(r"(Logs|Entities|Catalog)\.db(-journal)?")


def objects(answer):
    """Returns the objects of JSON Lines."""
    return [json.loads(line) for line in answer.splitlines()]


class Side:
    def __init__(self, name, folder, tideline, environment):
        self.name = name
        self.folder = folder
        self.path = folder + "/Notes.store"
        self.tideline = tideline
        self.environment = environment
        self.faults = []
        # Held by writers, and by carriers that need to pause writes.
        self.writing = threading.Lock()
        os.makedirs(self.path)

    def tell(self, device, *words):
        """Runs a command that writes as a device."""
        with self.writing:
            return self.run(device, *words)

    def run(self, device, *words, allowed=(0,)):
        """Runs a command and records a failure if the exit code isn't allowed."""
        words = [str(word) for word in words]
        try:
            done = subprocess.run(
                [self.tideline, *words], stdin=subprocess.DEVNULL, capture_output=True,
                env=dict(self.environment, TIDELINE_DEVICE=device), timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            self.faults.append(f"{self.name}, {device}: `{' '.join(words)}` hangs")
            return subprocess.CompletedProcess(words, -9, b"", b"")
        if done.returncode not in allowed:
            self.faults.append(f"{self.name}, {device}: `{' '.join(words)}` ended with "
                               f"{done.returncode}: {done.stderr.decode()[-400:]}")
        return done

    # A test program that stores objects, which are synced through the package.

    def app_path(self):
        return os.path.join(os.path.dirname(self.tideline), "sync-writer")

    def has_app(self):
        return os.access(self.app_path(), os.X_OK)

    def app(self, device, *words):
        """Runs the app of a device and returns its output."""
        with self.writing:
            done = subprocess.run(
                [self.app_path(), f"{self.folder}.app", self.path, device, *map(str, words)],
                stdin=subprocess.DEVNULL, capture_output=True, env=self.environment,
                timeout=HANG_SECONDS)
        if done.returncode != 0:
            self.faults.append(f"{self.name}, {device}: the app ended with {done.returncode}: "
                               f"{done.stderr.decode()[-400:]}")
        return done.stdout.decode()

    def read(self, *words, allowed=(0,)):
        """Returns the output of a reading command, without the device that reads."""
        return self.run("reader", *words, allowed=allowed).stdout

    def lines(self, *words, allowed=(0,)):
        return objects(self.read(*words, allowed=allowed))

    def problems(self):
        return json.loads(self.read("info", self.path, "--json") or b"{}").get("problems", [])

    def file(self, *parts):
        return os.path.join(self.path, *parts)

    def has_files_of(self, device):
        folder = self.file("Devices", device)
        return os.path.isdir(folder) and bool(os.listdir(folder))

    def fingerprint(self):
        """Returns every file of the store with its content, or `None` while a file is being moved."""
        found = {}
        for base, folders, names in os.walk(self.path):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                if name.startswith("."):
                    continue
                path = os.path.join(base, name)
                try:
                    with open(path, "rb") as file:
                        content = file.read()
                except FileNotFoundError:
                    return None
                found[os.path.relpath(path, self.path)] = hashlib.sha256(content).hexdigest()
        return found


def settle(sides, seconds, holds=lambda: True, nudge=None):
    """Waits until both sides have the same files and `holds` is true for them.

    `nudge` is called occasionally, for carriers that miss writes made during a run.
    """
    end = time.monotonic() + seconds
    nudged = time.monotonic()
    while time.monotonic() < end:
        one, other = (side.fingerprint() for side in sides)
        if one is not None and one == other and holds():
            return True
        if nudge and time.monotonic() - nudged > 10:
            nudge()
            nudged = time.monotonic()
        time.sleep(0.3)
    return False


def difference(sides):
    one, other = ((side.fingerprint() or {}) for side in sides)
    return sorted(name for name in set(one) | set(other) if one.get(name) != other.get(name))
