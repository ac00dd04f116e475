#!/usr/bin/env python3
"""Runs sync programs that carry a store between two machines, and checks the result.

Each carrier gets two folders, a separate home and separate ports. On both sides, devices write to
every store at random, with and without the carrier running; folders are deleted and copied, and a
device is cloned. In the end both sides must be identical, with all acknowledged writes.

    Tests/Carriers/carriers.py [--tideline PROGRAM] [--seed N] [--minutes N] [--carrier NAME ...]

Without --minutes every part runs once. Needs python3 and a build of tideline, and syncthing, unison,
rclone and rsync for their tests; a carrier that isn't installed is reported and skipped.
"""

import argparse
import concurrent.futures
import os
import random
import shutil
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../Hostile"))

import play  # noqa: E402
import processes  # noqa: E402
import rclone  # noqa: E402
import rsync  # noqa: E402
import running  # noqa: E402
import side as sides  # noqa: E402
import syncthing  # noqa: E402
import unison  # noqa: E402

CARRIERS = [rsync.Rsync, unison.Unison, rclone.Rclone, syncthing.Syncthing]


# The folders of the carriers under test.
SCRATCH = set()


def break_off(number, frame):
    """Leaves no process and no folder behind if the run is interrupted."""
    processes.Group.kill_all()
    for scratch in SCRATCH:
        shutil.rmtree(scratch, ignore_errors=True)
    os._exit(128 + number)


def carry(kind, options):
    """Tests one carrier and returns the failures."""
    scratch = tempfile.mkdtemp(prefix=f"tideline-{kind.name}-")
    SCRATCH.add(scratch)
    begun = time.monotonic()
    try:
        environment = running.environment(scratch)
        pair = [sides.Side(name, f"{scratch}/{name}", options.tideline, environment)
                for name in ["here", "there"]]
        carrier = kind(scratch + "/carrier", [side.path for side in pair], environment)
        acted = play.Play(carrier, pair, options.seed, scratch, options.patience)
        acted.run(options.minutes)
        rows = sum(len(writer.rows) for writer in acted.devices)
        lines = [f"{'✘' if acted.faults else '✔'} {kind.name}: {time.monotonic() - begun:.0f} s, "
                 f"{rows} rows acknowledged, agreed after {acted.waited:.1f} s at most, "
                 f"{len(acted.left)} names of its own"]
        lines += [f"    {name}" for name in sorted(acted.left) if options.names]
        lines += [f"    {fault}".replace(scratch, "…") for fault in acted.faults[:20]]
        print("\n".join(lines), flush=True)
        return not acted.faults
    finally:
        if options.keep:
            print(f"    kept in {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument(
        "--tideline", default=os.path.join(HERE, "../../.build/debug/tideline"))
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments.add_argument(
        "--minutes", type=float, default=0, help="how long to go on with each carrier")
    arguments.add_argument(
        "--carrier", action="append", choices=[kind.name for kind in CARRIERS])
    arguments.add_argument(
        "--patience", type=float, default=90,
        help="seconds within which both sides have to have the same files")
    arguments.add_argument("--at-once", type=int, default=2, help="how many carriers carry at once")
    arguments.add_argument("--names", action="store_true", help="print the names that were left")
    arguments.add_argument("--keep", action="store_true", help="leave the folders to be looked at")
    options = arguments.parse_args()
    options.tideline = os.path.abspath(options.tideline)
    print(f"seed {options.seed}", flush=True)
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        signal.signal(number, break_off)

    chosen = []
    for kind in CARRIERS:
        if options.carrier and kind.name not in options.carrier:
            continue
        missing = kind.missing()
        if missing:
            print(f"– {kind.name}: skipped, {missing} is not installed", flush=True)
        else:
            chosen.append(kind)
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        outcomes = list(pool.map(lambda kind: carry(kind, options), chosen))
    print(f"{sum(outcomes)} passed, {len(outcomes) - sum(outcomes)} failed")
    sys.exit(0 if all(outcomes) else 1)


if __name__ == "__main__":
    main()
