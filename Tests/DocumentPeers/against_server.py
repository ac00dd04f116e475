"""automerge-repo's client, and broken or hostile ones, against `docs serve`."""

import asyncio
import os
import socket
import struct

import cbor2
from automerge import core
from automerge_peer import Peer, encode, get, new_id
from running import Program, Store
from storage_folder import load, set_key

import websockets


def document(**values):
    made = core.Document()
    for key, value in values.items():
        set_key(made, key, value)
    return made


class Server:
    def __init__(self, program, *options):
        self.program, self.options = program, options

    async def __aenter__(self):
        self.store = Store()
        self.name = new_id()
        self.store.add(self.name, document(title="on the server"))
        self.running = await Program.start(
            self.program, "serve", self.store.path, "--port", "0", *self.options
        )
        event = await self.running.until("listening")
        self.url = event["address"]
        self.port = int(self.url.rsplit(":", 1)[1])
        return self

    async def __aexit__(self, kind, *_):
        if self.running.process.returncode is None:
            if kind:
                self.running.process.kill()
            else:
                await self.running.interrupt()

    async def client(self, name, documents=None):
        return await Peer(name, documents).join(self.url)

    async def works(self):
        """Returns whether the server still serves well-behaved clients."""
        peer = await self.client("peer-" + os.urandom(4).hex())
        await peer.request(self.name)
        await peer.until_value(self.name, "title", "on the server")
        await peer.leave()


async def requests(program):
    async with Server(program) as server:
        await server.works()
        peer = await server.client("peer-one")
        lacking = new_id()
        await peer.request(lacking)
        await peer.until(lambda: lacking in peer.unavailable, "doc-unavailable")
        await peer.leave()


async def both_directions(program):
    async with Server(program) as server:
        new = new_id()
        one = await server.client("peer-one", {new: document(title="from a client")})
        await one.sync(new)
        await server.running.until("created", document=new)
        await one.edit(new, "more", "later")
        two = await server.client("peer-two")
        await two.request(new)
        await two.until_value(new, "more", "later")
        await two.edit(new, "back", "from the other")
        await one.until_value(new, "back", "from the other")
        await one.leave()
        await two.leave()
        # Everything is on disk, as another process can read it.
        await server.running.interrupt()
        kept = load(server.store.path, new)[0]
        assert get(kept, "back") == "from the other" and get(kept, "more") == "later"


async def late_document(program):
    async with Server(program) as server:
        late = new_id()
        asking = await server.client("peer-asking")
        await asking.request(late)
        await asking.until(lambda: late in asking.unavailable, "doc-unavailable")
        bringing = await server.client("peer-bringing", {late: document(title="late")})
        await bringing.sync(late)
        await asking.until_value(late, "title", "late")
        await asking.leave()
        await bringing.leave()


async def ephemeral(program):
    async with Server(program) as server:
        one, two = await server.client("peer-one"), await server.client("peer-two")
        stranger = await server.client("peer-stranger")
        for peer in (one, two):
            await peer.request(server.name)
            await peer.until_value(server.name, "title", "on the server")
        data = cbor2.dumps({"__presence": {"type": "heartbeat"}})
        for count in (1, 2, 2, 1, 3):
            await one.send(
                "ephemeral", documentId=server.name, data=data, count=count, sessionId="run"
            )
        await two.until(lambda: len(two.ephemeral) >= 3, "three ephemeral messages")
        # Repeated messages aren't forwarded, and neither are messages under another client's name.
        fields = {"documentId": server.name, "data": data, "count": 9, "sessionId": "run"}
        await one.socket.send(
            encode({"type": "ephemeral", "targetId": one.other, **fields, "senderId": "peer-two"})
        )
        await one.edit(server.name, "end", "behind all of it")
        await two.until_value(server.name, "end", "behind all of it")
        assert [m["count"] for m in two.ephemeral] == [1, 2, 3], two.ephemeral
        assert all(m["senderId"] == "peer-one" and m["data"] == data for m in two.ephemeral)
        assert not stranger.ephemeral and not stranger.documents
        for peer in (one, two, stranger):
            await peer.leave()


