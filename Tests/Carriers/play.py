"""The parts of a run with one carrier, and the invariants that are checked after each part."""

import concurrent.futures
import contextlib
import json
import os
import random
import re
import shutil
import time
import traceback

import accidents
import names
import processes
import side as sides
import watching
import writers
from writers import ANNA, BEN

UNFINISHED = re.compile(r"\.tideline-[0-9A-Fa-f-]{36}\.tmp")
ANSWERS = ["kv list", "entities list", "log", "conflicts", "blobs list"]


class Play:
    def __init__(self, carrier, pair, seed, scratch, patience):
        self.carrier = carrier
        carrier.quiet = [side.writing for side in pair]
        carrier.owned = [[ANNA], [BEN, "dora-*"]]
        self.pair = pair
        self.here, self.there = pair
        self.random = random.Random(f"{seed} {carrier.name}")
        self.scratch = scratch
        self.patience = patience
        self.faults = []
        self.devices = []
        self.waited = 0.0
        # Names that the carrier gave to its files, even for a moment.
        self.left = set()

    def writer(self, side, device):
        made = writers.Writer(side, device, random.Random(self.random.random()), self.scratch)
        self.devices.append(made)
        return made

    def fault(self, words):
        self.faults.append(words)

    # Parts

    def run(self, minutes):
        """Runs all parts once, or repeatedly for a number of minutes."""
        end = time.monotonic() + minutes * 60
        self.collected = [names.Names(side.path) for side in self.pair]
        self.watches = []
        try:
            self.begin()
            number = 0
            while number == 0 or time.monotonic() < end and not self.faults:
                number += 1
                for part in [Play.together, Play.apart, *accidents.ALL]:
                    part(self, number)
                    if self.faults:
                        break
            if not self.faults:
                self.models()
            if not self.faults:
                self.check_watches()
            self.check_names()
        except Exception as error:  # a fault of the harness or of the carrier fails this carrier
            self.fault("".join(traceback.format_exception(error)[-3:]))
        finally:
            self.carrier.end()
            for watch in self.watches:
                watch.end()
            for collected in self.collected:
                collected.end()
        self.faults += self.carrier.faults + self.here.faults + self.there.faults

    def begin(self):
        self.here.tell(ANNA, "kv", "create", self.here.path)
        self.anna = self.writer(self.here, ANNA)
        self.ben = self.writer(self.there, BEN)
        self.anna.set_own()
        self.here.tell(ANNA, "entities", "add", self.here.path, "--type", "board", "--id", "board",
                       "title=First")
        self.carrier.begin()
        self.carrier.connect()
        self.agree("the first files")
        self.watches = [watching.Watch(side, f"{self.scratch}/{side.name}.watch")
                        for side in self.pair]
        for watch in self.watches:
            if not processes.wait_until(lambda: watch.is_ready, self.patience):
                self.fault(f"{watch.side.name}: watch loads nothing")
        # From now on each side must see the other's writes.
        self.anna.rows_before_watch = list(self.anna.rows)

    def write_both(self, seconds):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda writer: writer.write(seconds, self.carrier.carries_deletions),
                          [self.anna, self.ben]))

    def together(self, number):
        """Both sides write while the carrier runs."""
        self.write_both(6)
        self.agree("writing together")

    def apart(self, number):
        """Both sides write while the carrier is stopped, with deliberate conflicts on some keys."""
        self.carrier.disconnect()
        disputed = {}
        for index in range(3):
            key = f"disputed/{number}/{index}"
            disputed[key] = {ANNA: self.anna.set(key), BEN: self.ben.set(key)}
        self.write_both(3)
        self.carrier.connect()
        self.agree("an offline spell")
        for side in self.pair:
            found = {conflict["key"]: {row["device"]: row["value"] for row in
                                       [conflict["winner"], *conflict["others"]]}
                     for conflict in side.lines("conflicts", side.path, "--json", allowed=(0, 1))}
            for key, versions in disputed.items():
                if found.get(key) != versions:
                    self.fault(f"{side.name}: the conflict about {key} has the sides "
                               f"{found.get(key)!r}, not {versions!r}")
        keys = sorted(disputed)
        resolutions = {keys[0]: disputed[keys[0]][BEN], keys[1]: disputed[keys[1]][ANNA],
                       keys[2]: f"both, {number}"}
        self.here.tell(ANNA, "resolve", self.here.path, keys[0], "--take", BEN)
        self.there.tell(BEN, "resolve", self.there.path, keys[1], "--take", ANNA)
        self.there.tell(BEN, "resolve", self.there.path, keys[2], "--value", resolutions[keys[2]])
        self.agree("resolving")
        for side in self.pair:
            left = {conflict["key"] for conflict in
                    side.lines("conflicts", side.path, "--json", allowed=(0, 1))}
            values = json.loads(side.read("kv", "list", side.path, "--json"))
            for key, value in resolutions.items():
                if key in left or values.get(key) != value:
                    self.fault(f"{side.name}: {key} was resolved to {value!r}, and is "
                               f"{values.get(key)!r}{', in conflict' if key in left else ''}")

    def models(self):
        """An app on each side syncs its objects; in the end each has the objects of both."""
        if not self.here.has_app():
            return
        for side, device, row in [(self.here, ANNA, 1), (self.there, BEN, 2)]:
            side.app(device, "put", row, f"of {side.name}")
        self.agree("objects of two apps")
        for side, device in [(self.here, ANNA), (self.there, BEN)]:
            for row, wanted in [(1, "of here"), (2, "of there")]:
                found = side.app(device, "get", row).strip()
                if found != wanted:
                    self.fault(f"{side.name}: object {row} says {found!r}, not {wanted!r}")

    @contextlib.contextmanager
    def person(self):
        """Changes to files by a user. Carriers that would miss them pause in the meantime."""
        rests = self.carrier.overlooks or not self.carrier.carries_deletions
        if rests:
            self.carrier.disconnect()
        yield
        if rests:
            self.carrier.connect()

    def delete(self, here, there):
        """Deletes a folder on one side and, if the carrier needs it, on the other."""
        with self.person():
            shutil.rmtree(here)
            if not self.carrier.carries_deletions:
                shutil.rmtree(there)

    # Invariants

    def agree(self, what, holds=lambda: True):
        begun = time.monotonic()
        if not sides.settle(self.pair, self.patience, holds,
                            self.nudge if self.carrier.overlooks else None):
            self.fault(f"{what}: after {self.patience:.0f} s both sides still differ in "
                       f"{sides.difference(self.pair)[:6]!r}; the carrier says: "
                       f"{self.carrier.last_words()[-600:]}")
            return
        self.waited = max(self.waited, time.monotonic() - begun)
        one, other = (self.answers(side) for side in self.pair)
        for words in ANSWERS:
            if one[words] != other[words]:
                self.fault(f"{what}: `{words} --json` differs: "
                           f"{one[words][:200]!r} … {other[words][:200]!r}")
        # The output of the two sides is identical, byte for byte.
        shown = {words: sides.objects(answer) for words, answer in one.items()}
        for writer in self.devices:
            self.faults += [
                f"{what}: {fault}" for fault in writers.missing(writer, self.here, shown)]
            writer.note_carried()

    def nudge(self):
        """Every device writes to each of its files once more."""
        with self.person():
            for writer in self.devices:
                writer.write_everything()

    def answers(self, side):
        """Returns the output of the reading commands on a side, by command."""
        found = {words: side.read(*words.split(), side.path, "--json", allowed=(0, 1))
                 for words in ANSWERS}
        if not self.carrier.carries_times:
            found["blobs list"] = re.sub(rb'"date":"[^"]*"', b'"date":""', found["blobs list"])
        return found

    def check_watches(self):
        before = set(self.anna.rows_before_watch)
        for watch, writer in zip(self.watches, [self.ben, self.anna]):
            written = {key for key, value in writer.rows if (key, value) not in before}
            wanted = {
                "keys": {(writer.device, key) for key in writer.carried["keys"] & written},
                "entities": {(writer.device, name) for name in writer.carried["entities"]},
                "blobs": writer.carried["blobs"]}
            for store, names_there in wanted.items():
                if not processes.wait_until(
                        lambda: names_there <= watch.seen(store), self.patience):
                    unseen = sorted(names_there - watch.seen(store))
                    self.fault(f"{watch.side.name}: watch saw nothing of {unseen[:5]!r} in {store}")

    def check_names(self):
        """Every name that appeared in a package belongs to the store or to the carrier."""
        theirs = re.compile("|".join(f"(?:{name})" for name in self.carrier.names) or r"(?!)")
        for side, collected in zip(self.pair, self.collected):
            for path in sorted(collected.found):
                parts = os.path.relpath(path, side.path).split("/")
                name = parts[-1]
                if any(theirs.fullmatch(part) for part in parts):
                    self.left.add(name)
                elif parts[0] == "Devices" and (
                        len(parts) < 3 or len(parts) == 3 and sides.OWN_FILES.fullmatch(name)):
                    continue
                elif parts[0] == "Blobs" and (
                        not name.startswith(".") or UNFINISHED.fullmatch(name)):
                    continue
                else:
                    self.fault(f"{side.name}: {os.path.join(*parts)} is nobody's")
