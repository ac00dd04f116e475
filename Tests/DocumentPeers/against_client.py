"""automerge-repo's server, and broken or hostile ones, against `docs sync`."""

import asyncio
import contextlib
import os
import socket
import ssl
import subprocess
import tempfile

from against_server import document
from automerge_peer import STORAGE_ID, Peer, get, new_id
from running import Program, Store
from storage_folder import load, set_key

import websockets


@contextlib.asynccontextmanager
async def server(documents, faults=(), storage_id=STORAGE_ID, tls=None):
    """A server. Each of `faults` breaks one connection before the first sound one."""
    faults = list(faults)
    peers = []

    async def handle(socket):
        if faults:
            await faults.pop(0)(socket)
            return
        peer = Peer("storage-server-python", documents, storage_id=storage_id)
        peers.append(peer)
        await peer.accept(socket)

    async with websockets.serve(
        handle, "localhost", 0, family=socket.AF_INET, max_size=None, ssl=tls
    ) as running:
        port = running.sockets[0].getsockname()[1]
        yield (f"wss://localhost:{port}" if tls else f"ws://127.0.0.1:{port}"), peers


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
    """A server that crashes, sends garbage and announces a gigabyte, then works."""

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
        await running.until("inSync", document=name, seconds=60)
        assert sum(event["event"] == "retrying" for event in running.events) == 4
        await peers[-1].edit(name, "title", "two")
        await running.until("received", document=name)
        peak = running.peak_megabytes
        await running.interrupt()
    assert get(load(store.path, name)[0], "title") == "two"
    assert peak < 400, f"{peak} MB of memory"
    return f"{peak} MB"


async def hostile(program):
    """A server that never works: `--once` ends with the error."""

    async def bad_frames(socket):
        await socket.recv()
        # A frame of 2^62 bytes, and the first few of them.
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
        ends_with(bad_ids, 65, "could not be understood"),
    )


async def another_program_writes(program):
    """Changes that another program writes into the folder reach the server."""
    store = Store()
    name = new_id()
    made = document(title="one")
    store.add(name, made)
    documents = {}
    async with server(documents) as (url, peers):
        running = await Program.start(program, "sync", store.path, url)
        await running.until("inSync", document=name)
        set_key(made, "title", "two")
        store.add(name, made)
        await peers[-1].until_value(name, "title", "two")
        await running.interrupt()


