#!/usr/bin/env python3
"""Makes inputs for FuzzDocument.swift from files of Automerge.

make_seeds.py <folder to write> <file or folder to read>...
"""
import hashlib
import pathlib
import sys

MAGIC = bytes([0x85, 0x6F, 0x4A, 0x83])


def leb128(data, index):
    value = shift = 0
    while True:
        byte = data[index]
        index += 1
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            return value, index


def chunks(data):
    """The type and content of each chunk."""
    index = 0
    while data[index : index + 4] == MAGIC:
        kind = data[index + 8]
        length, start = leb128(data, index + 9)
        yield kind, data[start : start + length]
        index = start + length


def main(target, sources):
    target = pathlib.Path(target)
    target.mkdir(parents=True, exist_ok=True)

    def write(seed):
        if len(seed) < 20_000:
            (target / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)

    for source in map(pathlib.Path, sources):
        files = [path for path in sorted(source.rglob("*")) if path.is_file()]
        for path in files or [source]:
            data = path.read_bytes()
            if data[:4] != MAGIC:
                continue
            write(bytes([0]) + data)
            for kind, content in list(chunks(data))[:6]:
                write(bytes([2, kind]) + content)
                write(bytes([3, kind]) + content)
                write(bytes([7, kind]) + content)
                write(bytes([8, kind]) + content)
            # A sync message that carries the file as one change.
            length = len(data)
            prefix = bytes([4, 0x42, 0, 0, 0, 1])
            while length >= 0x80:
                prefix += bytes([length & 0x7F | 0x80])
                length >>= 7
            write(prefix + bytes([length]) + data)
    # A first message of a sync, and a saved state.
    write(bytes([4, 0x42, 0, 0, 1, 0, 0, 0]))
    write(bytes([6, 0x43, 0]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
