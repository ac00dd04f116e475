"""Hostile messages to `docs serve`, and expanding documents next to a sound one."""

import base64
import os
import socket
import struct
import subprocess
import time

import singles
from singles import chunk, leb, run, signed

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def identifier(payload):
    """An identifier of automerge-repo: base58 with a checksum."""
    data = payload + singles.digest(singles.digest(payload))[:4]
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        text = ALPHABET[rest] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def put(folder, name, content):
    """Stores a document as automerge-repo does."""
    path = os.path.join(folder, name[:2], name[2:], "snapshot")
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, singles.digest(content).hex()), "wb") as file:
        file.write(content)


def change(columns, others=(), actor=b"\7" * 16):
    """The contents of a first change."""
    described = leb(len(columns)) + b"".join(leb(name) + leb(len(data)) for name, data in columns)
    return (leb(0) + leb(len(actor)) + actor + leb(1) + leb(1) + signed(0) + leb(0)
            + leb(len(others)) + b"".join(leb(len(other)) + other for other in others)
            + described + b"".join(data for _, data in columns))


def document(changes, operations, actor=b"\7" * 16):
    """The contents of a document without heads."""
    described = b"".join(
        leb(len(columns)) + b"".join(leb(name) + leb(len(data)) for name, data in columns)
        for columns in (changes, operations))
    return (leb(1) + leb(len(actor)) + actor + leb(0) + described
            + b"".join(data for _, data in changes + operations))


MILLIONS = 8_000_000


def links(count):
    """A document in which every change names all earlier ones."""
    dependencies = b"".join(
        signed(-1) + signed(0 if number == 1 else 2 - number)
        + (signed(number - 1) + signed(1) if number > 1 else b"")
        for number in range(1, count))
    return chunk(0, document(
        [(0x01, run(count, leb(0))), (0x03, run(count, leb(1))), (0x13, run(count, leb(0))),
         (0x40, run(-count, b"".join(leb(number) for number in range(count)))),
         (0x43, dependencies)], []))


def text(count):
    """A change that inserts a text of identical characters in compressed columns."""
    columns = [
        (0x01, run(0, leb(1)) + run(count, leb(0))), (0x02, run(0, leb(1)) + run(count, leb(1))),
        (0x11, run(0, leb(2)) + run(count - 1, leb(0))),
        (0x13, run(0, leb(1)) + run(1, signed(0)) + run(1, signed(2)) + run(count - 2, signed(1))),
        (0x15, run(-1, leb(4) + b"text")), (0x34, leb(1) + leb(count)),
        (0x42, run(-1, leb(4)) + run(count, leb(1))),
        (0x56, run(1, leb(0)) + run(count, leb(0x16))), (0x57, b"a" * count)]
    return singles.compressed_change(change(columns))


BOMBS = {
    "one key set eight million times": lambda: chunk(1, change(
        [(0x15, run(MILLIONS, leb(1) + b"a")), (0x42, run(MILLIONS, leb(1)))])),
    "eight million maps": lambda: chunk(1, change(
        [(0x15, run(MILLIONS, leb(1) + b"a")), (0x42, run(MILLIONS, leb(0)))])),
    "300,000 maps": lambda: chunk(1, change(
        [(0x15, run(300_000, leb(1) + b"a")), (0x42, run(300_000, leb(0)))])),
    "eight million characters": lambda: text(MILLIONS),
    "500,000 characters": lambda: text(500_000),
    "eight million actors": lambda: singles.compressed_change(
        change([], others=[b""] * MILLIONS)),
    "a document of eight million changes": lambda: chunk(0, document(
        [(0x01, run(MILLIONS, leb(0))), (0x03, run(MILLIONS, leb(1))),
         (0x13, run(MILLIONS, leb(0)))], [])),
    "8,000 changes that name all before them": lambda: links(8_000),
    "20,000 changes that name all before them": lambda: links(20_000),
    "an operation with eight million successors": lambda: chunk(0, document(
        [(0x01, run(1, leb(0))), (0x03, run(1, leb(1))), (0x13, run(1, leb(MILLIONS)))],
        [(0x21, run(1, leb(0))), (0x23, run(1, leb(1))), (0x42, run(1, leb(1))),
         (0x80, run(1, leb(MILLIONS))), (0x81, run(MILLIONS, leb(0))),
         (0x83, run(MILLIONS, leb(1)))])),
    "an unknown column of long texts": lambda: chunk(1, change(
        [(0x15, run(260_000, leb(1) + b"a")), (0x42, run(260_000, leb(1))),
         (0x0f5, run(260_000, leb(4000) + b"x" * 4000))])),
}


