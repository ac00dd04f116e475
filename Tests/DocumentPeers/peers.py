"""Plays automerge-repo's clients and servers, by its documented messages, with PyPI's automerge,
cbor2 and websockets, against `docs serve` and `docs sync`; and some that mean no good.

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
    failed = 0
    for scenario in against_server.SCENARIOS + against_client.SCENARIOS:
        if options.names and scenario.__name__ not in options.names:
            continue
        start = time.monotonic()
        try:
            note = asyncio.run(asyncio.wait_for(scenario(options.program), 180))
            outcome = "passed" + (f" ({note})" if note else "")
        except Exception:
            traceback.print_exc()
            outcome = "FAILED"
            failed += 1
        print(f"{scenario.__name__}: {outcome}, {time.monotonic() - start:.1f} s", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
