"""Plays clients and servers of automerge-repo by its documented protocol, with PyPI's automerge,
cbor2 and websockets, against `docs serve` and `docs sync`. Some of them are hostile.

    peers.py [--program PATH] [NAME ...]
"""

import argparse
import asyncio
import os
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

try:
    import against_client
    import against_server
except ModuleNotFoundError as missing:
    print(f"skipped: {missing.name} is not installed (pip install -r {HERE}/requirements.txt)")
    sys.exit(0)


def main():
    parser = argparse.ArgumentParser()
    beside = os.path.join(HERE, "..", "..", ".build", "debug", "tideline-sync")
    parser.add_argument("--program", default=beside, help="tideline-sync")
    parser.add_argument("names", nargs="*", help="which to play")
    options = parser.parse_args()
    scenarios = [
        scenario
        for scenario in against_server.SCENARIOS + against_client.SCENARIOS
        if not options.names or scenario.__name__ in options.names
    ]
    sys.exit(0 if asyncio.run(play_all(scenarios, options.program)) else 1)


async def play_all(scenarios, program):
    """Runs the tests one after another, and those that mostly wait in parallel."""
    patient = [against_server.silence, against_client.hostile]
    busy = [await play(scenario, program) for scenario in scenarios if scenario not in patient]
    waiting = [play(scenario, program) for scenario in scenarios if scenario in patient]
    return all(busy + await asyncio.gather(*waiting))


async def play(scenario, program):
    start = time.monotonic()
    try:
        note = await asyncio.wait_for(scenario(program), 180)
        outcome = "passed" + (f" ({note})" if note else "")
    except Exception:
        traceback.print_exc()
        outcome = "FAILED"
    print(f"{scenario.__name__}: {outcome}, {time.monotonic() - start:.1f} s", flush=True)
    return outcome != "FAILED"


if __name__ == "__main__":
    main()
