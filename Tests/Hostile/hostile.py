#!/usr/bin/env python3
"""Puts hostile files in place of every file that a store package can contain.

For each case the sound package is copied, one part of it is made hostile, and every command and a
browser run on it. Each must end by itself within its time and memory limits and without a signal,
show the other devices' content, leave files that it only reads unchanged, and name the file or
device at fault.

    Tests/Hostile/hostile.py [--tideline PROGRAM] [--seed N] [--cases N | --all [--part I/N]]
                             [--only WORDS]

Without --all, a random selection of cases runs, determined by the seed. Needs python3 and a build of tideline.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile

import making
import messages
import package as packages
import running
import singles

SECONDS = 2.0
MEGABYTES = 300.0
RAW = [b"\x1b", b"\x07", b"\x9b", "\u202e".encode(), "\u2066".encode()]


class Checks:
    """Runs commands on one case and collects the failures."""

    def __init__(self, options, environment, scratch):
        self.options = options
        self.environment = environment
        self.scratch = scratch
        self.faults = []
        self.runs = 0

    def fault(self, words, what):
        shown = " ".join(str(word) for word in words).replace(self.scratch, "…")
        self.faults.append(f"`{shown}`: {what}")

    def judge(self, outcome, interrupted=False):
        self.runs += 1
        words = ["tideline"] + outcome.words[1:]
        if outcome.hung:
            self.fault(words, "hangs")
        elif interrupted and outcome.status == -signal.SIGINT:
            pass
        elif outcome.status < 0 or outcome.status >= 128:
            self.fault(words, f"ended by status {outcome.status}: {outcome.errors[-300:]!r}")
        elif outcome.status not in (0, 1, 64, 65, 66, 73, 74, 77):
            self.fault(words, f"exit code {outcome.status}: {outcome.errors[-300:]!r}")
        if outcome.processor_seconds > SECONDS * self.options.slack:
            self.fault(words, f"took {outcome.processor_seconds:.1f} s")
        if outcome.megabytes > MEGABYTES:
            self.fault(words, f"took {outcome.megabytes:.0f} MB")
        if len(outcome.output) > 32 << 20:
            self.fault(words, f"printed {len(outcome.output) >> 20} MB")
        return outcome

    def tell(self, *words, interrupt_after=None):
        return self.judge(running.run(
            [self.options.tideline, *words], self.environment, interrupt_after),
            interrupted=interrupt_after is not None)

    def plain(self, outcome):
        """Output other than JSON must not contain terminal sequences."""
        for raw in RAW:
            try:
                found = raw in outcome.output or raw in outcome.errors
                if len(raw) == 1 and raw[0] >= 0x80:
                    found = raw.decode("latin-1") in outcome.output.decode("utf-8", "replace")
            except UnicodeError:
                found = False
            if found:
                self.fault(["tideline"] + outcome.words[1:], f"prints {raw!r}")
        return outcome

    def browse(self, path, extra=(), keys=None):
        keys = keys or [b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"1", b"j", b"j", b"\r",
                        b"\x1b", b"c", b"\r", b"\x1b", b"t", b"\x1b[D", b"0", b"?", b"\x1b",
                        b"G", b"g", b"q", b"q", b":quit\r"]
        outcome = running.browse(
            [self.options.tideline, path, *extra], self.environment, keys)
        self.judge(outcome)
        if b"owned" in outcome.output and b"\x1b]0;owned" in outcome.output:
            self.fault(["tideline", path], "names the terminal anew")
        return outcome


def parsed(outcome):
    try:
        return json.loads(outcome.text)
    except ValueError:
        return None


def lines(outcome):
    result = []
    for line in outcome.text.removesuffix("\n").split("\n"):
        if not line:
            continue
        try:
            result.append(json.loads(line))
        except ValueError:
            return None
    return result


def reads(checks, sound, path, devices):
    """Runs all reading commands; the rows of `devices` must be shown completely."""
    info = checks.tell("info", path, "--json")
    checks.plain(checks.tell("info", path))
    known = parsed(info) if info.status == 0 else None

    listed = checks.tell("kv", "list", path, "--json")
    found = parsed(listed) if listed.status == 0 else None
    for device in devices:
        wanted = {f"mac/{n}": f"value {n} of mac" for n in range(30)} if device == "mac" \
            else packages.values(device)
        missing = [key for key in wanted if found is None or found.get(key) != wanted[key]]
        if missing:
            checks.fault(listed.words, f"status {listed.status}, {len(missing)} values of "
                         f"{device} missing, {missing[0]} first: {listed.errors[-200:]!r}")
    past = checks.tell("kv", "list", path, "--at", "2040-01-01T00:00:00Z", "--json")
    own = parsed(past) if past.status == 0 else None
    for device in devices:
        if device != "mac" and (own is None or f"{device}/1" not in own):
            checks.fault(past.words, f"status {past.status} without {device}'s keys")
    checks.plain(checks.tell("kv", "list", path))
    for device in devices[:1]:
        got = checks.tell("kv", "get", path, f"{device}/2" if device != "mac" else "mac/2")
        if got.status:
            checks.fault(got.words, f"status {got.status}: {got.errors[-200:]!r}")

    log = checks.tell("log", path, "--json")
    rows = lines(log)
    if log.status or rows is None:
        checks.fault(log.words, f"status {log.status}: {log.errors[-200:]!r}")
    else:
        for device in devices:
            if not any(row["device"] == device for row in rows):
                checks.fault(log.words, f"no row of {device}")
    checks.plain(checks.tell("log", path, "--limit", "20"))
    conflicts = checks.tell("conflicts", path, "--json")
    if conflicts.status not in (0, 1) or lines(conflicts) is None:
        checks.fault(conflicts.words, f"status {conflicts.status}: {conflicts.errors[-200:]!r}")
    checks.plain(checks.tell("conflicts", path))

    entities = checks.tell("entities", "list", path, "--json")
    names = [entity["identifier"] for entity in lines(entities) or []]
    for device in devices:
        if device != "mac" and f"{device}-1" not in names:
            checks.fault(entities.words, f"status {entities.status} without {device}'s entities: "
                         f"{entities.errors[-200:]!r}")
    checks.tell("entities", "export", path, "--compact")
    checks.plain(checks.tell("entities", "list", path))
    if "own" in devices:
        shown = checks.tell("entities", "show", path, "own-1", "--history", "--json")
        if shown.status:
            checks.fault(shown.words, f"status {shown.status}: {shown.errors[-200:]!r}")
        checks.tell("entities", "related", path, "own-0", "--json")
        servers = checks.tell("servers", "list", path, "--device", "own", "--json")
        if servers.status or len(lines(servers) or []) != 20:
            checks.fault(servers.words, f"status {servers.status}, not own's 20 servers: "
                         f"{servers.errors[-200:]!r}")
    checks.plain(checks.tell("servers", "list", path, "--device", "victim"))
    checks.tell("servers", "groups", path, "--json")
    checks.tell("servers", "first", path)
    checks.plain(checks.tell("blobs", "list", path))
    documents = checks.tell("docs", "list", path, "--json")
    listed = [line["document"] for line in lines(documents) or []]
    checks.plain(checks.tell("docs", "list", path))
    for device in devices:
        document = sound.documents.get(device)
        if document and document not in listed:
            checks.fault(documents.words, f"status {documents.status} without {device}'s document: "
                         f"{documents.errors[-200:]!r}")
    for device, document in sound.documents.items():
        shown = checks.tell("docs", "show", path, document, "--json")
        if device in devices and (parsed(shown) or {}).get("title") != f"by {device}":
            checks.fault(shown.words, f"status {shown.status}, not {device}'s document: "
                         f"{shown.errors[-200:]!r}")
    if "victim" not in devices:
        checks.plain(checks.tell("docs", "chunks", path, sound.documents["victim"]))
        checks.tell("docs", "history", path, sound.documents["victim"], "--json")
        checks.tell("docs", "conflicts", path, sound.documents["victim"], "--json")
    checks.plain(checks.tell("docs", "check", path))
    checks.plain(checks.tell("doctor", path))
    for pane in ["keys", "log", "conflicts", "devices", "blobs", "entities", "servers", "events"]:
        checks.plain(checks.tell(path, "--linear", "--pane", pane))
    watched = checks.tell("watch", path, "--json", interrupt_after=0.2)
    if not watched.output.startswith(b'{') or b'"loaded"' not in watched.output.split(b"\n")[0]:
        checks.fault(watched.words, f"status {watched.status}, nothing loaded: "
                     f"{watched.errors[-200:]!r}")
    return info, known, found


def writes(checks, sound, path, own_is_sound):
    """This device can still write, in its own folder only."""
    before = packages.state(path)
    done = checks.tell("kv", "set", path, "own/new", "a new value")
    if own_is_sound and done.status:
        checks.fault(done.words, f"status {done.status}: {done.errors[-300:]!r}")
    elif done.status == 0:
        got = checks.tell("kv", "get", path, "own/new")
        if got.output != b"a new value\n":
            checks.fault(got.words, f"status {got.status}, prints {got.output[:80]!r} after "
                         "a write that was acknowledged")
    # A key of other devices, possibly with times or causes from the future.
    done = checks.tell("kv", "set", path, "shared", "written last")
    if own_is_sound and done.status:
        checks.fault(done.words, f"status {done.status}: {done.errors[-300:]!r}")
    elif done.status == 0:
        got = checks.tell("kv", "get", path, "shared")
        if got.output != b"written last\n":
            checks.fault(got.words, f"prints {got.output[:80]!r} after a later write")
    added = checks.tell("entities", "set", path, "own-2", "title", "Anew")
    if own_is_sound and added.status:
        checks.fault(added.words, f"status {added.status}: {added.errors[-300:]!r}")
    edited = checks.tell("docs", "set", path, sound.documents["own"], "/title", "Anew")
    if own_is_sound and edited.status:
        checks.fault(edited.words, f"status {edited.status}: {edited.errors[-300:]!r}")
    after = packages.state(path)
    own = os.fsencode(os.path.join(path, "Devices", "own"))
    for name in sorted(set(before) | set(after)):
        if name.startswith(own) or before.get(name) == after.get(name):
            continue
        if name in (os.fsencode(path), os.fsencode(os.path.join(path, "Devices"))):
            continue
        checks.fault(["kv set", "…"], f"changes {name!r}")


def named(info, known, culprit):
    """Returns whether `info` names the device or file at fault."""
    if known is None:
        return culprit.encode() in info.errors
    for device in known["devices"]:
        if device["device"] == culprit and (device["problem"] or device["state"] != "ok"):
            return True
    return any(culprit in problem for problem in known["problems"])


def unchanged(checks, path, before):
    after = packages.state(path)
    for name in sorted(set(before) | set(after)):
        if before.get(name) != after.get(name):
            what = "appears" if name not in before else \
                "is gone" if name not in after else "changed"
            checks.fault(["reading"], f"{name!r} {what}")


def database_case(checks, sound, work, device, kind, hostile, seed):
    package = shutil.copytree(sound.path, work, symlinks=True)
    name = "Logs.db" if kind == making.PARSTORE else kind
    path = os.path.join(package, "Devices", device, name)
    with open(path, "rb") as file:
        content = file.read()
    for suffix in ["-journal"]:
        if os.path.lexists(path + suffix):
            os.remove(path + suffix)
    hostile.make(path, content, random.Random(seed))
    before = packages.state(package)
    devices = [other for other in packages.DEVICES + ["mac"] if other != device]
    info, known, found = reads(checks, sound, package, devices)
    # The command that shows a wrong value in a sound file reports it.
    left_out = b"skipped" in checks.tell("kv", "list", package, "--json").errors
    if info.status and known is None:
        checks.fault(info.words, f"status {info.status}: {info.errors[-300:]!r}")
    elif not named(info, known, device):
        right = kind != making.LOGS or (found is not None and all(
            found.get(key) == value for key, value in packages.values(device).items()))
        if hostile.named and not hostile.name.startswith("a link to a sound"):
            checks.fault(info.words, f"does not name {device}")
        elif not right and kind == making.LOGS and "is " not in hostile.name \
                and hostile not in making.NAMES and not left_out:
            checks.fault(info.words, f"does not name {device}, whose values are not all there")
    checks.browse(package, ["--read-only"])
    unchanged(checks, package, before)
    writes(checks, sound, package, own_is_sound=device != "own")


def package_case(checks, sound, work, make):
    shutil.copytree(sound.path, work, symlinks=True)
    package = packages.Package(work, sound.tideline, sound.environment)
    make(package, random.Random(1))
    before = packages.state(work)
    reads(checks, sound, work, ["own", "third", "mac"])
    checks.browse(work, ["--read-only"])
    unchanged(checks, work, before)
    writes(checks, sound, work, own_is_sound=True)


def tables_case(checks, work, hostile, seed):
    """A third-party database with hostile content."""
    os.mkdir(work)
    path = os.path.join(work, "shop.db")
    packages.shop(path)
    with open(path, "rb") as file:
        content = file.read()
    hostile.make(path, content, random.Random(seed))
    before = packages.state(work)
    for words in [["info"], ["info", "--json"], ["doctor"], ["tables", "list"], ["tables", "list", "--json"],
                  ["tables", "schema"]]:
        at = 2 if words[0] == "tables" else 1
        checks.plain(checks.tell(*words[:at], path, *words[at:]))
    for table in ["customer", "purchase", "large"]:
        checks.plain(checks.tell("tables", "show", path, table, "--limit", "20"))
        checks.tell("tables", "show", path, table, "--json", "--limit", "500")
    checks.tell("tables", "query", path, "SELECT count(*) FROM purchase WHERE total > 3", "--json")
    checks.plain(checks.tell(path, "--linear"))
    checks.browse(path, ["--read-only"])
    unchanged(checks, work, before)


def automerge_case(checks, work, content):
    os.mkdir(work)
    path = os.path.join(work, "hostile.automerge")
    with open(path, "wb") as file:
        file.write(content())
    before = packages.state(work)
    for words in [["info"], ["info", "--json"], ["doctor"], ["docs", "list"],
                  ["docs", "show", "--json"],
                  ["docs", "show"], ["docs", "history"], ["docs", "conflicts", "--json"],
                  ["docs", "check"], ["git", "textconv"]]:
        at = 2 if words[0] in ("docs", "git") else 1
        checks.plain(checks.tell(*words[:at], path, *words[at:]))
    checks.tell(path, "--linear")
    checks.browse(path)
    unchanged(checks, work, before)


def storage_case(checks, work, content):
    """A storage folder of automerge-repo with a hostile document next to a sound one."""
    os.mkdir(work)
    sound, hostile = messages.identifier(bytes(range(16))), messages.identifier(bytes(range(1, 17)))
    messages.put(work, sound, singles.chunk(1, messages.change(
        [(0x15, singles.run(1, b"\1k")), (0x42, singles.run(1, b"\1"))])))
    messages.put(work, hostile, content())
    before = packages.state(work)
    for words in [["info"], ["doctor"], ["docs", "list"], ["docs", "check"]]:
        at = 2 if words[0] == "docs" else 1
        outcome = checks.plain(checks.tell(*words[:at], work, *words[at:]))
        if words[-1] == "list" and sound.encode() not in outcome.output:
            checks.fault(outcome.words, f"status {outcome.status} without the sound document")
    shown = checks.tell("docs", "show", work, sound, "--json")
    if parsed(shown) != {"k": None}:
        checks.fault(shown.words, f"status {shown.status}, not the sound document")
    checks.plain(checks.tell("docs", "show", work, hostile))
    checks.browse(work)
    unchanged(checks, work, before)


def peer_case(checks, work, message):
    """`docs serve` with a hostile peer: other peers are still served."""
    os.mkdir(work)
    sound = messages.identifier(bytes(range(16)))
    messages.put(work, sound, singles.chunk(1, messages.change(
        [(0x15, singles.run(1, b"\1k")), (0x42, singles.run(1, b"\1"))])))
    words = ["tideline", "docs serve"]
    server = messages.Server(checks.options.tideline, work, checks.environment)
    checks.runs += 1
    try:
        messages.answers(server.port, sound)
        before, _ = server.usage()
        peer = messages.Peer(server.port)
        for document in [sound, messages.identifier(bytes(range(1, 17)))]:
            try:
                peer.sync(document, message)
            except OSError:
                break
        # The answer to the sound peer follows the hostile peer's messages.
        took = messages.answers(server.port, sound)
        if took is None:
            checks.fault(words, "does not answer another peer")
        peer.socket.close()
        server.read()
        seconds, megabytes = server.usage()
        if seconds - before > SECONDS * checks.options.slack:
            checks.fault(words, f"took {seconds - before:.1f} s")
        if megabytes > MEGABYTES:
            checks.fault(words, f"took {megabytes:.0f} MB")
    except (EOFError, OSError) as error:
        checks.fault(words, f"does not serve: {error!r}")
    status = server.end()
    if status not in (0, -15):
        checks.fault(words, f"ended by status {status}")


def input_case(checks, sound, work, content):
    shutil.copytree(sound.path, work, symlinks=True)
    path = work + ".input"
    with open(path, "wb") as file:
        file.write(content())
    for words in [["kv", "import"], ["entities", "import"], ["servers", "import"],
                  ["servers", "loads"], ["servers", "prune"]]:
        outcome = checks.plain(checks.tell(*words, work, path))
        if outcome.status and os.path.basename(path).encode() not in outcome.errors:
            checks.fault(outcome.words, f"does not name the file: {outcome.errors[-300:]!r}")
    checks.tell("kv", "set", work, "k", path, "--as", "plist")
    listed = checks.tell("kv", "list", work, "--json")
    if b'"own/1"' not in listed.output:
        checks.fault(listed.words, "own values are gone")


def difference_case(checks, work, end):
    """Compares two texts of 4.5 MB."""
    paths = []
    for side in ["from", "to"]:
        path = f"{work}.{side}"
        checks.tell("kv", "create", path)
        with open(path + ".json", "w", encoding="utf-8") as file:
            json.dump({"text": end(side)}, file)
        checks.tell("kv", "import", path, path + ".json")
        paths.append(path)
    outcome = checks.tell("diff", *paths)
    if outcome.status != 1 or b"{+to+}" not in outcome.output:
        checks.fault(outcome.words, f"status {outcome.status} without the differing word")


def cases(sound, small):
    """Returns every case as a name and a function."""
    for base, title in [(sound, ""), (small, ", pages of 1,024 bytes")]:
        for kind in making.DATABASES:
            for device in ["mac"] if kind == making.PARSTORE else ["victim", "own"]:
                if base is small and device != "victim":
                    continue
                name = "Logs.db" if kind == making.PARSTORE else kind
                with open(base.file("Devices", device, name), "rb") as file:
                    content = file.read()
                chosen = making.pages(kind, content)
                if base is sound:
                    chosen = chosen + [h for h in making.ALL if kind in h.kinds]
                for hostile in chosen:
                    yield (f"{device}'s {name}: {hostile.name}{title}",
                           lambda checks, work, a=(base, device, kind, hostile):
                           database_case(checks, a[0], work, a[1], a[2], a[3],
                                         checks.options.seed))
    for name, make in making.PACKAGES:
        yield name, lambda checks, work, make=make: package_case(checks, sound, work, make)
    shop = sound.path + ".db"
    packages.shop(shop)
    with open(shop, "rb") as file:
        content = file.read()
    for hostile in making.pages("shop.db", content) + making.SPECIAL + making.SCHEMAS:
        yield (f"a database of another program: {hostile.name}",
               lambda checks, work, hostile=hostile: tables_case(
                   checks, work, hostile, checks.options.seed))
    for name, content in singles.AUTOMERGE.items():
        yield (f"an Automerge file: {name}",
               lambda checks, work, content=content: automerge_case(checks, work, content))
    for name, content in messages.BOMBS.items():
        yield (f"an Automerge file: {name}",
               lambda checks, work, content=content: automerge_case(checks, work, content))
        yield (f"a storage folder: {name}",
               lambda checks, work, content=content: storage_case(checks, work, content))
    for name, message in messages.messages():
        yield (f"a peer: {name}",
               lambda checks, work, message=message: peer_case(checks, work, message))
    for name, end in singles.TEXTS.items():
        yield f"texts: {name}", lambda checks, work, end=end: difference_case(checks, work, end)
    for name, content in singles.INPUTS.items():
        yield (f"an input: {name}",
               lambda checks, work, content=content: input_case(checks, sound, work, content))


def choose(every, options):
    if options.only:
        return [case for case in every if options.only in case[0]]
    if options.all:
        first, step = (int(number) for number in options.part.split("/"))
        return every[first - 1::step]
    # Many cases differ only in a page or a number: run a few of these and more of the others.
    source = random.Random(options.seed)
    alike = [case for case in every if ": page " in case[0] or " is -" in case[0]
             or " is 0" in case[0] or " is 4" in case[0] or " is 9" in case[0]]
    names = {case[0] for case in alike}
    single = [case for case in every if case[0] not in names]
    few = min(len(alike), options.cases // 3)
    chosen = source.sample(alike, few) + source.sample(
        single, min(len(single), options.cases - few))
    return sorted(chosen, key=lambda case: case[0])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = os.path.dirname(os.path.abspath(__file__))
    arguments.add_argument(
        "--tideline", default=os.path.join(here, "../../.build/debug/tideline"))
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments.add_argument("--cases", type=int, default=40)
    arguments.add_argument("--all", action="store_true")
    arguments.add_argument(
        "--part", default="1/1", help="of all cases the first of each N, or the Ith")
    arguments.add_argument("--only", help="the cases whose name has these words")
    arguments.add_argument(
        "--slack", type=float, default=2.0, help="times the 2 s that a command may take; a debug "
        "build on a busy machine needs some")
    options = arguments.parse_args()
    options.tideline = os.path.abspath(options.tideline)
    print(f"seed {options.seed}", flush=True)

    scratch = tempfile.mkdtemp(prefix="tideline-hostile-")
    environment = dict(running.environment(scratch), TIDELINE_DEVICE="own")
    failed = ran = 0
    try:
        sound = packages.make(scratch + "/Sound.store", options.tideline, environment)
        small = packages.make(
            scratch + "/Small.store", options.tideline, environment, page_size=1024)
        chosen = choose(list(cases(sound, small)), options)
        for number, (name, test) in enumerate(chosen):
            work = f"{scratch}/Case{number}.store"
            checks = Checks(options, environment, scratch)
            try:
                test(checks, work)
            except Exception as error:  # a fault of the harness fails the case, not the run
                checks.fault(["harness"], repr(error))
            ran += 1
            if checks.faults:
                failed += 1
                print(f"✘ {name}")
                for fault in checks.faults[:12]:
                    print(f"    {fault}")
                sys.stdout.flush()
            for left in os.listdir(scratch):
                if left.startswith("Case") or left.startswith("outside"):
                    path = os.path.join(scratch, left)
                    if os.path.isdir(path) and not os.path.islink(path):
                        shutil.rmtree(path, ignore_errors=True)
                    else:
                        os.remove(path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{ran - failed} passed, {failed} failed")
    sys.exit(1 if failed or not ran else 0)


if __name__ == "__main__":
    main()
