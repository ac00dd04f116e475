"""Starts the program under test, and reads its output and memory use."""

import asyncio
import json
import os
import resource
import signal
import tempfile
import uuid

from storage_folder import put, snapshot_name


class Store:
    """A storage folder of automerge-repo."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tideline-peers-")
        self.path = self.folder.name
        put(self.path, ["storage-adapter-id"], str(uuid.uuid4()).encode())

    def add(self, name, document):
        put(self.path, [name, "snapshot", snapshot_name(document)], document.save())


class Program:
    """`docs sync` or `docs serve`, printing events as lines of JSON."""

    def __init__(self, process):
        self.process = process
        self.events = []
        self.errors = ""
        self.changed = asyncio.Condition()
        self.reader = asyncio.create_task(self.read())

    @classmethod
    async def start(cls, program, *arguments, **environment):
        process = await asyncio.create_subprocess_exec(
            program,
            *arguments,
            "--json",
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **environment},
            limit=1 << 24,
        )
        return cls(process)

    async def read(self):
        complaints = asyncio.create_task(self.read_errors())
        async for line in self.process.stdout:
            self.events.append(json.loads(line))
            async with self.changed:
                self.changed.notify_all()
        await complaints
        async with self.changed:
            self.changed.notify_all()

    async def read_errors(self):
        async for line in self.process.stderr:
            self.errors += line.decode()

    def find(self, name, **fields):
        for event in self.events:
            if event["event"] == name and all(event.get(k) == v for k, v in fields.items()):
                return event
        return None

    async def until(self, name, seconds=20, **fields):
        async def wait():
            async with self.changed:
                await self.changed.wait_for(lambda: self.find(name, **fields) is not None)

        try:
            await asyncio.wait_for(wait(), seconds)
        except asyncio.TimeoutError:
            last = self.events[-5:]
            raise AssertionError(f"no event {name} {fields}; the last were {last}") from None
        return self.find(name, **fields)

    @property
    def peak_megabytes(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("VmHWM"):
                    return int(line.split()[1]) // 1024
        return 0

    @staticmethod
    def peak_of_ended():
        """The peak memory of all ended programs, in megabytes."""
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024

    async def ends(self, seconds=40):
        try:
            code = await asyncio.wait_for(self.process.wait(), seconds)
        except asyncio.TimeoutError:
            raise AssertionError(f"it does not end; the last were {self.events[-5:]}") from None
        await self.reader
        return code

    async def kill(self):
        self.process.kill()
        await self.process.wait()
        await self.reader

    async def interrupt(self):
        """SIGINT must end the program immediately with exit code 0."""
        os.kill(self.process.pid, signal.SIGINT)
        code = await self.ends(10)
        assert code == 0, f"interrupted, it ended with {code}"