def sync(*chunks, heads=(), need=(), haves=1):
    """A sync message."""
    def hashes(some):
        return leb(len(some)) + b"".join(some)
    return (b"\x42" + hashes(heads) + hashes(need) + leb(haves) + b"\0\0" * haves
            + leb(len(chunks)) + b"".join(leb(len(data)) + data for data in chunks))


def messages():
    """A peer's message about one document, by name."""
    yield "a filter of 2^64 bits", (
        b"\x42\0\0\1\0" + leb(11) + leb(2**32 - 1) * 2 + leb(7) + b"\0")
    yield "a hundred thousand summaries", sync(haves=100_000)
    yield "a head a hundred thousand times", sync(heads=[b"\1" * 32] * 100_000)
    for name, make in BOMBS.items():
        yield name, sync(make(), heads=[b"\1" * 32])


class Peer:
    """A WebSocket that has joined `docs serve`, implemented without a library."""

    def __init__(self, port, name="hostile"):
        self.name = name
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.socket.sendall((
            "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
            + base64.b64encode(bytes(16)).decode() + "\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self._more()
        self.rest = self.rest.split(b"\r\n\r\n", 1)[1]
        self.send({"type": "join", "senderId": name, "peerMetadata": {}})
        self.server = self._text(self.receive(), "senderId")

    def _more(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise EOFError
        return data

    @staticmethod
    def _text(message, key):
        """Returns the text after a key; sufficient for names that the server chose."""
        at = message.index(key.encode()) + len(key)
        length = message[at] & 0x1F
        at += 1
        if length == 24:
            length, at = message[at], at + 1
        return message[at:at + length].decode()

    def send(self, fields):
        def head(major, count):
            return bytes([major << 5 | 26]) + struct.pack(">I", count)

        def value(item):
            if isinstance(item, dict):
                return head(5, len(item)) + b"".join(value(k) + value(v) for k, v in item.items())
            data = item if isinstance(item, bytes) else item.encode()
            return head(2 if isinstance(item, bytes) else 3, len(data)) + data
        payload = value(fields)
        self.socket.sendall(
            b"\x82\xff" + struct.pack(">Q", len(payload)) + bytes(4) + payload)

    def sync(self, document, data, kind="sync"):
        self.send({"type": kind, "senderId": self.name, "targetId": self.server,
                   "documentId": document, "data": data})

    def receive(self):
        """Returns the next message; pings and similar frames are ignored."""
        while True:
            while len(self.rest) < 2:
                self.rest += self._more()
            length, start = self.rest[1] & 0x7F, 2
            for code, form, size in ((126, ">H", 2), (127, ">Q", 8)):
                if length == code:
                    while len(self.rest) < 2 + size:
                        self.rest += self._more()
                    length, start = struct.unpack(form, self.rest[2:2 + size])[0], 2 + size
                    break
            while len(self.rest) < start + length:
                self.rest += self._more()
            opcode, payload = self.rest[0] & 15, self.rest[start:start + length]
            self.rest = self.rest[start + length:]
            if opcode == 2:
                return payload
            if opcode == 8:
                raise EOFError


class Server:
    """`docs serve` over a storage folder."""

    def __init__(self, tideline, folder, environment):
        self.errors = open(folder + ".errors", "wb")
        self.process = subprocess.Popen(
            [tideline, "docs", "serve", folder, "--port", "0", "--json"],
            stdout=subprocess.PIPE, stderr=self.errors, env=environment)
        line = self.process.stdout.readline()
        self.port = int(line.split(b"ws://127.0.0.1:")[1].split(b'"')[0])
        os.set_blocking(self.process.stdout.fileno(), False)

    def read(self):
        """Reads its output so that it never blocks."""
        while self.process.stdout.read(1 << 16):
            pass

    def usage(self):
        """Its processor time in seconds and its peak memory in megabytes."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        with open(f"/proc/{self.process.pid}/status") as file:
            peak = [line for line in file if line.startswith("VmHWM")][0].split()[1]
        return seconds, int(peak) / 1024

    def end(self):
        self.process.terminate()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def answers(port, document):
    """Returns whether a well-behaved peer gets a document, and after how many seconds."""
    begun = time.monotonic()
    peer = Peer(port, name="sound")
    peer.sync(document, sync(), kind="request")
    deadline = begun + 20
    while time.monotonic() < deadline:
        if b"sync" in peer.receive():
            return time.monotonic() - begun
    return None
