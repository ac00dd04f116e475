"""Programs that write at random to all stores of a side and remember the acknowledged writes."""

import json
import time

import package as packages

ANNA, BEN = "anna-desk", "ben's téléphone"
SERVERS = 6


class Writer:
    """A device that writes on one side. All writes acknowledged by a command (exit 0) must survive."""

    def __init__(self, side, device, random, scratch):
        self.side = side
        self.device = device
        self.random = random
        self.scratch = f"{scratch}/{side.name}-{len(device.encode())}-{random.random()}"
        self.count = 0
        # Rows of the log: key and value, `None` for a deletion.
        self.rows = []
        # The current keys, entities and blobs of the device; `None` for a deleted blob.
        self.keys = {}
        self.entities = {}
        self.related = []
        self.blobs = {}
        self.loads = {}
        # Items that both sides have had. Items that were deleted right away are never carried.
        self.carried = {"keys": set(), "entities": set(), "blobs": set()}
        # All entities that ever existed, and the properties that several devices set.
        self.entities_ever = set()
        self.shared_properties = []

    def tell(self, *words):
        return self.side.tell(self.device, *words).returncode == 0

    def new_value(self):
        self.count += 1
        value = f"{self.device} {self.count} {self.random.getrandbits(32)}"
        return value + " long" * self.random.choice([0, 0, 0, 40, 400])

    def own_key(self):
        return f"{self.device}/{self.random.randrange(25)}"

    def given(self, key, value):
        self.rows.append((key, value))
        if key.startswith(self.device + "/"):
            self.keys[key] = value

    def set(self, key, value=None):
        value = value or self.new_value()
        if self.tell("kv", "set", self.side.path, key, value):
            self.given(key, value)
        return value

    # Steps

    def set_own(self):
        self.set(self.own_key())

    def set_shared(self):
        self.set(f"shared/{self.random.randrange(6)}")

    def unset(self):
        live = [key for key, value in self.keys.items() if value is not None]
        if not live:
            return
        key = self.random.choice(sorted(live))
        if self.tell("kv", "unset", self.side.path, key):
            self.given(key, None)

    def batch(self):
        values = {self.own_key(): self.new_value() for _ in range(self.random.randrange(2, 15))}
        with open(self.scratch, "w") as file:
            json.dump(values, file)
        if self.tell("kv", "import", self.side.path, self.scratch):
            for key, value in values.items():
                self.given(key, value)

    def add_entity(self):
        self.count += 1
        identifier = f"{self.device}-{self.count}"
        title = self.new_value()
        if self.tell("entities", "add", self.side.path, "--type", "note", "--id", identifier,
                     f"title={title}"):
            self.entities[identifier] = {"title": title}
            self.entities_ever.add(identifier)

    def set_property(self):
        if self.random.random() < 0.3:
            value = self.new_value()
            if self.tell("entities", "set", self.side.path, "board", "title", value):
                self.shared_properties.append(value)
        elif self.entities:
            identifier = self.random.choice(sorted(self.entities))
            key, value = self.random.choice(["title", "body", "color"]), self.new_value()
            if self.tell("entities", "set", self.side.path, identifier, key, value):
                self.entities[identifier][key] = value

    def relate(self):
        if len(self.entities) > 1:
            one, other = self.random.sample(sorted(self.entities), 2)
            if self.tell("entities", "relate", self.side.path, one, "next", other):
                self.related.append((one, other))

    def delete_entity(self):
        if len(self.entities) > 3:
            identifier = self.random.choice(sorted(self.entities))
            if self.tell("entities", "delete", self.side.path, identifier):
                del self.entities[identifier]

    def put_blob(self):
        name = f"{self.device}/a trip/{self.random.randrange(5)}.bin"
        self.store(name, self.random.randbytes(self.random.choice([0, 10, 5000, 200_000])))

    def store(self, name, content):
        with open(self.scratch, "wb") as file:
            file.write(content)
        if self.tell("blobs", "put", self.side.path, name, self.scratch):
            self.blobs[name] = content

    def delete_blob(self):
        live = [name for name, content in self.blobs.items() if content is not None]
        if live:
            name = self.random.choice(sorted(live))
            if self.tell("blobs", "delete", self.side.path, name):
                self.blobs[name] = None

    def import_servers(self):
        servers = packages.logicals(self.device)
        servers["LogicalServers"] = servers["LogicalServers"][:SERVERS]
        with open(self.scratch, "w") as file:
            json.dump(servers, file)
        if self.tell("servers", "import", self.side.path, self.scratch):
            self.loads = {server["ID"]: server["Load"] for server in servers["LogicalServers"]}

    def import_loads(self):
        if not self.loads:
            return self.import_servers()
        loads = {server: self.random.randrange(100) for server in self.loads}
        with open(self.scratch, "w") as file:
            json.dump({"LogicalServers": [
                {"ID": server, "Load": load, "Score": 1.5, "Status": 1}
                for server, load in loads.items()]}, file)
        if self.tell("servers", "loads", self.side.path, self.scratch):
            self.loads = loads

    def write_everything(self):
        """Rewrites every file of the device, with the same or additional content."""
        self.set_own()
        if self.entities_ever:
            self.add_entity()
        if self.loads:
            self.import_loads()
        for name, content in sorted(self.blobs.items()):
            if content is not None:
                self.store(name, content)

    STEPS = [set_own] * 5 + [set_shared] * 2 + [unset, batch, batch, add_entity, add_entity,
             set_property, set_property, set_property, relate, delete_entity, put_blob, put_blob,
             import_servers, import_loads]

    def note_carried(self):
        """Records the current content, now that the other side has it too."""
        self.carried["keys"] |= {key for key, value in self.keys.items() if value is not None}
        self.carried["entities"] |= set(self.entities)
        self.carried["blobs"] |= {
            name for name, content in self.blobs.items() if content is not None}

    def write(self, seconds, deletes_blobs, pause=0.15):
        """Writes at random for some time, and every kind of content at least once."""
        steps = self.STEPS + ([Writer.delete_blob] if deletes_blobs else [])
        waiting = list(dict.fromkeys(steps))
        self.random.shuffle(waiting)
        end = time.monotonic() + seconds
        while waiting or time.monotonic() < end:
            (waiting.pop() if waiting else self.random.choice(steps))(self)
            time.sleep(self.random.random() * 2 * pause)


