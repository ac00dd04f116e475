"""Hostile files that are passed by path: Automerge files and input files of commands."""

import hashlib
import os
import struct
import zlib


def leb(number):
    result = bytearray()
    while True:
        byte = number & 0x7F
        number >>= 7
        if number:
            result.append(byte | 0x80)
        else:
            result.append(byte)
            return bytes(result)


def chunk(kind, body):
    head = bytes([kind]) + leb(len(body))
    return bytes([0x85, 0x6F, 0x4A, 0x83]) + hashlib.sha256(head + body).digest()[:4] + head + body


def signed(number):
    result = bytearray()
    while True:
        byte = number & 0x7F
        number >>= 7
        if (number == 0 and not byte & 0x40) or (number == -1 and byte & 0x40):
            result.append(byte)
            return bytes(result)
        result.append(byte | 0x80)


def run(count, value):
    """A run in a run-length column."""
    return signed(count) + value


def nested_maps(depth):
    """One change that creates nested maps."""
    actor = bytes(16)
    # The first operation puts a null object into the root; each later one is inside the previous.
    object_actor = run(0, leb(1)) + run(depth - 1, leb(0))
    object_counter = run(0, leb(1)) + run(1 - depth, b"".join(leb(n) for n in range(1, depth)))
    key = run(depth, leb(1) + b"m")
    insert = leb(depth)
    action = run(depth, leb(0))
    meta = run(depth, leb(0))
    predecessors = run(depth, leb(0))
    columns = [(0x01, object_actor), (0x02, object_counter), (0x15, key), (0x34, insert),
               (0x42, action), (0x56, meta), (0x70, predecessors)]
    described = leb(len(columns)) + b"".join(leb(name) + leb(len(data)) for name, data in columns)
    body = (leb(0) + leb(len(actor)) + actor + leb(1) + leb(1) + signed(0) + leb(0) + leb(0)
            + described + b"".join(data for _, data in columns))
    return chunk(1, body)


def deflate_bomb(size):
    body = deflated(bytes(size))
    return (bytes([0x85, 0x6F, 0x4A, 0x83]) + bytes(4) + bytes([2]) + leb(len(body)) + body)


def digest(content):
    return hashlib.sha256(content).digest()


def deflated(content):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def compressed_change(contents):
    """A compressed chunk; its checksum is that of the uncompressed change."""
    checksum = digest(b"\1" + leb(len(contents)) + contents)[:4]
    body = deflated(contents)
    return bytes([0x85, 0x6F, 0x4A, 0x83]) + checksum + b"\2" + leb(len(body)) + body


def many_chunks(count):
    return b"".join(chunk(200, struct.pack(">I", number)) for number in range(count))


AUTOMERGE = {
    "100,000 nested maps": lambda: nested_maps(100_000),
    "a DEFLATE bomb": lambda: deflate_bomb(2 << 30),
    "100,000 chunks of an unknown kind": lambda: many_chunks(100_000),
    "a chunk of 2^62 bytes": lambda: bytes([0x85, 0x6F, 0x4A, 0x83, 0, 0, 0, 0, 0]) + leb(2**62),
    "only the first bytes": lambda: bytes([0x85, 0x6F, 0x4A, 0x83]),
    "a column of 2^60 rows": lambda: chunk(
        1, leb(0) + leb(1) + b"a" + leb(1) + leb(1) + leb(0) + leb(0) + leb(0) + leb(1)
        + leb(0x42) + leb(10) + signed(2**60) + leb(0)),
    "noise": lambda: bytes([0x85, 0x6F, 0x4A, 0x83]) + os.urandom(5000),
}

# Texts of 4.5 MB, which end in different words
TEXTS = {
    "a long line": lambda side: "tide and ebb " * 350_000 + side,
    "many short lines": lambda side: "tide\n" * 900_000 + side,
}

DEEP = 1_000_000
INPUTS = {
    "JSON a million deep": lambda: b"[" * DEEP + b"]" * DEEP,
    "an object a million deep": lambda: b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "JSON that is cut": lambda: b'{"a": [1, 2, {"b": "c',
    "no JSON": lambda: b"\x00\xff\xfe",
    "nothing": lambda: b"",
    "a number of a million digits": lambda: b'{"a": 1' + b"0" * DEEP + b"}",
    "a list": lambda: b"[1, 2, 3]",
    "lone surrogates": lambda: b'{"a": "\\ud800", "\\udc00": 1}',
    "the same key twice": lambda: b'{"a": 1, "a": 2}',
    "extreme numbers": lambda: b'{"a": 1e999999, "b": -1e-999999, "c": 18446744073709551616}',
    "servers of extreme numbers": lambda: (
        b'{"Code": 1000, "LogicalServers": [{"ID": "a", "Name": "A#1", "Domain": "d", '
        b'"EntryCountry": "CH", "ExitCountry": "CH", "Tier": 9223372036854775807, "Status": 1e300,'
        b' "Features": -1, "Load": 1e18, "Score": 1e308, "Location": {"Lat": 1e308, "Long": 0},'
        b' "Servers": [{"ID": "e", "ExitIP": "x", "Domain": "d", "Status": 1}]}]}'),
}