async def unknown_types(program):
    """Message types of later versions are ignored, however many arrive."""
    async with Server(program) as server:
        peer = await server.client("peer-new")
        storage = "3760df37-a4c6-4f66-9ecd-732039a9385d"
        for number in range(200):
            await peer.send("remote-subscription-change", add=[storage], remove=None)
            await peer.send(f"new-{number}", documentId=server.name, anything=[1, {"a": b"x"}])
        await peer.request(server.name)
        await peer.until_value(server.name, "title", "on the server")
        await peer.leave()


async def acknowledged(program):
    """Changes that a server acknowledged are on disk: it is killed right after the acknowledgement."""
    store, name = Store(), new_id()
    documents = {name: document(title="one")}
    for number in range(12):
        running = await Program.start(program, "serve", store.path, "--port", "0")
        url = (await running.until("listening"))["address"]
        peer = await Peer(f"peer-{number}", documents).join(url)
        await peer.sync(name)
        for edit in range(3):
            await peer.edit(name, f"key-{number}-{edit}", str(edit))
        head = documents[name].get_heads()[0]
        await peer.until(lambda: head in peer.heads.get(name, ()), "the server to have it")
        await running.kill()
        await peer.leave()
        kept = load(store.path, name)[0]
        assert head in kept.get_heads(), f"round {number}: not on disk"
        assert get(kept, f"key-{number}-2") == "2"


async def read_only(program):
    async with Server(program, "--read-only") as server:
        new = new_id()
        peer = await server.client("peer-one", {new: document(title="unwanted")})
        await peer.request(server.name)
        await peer.until_value(server.name, "title", "on the server")
        await peer.sync(new)
        await peer.until(lambda: new in peer.unavailable, "doc-unavailable")
        await peer.edit(server.name, "title", "changed")
        await server.running.until("refused", document=server.name)
        await peer.leave()
        await server.works()


async def deaths(program):
    async with Server(program) as server:
        for cut in (1, 3, 20, 200, 5_000):
            peer = await server.client(f"peer-{cut}", {new_id(): document(text="x" * 20_000)})
            name = next(iter(peer.documents))
            state = core.SyncState()
            message = peer.documents[name].generate_sync_message(state).encode()
            frame = encode(
                {
                    "type": "sync",
                    "targetId": peer.other,
                    "documentId": name,
                    "data": message + os.urandom(10_000),
                    "senderId": peer.name,
                }
            )
            transport = peer.socket.transport
            transport.write((b"\x82\xfe" + struct.pack(">H", len(frame)) + bytes(4) + frame)[:cut])
            transport.abort()
            peer.reader.cancel()
        await server.works()


async def garbage(program):
    async with Server(program) as server:
        map_of = lambda **fields: encode(fields)
        joined = map_of(type="join", senderId="g", supportedProtocolVersions=["1"])
        for first in (
            os.urandom(100),
            b"\xff",
            b"\x9f" * 5_000,
            b"\xbb" + b"\xff" * 8,
            map_of(type="join"),
            map_of(type="join", senderId="g", supportedProtocolVersions=["9"]),
            "a text frame",
            joined + b"\x00",
            os.urandom(200_000),
        ):
            async with websockets.connect(server.url, max_size=None) as connection:
                await connection.send(first)
                await ends(connection)
        # A client that has joined properly first.
        name = server.name
        for then in (
            [os.urandom(1_000)],
            [map_of(type="sync", senderId="g", targetId="s", documentId="no", data=b"x")] * 40,
            [map_of(type="sync", senderId="g", targetId="s", documentId=name, data=b"")] * 40,
        ):
            async with websockets.connect(server.url, max_size=None) as connection:
                await connection.send(joined)
                await connection.recv()
                for message in then:
                    try:
                        await connection.send(message)
                    except websockets.ConnectionClosed:
                        break
                await ends(connection)
        # Damaged sync messages about an existing document.
        peer = await server.client("peer-damaging")
        for _ in range(40):
            try:
                await peer.send(
                    "sync", documentId=name, data=b"\x42" + os.urandom(60)
                )
            except websockets.ConnectionClosed:
                break
        await asyncio.wait_for(peer.reader, 10)
        await server.works()