def missing(writer, side, answers):
    """Returns descriptions of the writer's content that a side doesn't show.

    `answers` is the output of the side's commands: lines of JSON by command.
    """
    faults = []
    device = writer.device

    rows = {(row["key"], row["value"]) for row in answers["log"] if row["device"] == device}
    gone = [row for row in writer.rows if row not in rows]
    if gone:
        faults.append(f"{len(gone)} acknowledged rows are not in the log, the first {gone[0]!r}")

    values = answers["kv list"][0] if answers["kv list"] else {}
    for key, value in writer.keys.items():
        if values.get(key) != value:
            faults.append(f"{key} is {values.get(key)!r}, not {value!r}")

    entities = {entity["identifier"]: entity["properties"] for entity in answers["entities list"]}
    for identifier, properties in writer.entities.items():
        found = entities.get(identifier)
        if found is None or any(found.get(key) != value for key, value in properties.items()):
            faults.append(f"the entity {identifier} is {found!r}, not {properties!r}")
    for identifier in writer.entities_ever - set(writer.entities):
        if identifier in entities:
            faults.append(f"the entity {identifier} is there, which was deleted")
    # An entity can point to several others, of which a list shows the newest.
    for one in sorted({one for one, _ in writer.related if one in writer.entities}):
        found = json.dumps(
            side.lines("entities", "related", side.path, one, "--json"), ensure_ascii=False)
        for other in sorted({other for there, other in writer.related if there == one}):
            if other in writer.entities and json.dumps(other, ensure_ascii=False) not in found:
                faults.append(f"{one} does not point to {other}")
    if writer.shared_properties:
        history = json.dumps(
            side.lines("entities", "show", side.path, "board", "--history", "--json"),
            ensure_ascii=False)
        gone = [value for value in writer.shared_properties if value not in history]
        if gone:
            faults.append(f"{len(gone)} acknowledged values are not in the history of board")

    listed = {blob["blob"] for blob in answers["blobs list"]}
    for name, content in writer.blobs.items():
        if (name in listed) != (content is not None):
            faults.append(f"the blob {name} {'was deleted' if content is None else 'is gone'}")
        elif content is not None:
            with open(side.file("Blobs", name), "rb") as file:
                if file.read() != content:
                    faults.append(f"the blob {name} has other bytes")

    if writer.loads:
        servers = {server["id"]: server["load"] for server in side.lines(
            "servers", "list", side.path, "--device", device, "--json")}
        if servers != writer.loads:
            faults.append(f"its servers are {servers!r}, not {writer.loads!r}")
    return [f"{side.name}, {device}: {fault[:300]}" for fault in faults]
