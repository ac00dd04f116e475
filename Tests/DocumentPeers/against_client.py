"""automerge-repo's server, and worse ones, against `docs sync`."""

import asyncio
import contextlib
import os

from against_server import document
from automerge_peer import Peer, get, new_id
from running import Program, Store
from storage_folder import load, set_key

import websockets


@contextlib.asynccontextmanager
async def server(documents, faults=()):
    """A server; each connection of `faults` is treated so before the first that is sound."""
    faults = list(faults)
    peers = []

    async def handle(socket):
        if faults:
            await faults.pop(0)(socket)
            return
        peer = Peer("storage-server-python", documents)
        peers.append(peer)
        await peer.accept(socket)

    async with websockets.serve(handle, "127.0.0.1", 0, max_size=None) as running:
        port = running.sockets[0].getsockname()[1]
        yield f"ws://127.0.0.1:{port}", peers


async def pushes_and_fetches(program):
    store = Store()
    own, theirs, lacking = new_id(), new_id(), new_id()
    store.add(own, document(title="own"))
    documents = {theirs: document(title="theirs")}
    async with server(documents) as (url, _):
        running = await Program.start(program, "sync", store.path, url, "--once")
        assert await running.ends() == 0, running.events
        assert get(documents[own], "title") == "own"
        running = await Program.start(program, "sync", store.path, url, theirs, "--once")
        assert await running.ends() == 0, running.events
        assert get(load(store.path, theirs)[0], "title") == "theirs"
        running = await Program.start(program, "sync", store.path, url, lacking, "--once")
        assert await running.ends() == 1, running.events
        assert running.find("unavailable", document=lacking)


async def goes_on(program):
    """A server that dies, talks nonsense and sends a gigabyte, and is sound then."""

    async def dies(socket):
        socket.transport.abort()

    async def dies_late(socket):
        await socket.recv()
        socket.transport.abort()

    async def nonsense(socket):
        await socket.recv()
        await socket.send(os.urandom(1_000))
        await socket.wait_closed()

    async def gigabyte(socket):
        await socket.recv()
        with contextlib.suppress(websockets.ConnectionClosed, OSError):
            await socket.send(bytes(1 << 20) for _ in range(1_000))
        await socket.wait_closed()

    store = Store()
    name = new_id()
    store.add(name, document(title="one"))
    documents = {}
    async with server(documents, [dies, dies_late, nonsense, gigabyte]) as (url, peers):
        running = await Program.start(program, "sync", store.path, url)
        await running.until("alike", document=name, seconds=60)
        assert sum(event["event"] == "retrying" for event in running.events) == 4
        await peers[-1].edit(name, "title", "two")
        await running.until("received", document=name)
        peak = running.peak_megabytes
        await running.interrupt()
    assert get(load(store.path, name)[0], "title") == "two"
    assert peak < 400, f"{peak} MB of memory"
    return f"{peak} MB"


async def hostile(program):
    """A server that never is sound: `--once` ends with what is wrong."""

    async def bad_frames(socket):
        await socket.recv()
        # A frame of 2^62 bytes, and the beginning of them.
        socket.transport.write(b"\x82\x7f" + bytes([0x40]) + bytes(7) + bytes(1_000))
        await socket.wait_closed()

    async def text(socket):
        await socket.recv()
        with contextlib.suppress(websockets.ConnectionClosed):
            await socket.send("a text frame")
        await socket.wait_closed()

    async def garbage(socket):
        await socket.recv()
        with contextlib.suppress(websockets.ConnectionClosed):
            await socket.send(os.urandom(100))
        await socket.wait_closed()

    async def middle(socket):
        await socket.recv()
        socket.transport.write(b"\x82\x7e\x10\x00" + bytes(100))
        socket.transport.close()

    async def silent(socket):
        await socket.wait_closed()

    async def bad_ids(socket):
        peer = Peer("storage-server-python")

        async def flood():
            await asyncio.sleep(0)
            with contextlib.suppress(websockets.ConnectionClosed):
                for number in range(100):
                    await peer.send("sync", documentId=f"no-{number}", data=b"\x42")

        peer.take = lambda message: flood()
        await peer.accept(socket)

    async def ends_with(fault, code, words):
        store, name = Store(), new_id()
        store.add(name, document(title="own"))
        async with server({}, [fault] * 3) as (url, _):
            running = await Program.start(program, "sync", store.path, url, "--once")
            ended = await running.ends(60)
            said = running.errors
            assert ended == code, f"{fault.__name__}: {ended}: {said}"
            assert said.startswith(f"tideline: {url}: ") and words in said, said
            assert running.peak_of_ended() < 400

    await asyncio.gather(
        ends_with(bad_frames, 65, "bytes"),
        ends_with(text, 65, "text"),
        ends_with(garbage, 65, "not CBOR"),
        ends_with(middle, 74, "ended"),
        ends_with(silent, 74, "did not answer"),
        ends_with(bad_ids, 65, "no sense"),
    )


async def another_program_writes(program):
    """What another program writes into the folder goes to the server."""
    store = Store()
    name = new_id()
    made = document(title="one")
    store.add(name, made)
    documents = {}
    async with server(documents) as (url, peers):
        running = await Program.start(program, "sync", store.path, url)
        await running.until("alike", document=name)
        set_key(made, "title", "two")
        store.add(name, made)
        await peers[-1].until_value(name, "title", "two")
        await running.interrupt()


async def unreachable(program):
    store = Store()
    running = await Program.start(program, "sync", store.path, "ws://127.0.0.1:1", "--once")
    assert await running.ends() == 74, running.events
    running = await Program.start(program, "sync", store.path, "http://127.0.0.1", "--once")
    assert await running.ends() == 64


SCENARIOS = [pushes_and_fetches, goes_on, hostile, another_program_writes, unreachable]