async def ends(connection):
    async def drain():
        try:
            while True:
                await connection.recv()
        except websockets.ConnectionClosed:
            pass

    await asyncio.wait_for(drain(), 15)


async def floods(program):
    async with Server(program) as server:
        flooding = await server.client("peer-flooding")

        async def flood():
            try:
                for _ in range(30_000):
                    await flooding.request(new_id())
                    flooding.documents.clear()
                    flooding.states.clear()
            except websockets.ConnectionClosed:
                pass

        task = asyncio.create_task(flood())
        # The server still answers other clients.
        for _ in range(5):
            await server.works()
        await asyncio.wait_for(task, 120)
        await server.works()
        # A client that sends but never reads.
        raw = socket.create_connection(("127.0.0.1", server.port))
        raw.settimeout(5)
        raw.sendall(handshake(server.port))
        raw.recv(4_096)
        join = encode({"type": "join", "senderId": "deaf", "supportedProtocolVersions": ["1"]})
        raw.sendall(masked(join))
        pings = masked(bytes(125), head=0x89) * 500
        try:
            for _ in range(200):
                raw.sendall(pings)
        except OSError:
            pass
        await server.works()
        raw.close()
        peak = server.running.peak_megabytes
        assert peak < 400, f"{peak} MB of memory"
        return f"{peak} MB"


def handshake(port):
    return (
        f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ).encode()


def masked(data, head=0x82, length=None):
    """A frame with a mask of zeros; `length` is the length in its header."""
    length = len(data) if length is None else length
    if length < 126:
        size = bytes([0x80 | length])
    elif length < 65_536:
        size = b"\xfe" + struct.pack(">H", length)
    else:
        size = b"\xff" + struct.pack(">Q", length)
    return bytes([head]) + size + bytes(4) + data


async def gigabytes(program):
    async with Server(program) as server:
        join = encode({"type": "join", "senderId": "big", "supportedProtocolVersions": ["1"]})
        block = bytes(1 << 20)

        def push(*frames):
            raw = socket.create_connection(("127.0.0.1", server.port))
            raw.settimeout(10)
            raw.sendall(handshake(server.port))
            raw.recv(4_096)
            sent = 0
            try:
                for frame in frames:
                    raw.sendall(frame)
                    sent += len(frame)
                while raw.recv(65_536):
                    pass
            except OSError:
                pass
            raw.close()
            return sent

        many = [masked(block, head=0x00)] * 1_000
        cases = {
            "one frame before joining": [masked(b"", length=1 << 30)] + [block] * 1_000,
            "one frame": [masked(join), masked(b"", length=1 << 30)] + [block] * 1_000,
            "longer than can be": [masked(join), masked(b"", length=1 << 62)] + [block] * 1_000,
            "many frames": [masked(join), masked(block, head=0x02)] + many,
            "many frames before joining": [masked(block, head=0x02)] + many,
        }
        for name, frames in cases.items():
            sent = await asyncio.to_thread(push, *frames)
            assert sent < 200 << 20, f"{name}: {sent >> 20} MB were taken"
        await server.works()
        peak = server.running.peak_megabytes
        assert peak < 500, f"{peak} MB of memory"
        return f"{peak} MB"


async def silence(program):
    async with Server(program) as server:
        # Clients that never join or don't even request a WebSocket are disconnected.
        quiet = await websockets.connect(server.url)
        raw = socket.create_connection(("127.0.0.1", server.port))
        raw.settimeout(20)
        await asyncio.wait_for(ends(quiet), 20)
        assert await asyncio.to_thread(raw.recv, 1) == b""
        await server.works()


SCENARIOS = [
    requests, both_directions, late_document, ephemeral, unknown_types, acknowledged, read_only,
    deaths, garbage, floods, gigabytes, silence,
]