class Authority:
    """Certificates of an authority, created with openssl."""

    def __init__(self, folder, name):
        self.folder = folder
        self.key, self.file = self.path(name, "key"), self.path(name, "pem")
        self.openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.key, "-out",
            self.file, "-days", "2", "-subj", f"/CN={name}",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=keyCertSign")

    def path(self, name, ending):
        return os.path.join(self.folder, f"{name}.{ending}")

    @staticmethod
    def openssl(*arguments):
        done = subprocess.run(["openssl", *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def context(self, name, host="localhost", until=2049):
        """Creates a certificate for a host, valid until the first day of a year."""
        key, request, made = (self.path(name, end) for end in ("key", "csr", "pem"))
        extensions = self.path(name, "ext")
        with open(extensions, "w") as file:
            file.write(f"subjectAltName=DNS:{host}\n")
        self.openssl(
            "req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request,
            "-subj", f"/CN={host}")
        settings = self.path(name, "cnf")
        index = self.path(name, "index")
        open(index, "w").close()
        with open(settings, "w") as file:
            file.write(
                "[ca]\ndefault_ca = test\n[test]\ndefault_md = sha256\npolicy = any\n"
                f"database = {index}\nnew_certs_dir = {self.folder}\nrand_serial = yes\n"
                "[any]\ncommonName = supplied\n")
        self.openssl(
            "ca", "-batch", "-config", settings, "-cert", self.file, "-keyfile", self.key,
            "-in", request, "-out", made, "-notext", "-extfile", extensions,
            "-startdate", "20200101000000Z", "-enddate", f"{until}0101000000Z")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(made, key)
        return context


async def encrypted(program):
    """wss servers: a trusted one, and untrusted ones."""
    with tempfile.TemporaryDirectory(prefix="tideline-peers-") as folder:
        ours, others = Authority(folder, "ours"), Authority(folder, "others")
        store, own, theirs = Store(), new_id(), new_id()
        store.add(own, document(title="own"))
        documents = {theirs: document(title="theirs")}
        async with server(documents, tls=ours.context("good")) as (url, _):
            running = await Program.start(
                program, "sync", store.path, url, own, theirs, "--once",
                SSL_CERT_FILE=ours.file)
            assert await running.ends() == 0, running.errors
            assert get(documents[own], "title") == "own"
            assert get(load(store.path, theirs)[0], "title") == "theirs"

        async def refused(context, words, trusted=ours.file):
            lacking = {}
            async with server(lacking, tls=context) as (url, peers):
                running = await Program.start(
                    program, "sync", store.path, url, own, "--once", SSL_CERT_FILE=trusted)
                assert await running.ends() == 74, running.events
                said = running.errors
                assert said.startswith("tideline: ") and words in said, said
                assert said.count("\n") == 1, said
                # The client sent nothing to the server.
                assert not peers and not lacking

        await refused(ours.context("expired", until=2021), "has expired, or this system")
        await refused(others.context("untrusted"), "this system doesn't trust it")
        await refused(ours.context("elsewhere", host="example.org"), "is for another name")
        old = ours.context("old")
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        await refused(old, "TLS")
        await refused(ours.context("again"), "this system doesn't trust it", trusted="")
        await refused(
            ours.context("none"), "no readable PEM certificates", trusted=os.path.join(folder, "no"))


async def remembers(program):
    """The sync state with a server that names its store is kept in automerge-repo's format."""
    store, name = Store(), new_id()
    made = document(title="own")
    store.add(name, made)
    kept = os.path.join(store.path, name[:2], name[2:], "sync-state", STORAGE_ID)

    async def once(documents, **options):
        async with server(documents, **options) as (url, _):
            running = await Program.start(program, "sync", store.path, url, "--once")
            assert await running.ends() == 0, running.errors

    await once({}, storage_id=None)
    assert not os.path.exists(kept), "of a server without a store nothing is to be kept"
    documents = {}
    await once(documents)

    def check():
        heads = documents[name].get_heads()
        with open(kept, "rb") as file:
            state = file.read()
        assert state == b"\x43" + bytes([len(heads)]) + b"".join(sorted(heads)), state

    check()
    # The next run continues from the state, even if it names unknown changes or is damaged.
    set_key(made, "title", "changed")
    store.add(name, made)
    await once(documents)
    check()
    assert get(documents[name], "title") == "changed"
    for wrong in (b"", b"\x43", b"\x43\x01" + bytes(32), os.urandom(100)):
        with open(kept, "wb") as file:
            file.write(wrong)
        set_key(made, "title", str(len(wrong)))
        store.add(name, made)
        await once(documents)
        check()
        assert get(documents[name], "title") == str(len(wrong))


async def nothing_to_say(program):
    """The index of a new workspace has no change yet: the sync doesn't wait for it."""
    with tempfile.TemporaryDirectory(prefix="tideline-peers-") as folder:
        beside = os.path.join(os.path.dirname(program), "tideline")
        path = os.path.join(folder, "Notes.store")
        device = {**os.environ, "TIDELINE_DEVICE": "desk"}
        for arguments in (["kv", "create", path], ["docs", "new", path, "Plans"]):
            subprocess.run([beside, *arguments], env=device, check=True, capture_output=True)
        async with server({}) as (url, _):
            running = await Program.start(
                program, "sync", path, url, "--once", TIDELINE_DEVICE="desk")
            assert await running.ends(10) == 0, running.errors


async def unreachable(program):
    store = Store()
    running = await Program.start(program, "sync", store.path, "ws://127.0.0.1:1", "--once")
    assert await running.ends() == 74, running.events
    running = await Program.start(program, "sync", store.path, "http://127.0.0.1", "--once")
    assert await running.ends() == 64


SCENARIOS = [
    pushes_and_fetches,
    goes_on,
    hostile,
    another_program_writes,
    encrypted,
    remembers,
    nothing_to_say,
    unreachable,
]
