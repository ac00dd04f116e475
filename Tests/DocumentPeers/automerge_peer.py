"""The network protocol of automerge-repo as its programs speak it, with PyPI's automerge."""

import asyncio
import os
import struct

import cbor2
from automerge import core
from storage_folder import base58check, set_key

import websockets


# The store of a server that keeps one.
STORAGE_ID = "3760df37-a4c6-4f66-9ecd-732039a9385d"


def new_id():
    return base58check(os.urandom(16))


def encode(message):
    """Encodes like cbor-x: every map has a two-byte length, and undefined is written out."""

    def value(item):
        if isinstance(item, dict):
            body = b"".join(value(key) + value(part) for key, part in item.items())
            return b"\xb9" + struct.pack(">H", len(item)) + body
        if isinstance(item, list):
            return bytes([0x80 | len(item)]) + b"".join(map(value, item))
        if item is None:
            return b"\xf7"
        if isinstance(item, int) and not isinstance(item, bool) and item > 0xFFFFFFFF:
            return cbor2.dumps(float(item))
        return cbor2.dumps(item)

    return value(message)


def announced_heads(message):
    """The heads of a sync message, whose changes its sender has stored."""
    count, shift, place = 0, 0, 1
    while True:
        byte = message[place]
        count |= (byte & 0x7F) << shift
        shift, place = shift + 7, place + 1
        if byte < 0x80:
            break
    return {message[place + 32 * i : place + 32 * (i + 1)] for i in range(count)}


def get(document, key):
    found = document.get(core.ROOT, key)
    return found and found[0][1]


class Peer:
    """One side of a connection: documents, and the shared heads of each."""

    def __init__(self, name, documents=None, storage_id=STORAGE_ID):
        self.storage_id = storage_id
        self.name = name
        self.other = None
        self.documents = documents if documents is not None else {}
        self.states = {}
        self.heads = {}
        self.unavailable = set()
        self.ephemeral = []
        self.errors = []
        self.changed = asyncio.Condition()
        self.socket = None
        self.count = 0
        self.reader = None

    # Joining

    async def join(self, url):
        # A machine that is busy with a flood can be slow.
        self.socket = await websockets.connect(
            url, max_size=None, compression=None, open_timeout=60
        )
        await self.socket.send(
            encode(
                {
                    "type": "join",
                    "senderId": self.name,
                    "peerMetadata": {"storageId": None, "isEphemeral": True},
                    "supportedProtocolVersions": ["1"],
                }
            )
        )
        answer = cbor2.loads(await asyncio.wait_for(self.socket.recv(), 10))
        assert answer["type"] == "peer", answer
        assert answer["selectedProtocolVersion"] == "1", answer
        assert answer["targetId"] == self.name, answer
        self.other = answer["senderId"]
        self.reader = asyncio.create_task(self.read())
        return self

    async def accept(self, socket):
        self.socket = socket
        hello = cbor2.loads(await asyncio.wait_for(socket.recv(), 10))
        assert hello["type"] == "join", hello
        assert hello["supportedProtocolVersions"] == ["1"], hello
        self.other = hello["senderId"]
        await socket.send(
            encode(
                {
                    "type": "peer",
                    "senderId": self.name,
                    "peerMetadata": {
                        "storageId": self.storage_id,
                        "isEphemeral": self.storage_id is None,
                    },
                    "selectedProtocolVersion": "1",
                    "targetId": self.other,
                }
            )
        )
        await self.read()

    async def leave(self):
        await self.socket.close()
        if self.reader:
            await self.reader

    # Documents

    async def send(self, kind, **fields):
        message = {"type": kind, "targetId": self.other, **fields, "senderId": self.name}
        await self.socket.send(encode(message))

    async def sync(self, name, kind="sync"):
        document = self.documents.setdefault(name, core.Document())
        state = self.states.setdefault(name, core.SyncState())
        message = document.generate_sync_message(state)
        if message is not None:
            await self.send(kind, documentId=name, data=message.encode())

    async def request(self, name):
        await self.sync(name, "request")

    async def edit(self, name, key, value):
        document = self.documents.setdefault(name, core.Document())
        set_key(document, key, value)
        if self.socket:
            await self.sync(name)

    async def read(self):
        try:
            async for data in self.socket:
                await self.take(cbor2.loads(data))
        except websockets.ConnectionClosed:
            pass
        async with self.changed:
            self.changed.notify_all()

    async def take(self, message):
        kind = message["type"]
        # The checks that all programs of this protocol apply to received messages.
        if kind != "error":
            assert message["targetId"] == self.name, message
        name = message.get("documentId")
        if kind in ("sync", "request"):
            document = self.documents.get(name)
            if document is None and kind == "request":
                await self.send("doc-unavailable", documentId=name)
            else:
                document = self.documents.setdefault(name, core.Document())
                state = self.states.setdefault(name, core.SyncState())
                document.receive_sync_message(state, core.Message.decode(message["data"]))
                self.heads[name] = announced_heads(message["data"])
                self.unavailable.discard(name)
                await self.sync(name)
        elif kind == "doc-unavailable":
            self.unavailable.add(name)
        elif kind == "ephemeral":
            self.ephemeral.append(message)
        elif kind == "error":
            self.errors.append(message["message"])
        async with self.changed:
            self.changed.notify_all()

    async def until(self, condition, what, seconds=20):
        async def wait():
            async with self.changed:
                await self.changed.wait_for(condition)

        try:
            await asyncio.wait_for(wait(), seconds)
        except asyncio.TimeoutError:
            raise AssertionError(f"{self.name}: {what}: not within {seconds} s") from None

    async def until_value(self, name, key, value):
        await self.until(
            lambda: name in self.documents and get(self.documents[name], key) == value,
            f"{key} = {value}",
        )
