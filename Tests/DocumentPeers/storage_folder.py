"""Reads and writes automerge-repo's file-system storage with PyPI's automerge.

    storage_folder.py write FOLDER    writes a folder as its programs do; prints what must be read
    storage_folder.py read FOLDER     prints the content of a folder as JSON
    storage_folder.py edit FOLDER ID  writes only the next increment of a running program
    storage_folder.py compact FOLDER ID
                                      writes a snapshot and deletes the files known before
    storage_folder.py save FOLDER     writes documents of many shapes as files
    storage_folder.py load FILE       prints the content of a file, after an edit that it saves
"""

import hashlib
import json
import os
import random
import sys
import uuid

from automerge import core

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58check(payload):
    digest = hashlib.sha256(hashlib.sha256(payload).digest()).digest()
    data = payload + digest[:4]
    number = int.from_bytes(data, "big")
    text = ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def folder_of(root, name):
    return os.path.join(root, name[:2], name[2:])


def put(root, key, data):
    """Like writeFile: without a temporary file or a flush."""
    path = os.path.join(root, key[0][:2], key[0][2:], *key[1:])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    return path


def snapshot_name(document):
    heads = sorted(head.hex() for head in document.get_heads())
    return hashlib.sha256("".join(heads).encode()).hexdigest()


def increment_name(data):
    return hashlib.sha256(data).hexdigest()


def changes_since(document, heads):
    return b"".join(change.bytes for change in document.get_changes(heads))


def set_key(document, key, value):
    with document.transaction() as transaction:
        transaction.put(core.ROOT, key, core.ScalarType.Str, value)


def content(document):
    found = {}
    for key in document.keys(core.ROOT):
        value = document.get(core.ROOT, key)
        found[key] = value[0][1] if isinstance(value[0], tuple) else str(value[0])
    return found


def described(document):
    return {"heads": sorted(head.hex() for head in document.get_heads()),
            "content": content(document)}


def new_id(name):
    return base58check(uuid.uuid5(uuid.NAMESPACE_URL, name).bytes)


def write(root):
    expected = {}
    put(root, ["storage-adapter-id"], str(uuid.uuid4()).encode())

    # A single snapshot.
    document = core.Document()
    set_key(document, "title", "one snapshot")
    name = new_id("one")
    put(root, [name, "snapshot", snapshot_name(document)], document.save())
    expected[name] = described(document)

    # A snapshot and increments, and the changes that another store has.
    document = core.Document()
    for number in range(100):
        set_key(document, "key %d" % number, "a value")
    name = new_id("many")
    put(root, [name, "snapshot", snapshot_name(document)], document.save())
    for number in range(5):
        before = document.get_heads()
        set_key(document, "title", "increment %d" % number)
        set_key(document, "again", "increment %d" % number)
        data = changes_since(document, before)
        put(root, [name, "incremental", increment_name(data)], data)
    heads = document.get_heads()
    put(root, [name, "sync-state", str(uuid.uuid4())],
        b"\x43" + bytes([len(heads)]) + b"".join(heads))
    expected[name] = described(document)

    # Two snapshots, one of which contains the other, as after a program was killed.
    document = core.Document()
    set_key(document, "title", "first")
    name = new_id("two")
    put(root, [name, "snapshot", snapshot_name(document)], document.save())
    set_key(document, "title", "second")
    put(root, [name, "snapshot", snapshot_name(document)], document.save())
    expected[name] = described(document)

    # A torn increment, an empty one, and a file that is neither.
    document = core.Document()
    set_key(document, "title", "sound")
    name = new_id("torn")
    put(root, [name, "snapshot", snapshot_name(document)], document.save())
    expected[name] = described(document)
    before = document.get_heads()
    set_key(document, "title", "torn")
    data = changes_since(document, before)
    put(root, [name, "incremental", increment_name(data)], data[:-7])
    put(root, [name, "snapshot", increment_name(b"empty")], b"")
    put(root, [name, "snapshot", ".hidden"], b"no chunk")

    # Two branches that exist only in the folder.
    document = core.Document()
    set_key(document, "title", "base")
    name = new_id("branches")
    put(root, [name, "snapshot", snapshot_name(document)], document.save())
    before = document.get_heads()
    other = document.fork()
    set_key(document, "left", "1")
    set_key(other, "right", "2")
    for side in (document, other):
        data = changes_since(side, before)
        put(root, [name, "incremental", increment_name(data)], data)
    document.merge(other)
    expected[name] = described(document)

    # The remains of a deleted document, and a sync state without a document.
    os.makedirs(os.path.join(folder_of(root, new_id("deleted")), "snapshot"))
    put(root, [new_id("stateonly"), "sync-state", str(uuid.uuid4())], b"\x43\x00")
    return expected


def chunks(root, name):
    found = []
    for kind in ("snapshot", "incremental"):
        folder = os.path.join(folder_of(root, name), kind)
        for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            with open(os.path.join(folder, entry), "rb") as file:
                found.append((kind, entry, file.read()))
    return found


def load(root, name):
    document = core.Document()
    known = []
    waiting = chunks(root, name)
    while waiting:
        left = []
        for kind, entry, data in waiting:
            before = document.get_heads()
            try:
                # All chunks, one after another; known changes are ignored.
                whole = document.save() if known else b""
                loaded = core.Document.load(whole + data)
                if not data or (kind == "incremental" and loaded.get_heads() == before):
                    raise ValueError("it waits for something, or is there already")
                document = loaded
                known.append((kind, entry, len(data)))
            except Exception:
                left.append((kind, entry, data))
        if len(left) == len(waiting):
            break
        waiting = left
    return document, known


def read(root):
    found = {}
    for first in sorted(os.listdir(root)):
        folder = os.path.join(root, first)
        if len(first) != 2 or not os.path.isdir(folder) or first == "st":
            continue
        for second in sorted(os.listdir(folder)):
            name = first + second
            document, known = load(root, name)
            if not known:
                continue
            found[name] = described(document)
            found[name]["files"] = sorted("%s/%s" % entry[:2] for entry in known)
            for kind, entry, data in chunks(root, name):
                if kind == "incremental":
                    right = increment_name(data)
                else:
                    try:
                        right = snapshot_name(core.Document.load(data))
                    except Exception:
                        continue
                if right != entry:
                    found[name].setdefault("misnamed", []).append(entry)
    return found


def edit(root, name):
    document, _ = load(root, name)
    before = document.get_heads()
    set_key(document, "by python", "an increment")
    data = changes_since(document, before)
    put(root, [name, "incremental", increment_name(data)], data)
    return described(document)


def compact(root, name):
    document, known = load(root, name)
    mine = snapshot_name(document)
    put(root, [name, "snapshot", mine], document.save())
    for kind, entry, _ in known:
        if (kind, entry) != ("snapshot", mine):
            try:
                os.unlink(os.path.join(folder_of(root, name), kind, entry))
            except FileNotFoundError:
                pass
    return described(document)


def load_file(path):
    with open(path, "rb") as file:
        document = core.Document.load(file.read())
    found = described(document)
    set_key(document, "by python", "an edit")
    with open(path, "wb") as file:
        file.write(document.save())
    return found


def save(root):
    """Columns of many kinds: prose, log lines, repetitions, numbers, many small changes."""
    dice = random.Random(20261123)
    words = ["".join(dice.choices("etaoinshrdlu", k=dice.randint(1, 9))) for _ in range(900)]

    def text(count):
        return " ".join(dice.choices(words, range(900, 0, -1), k=count))

    def values(key, count, value):
        def fill(transaction):
            for number in range(count):
                transaction.put(core.ROOT, key % number, core.ScalarType.Str, value(number))
        return fill

    def list_of(kind, count, value):
        def fill(transaction):
            items = transaction.put_object(core.ROOT, "items", core.ObjType.List)
            for number in range(count):
                transaction.insert(items, number, kind, value(number))
        return fill

    def letters(count):
        def fill(transaction):
            body = transaction.put_object(core.ROOT, "body", core.ObjType.Text)
            for number, letter in enumerate(text(count)):
                transaction.insert(body, number, core.ScalarType.Str, letter)
        return fill

    page = text(300)
    log = "2026-11-%02d %02d:%02d device %d wrote note/%d"
    shapes = {
        "small": values("key %d", 20, lambda _: text(6)),
        "prose": values("note/%05d", 60, lambda _: text(160)),
        "much prose": values("note/%05d", 300, lambda _: text(160)),
        "a text": letters(8000),
        "log": list_of(core.ScalarType.Str, 3000, lambda _: log % (
            dice.randint(1, 28), dice.randint(0, 23), dice.randint(0, 59), dice.randint(0, 5),
            dice.randint(0, 3000))),
        "versions": values("value %.0d", 400, lambda number: "version %d of it " % number * 200),
        "pages": values("page %d", 90, lambda _: page),
        "zeros": values("zeros %d", 1, lambda _: "0" * 400_000),
        "numbers": list_of(core.ScalarType.Int, 20_000, lambda _: dice.randint(0, 1_000_000)),
        "few numbers": list_of(core.ScalarType.Uint, 20_000, lambda _: dice.randint(0, 5)),
    }
    os.makedirs(root, exist_ok=True)
    documents = {}
    for name, fill in shapes.items():
        documents[name] = core.Document()
        with documents[name].transaction() as transaction:
            fill(transaction)
    many = documents["many changes"] = core.Document()
    with many.transaction() as transaction:
        items = transaction.put_object(core.ROOT, "items", core.ObjType.List)
    for number in range(2000):
        with many.transaction() as transaction:
            place = dice.randint(0, number)
            transaction.insert(items, place, core.ScalarType.Uint, number)
            transaction.put(core.ROOT, "newest", core.ScalarType.Str, text(9))
    for name, document in documents.items():
        with open(os.path.join(root, name), "wb") as file:
            file.write(document.save())
    return {name: {"heads": [head.hex() for head in document.get_heads()], "content": {}}
            for name, document in documents.items()}


if __name__ == "__main__":
    actions = {"write": write, "read": read, "edit": edit, "compact": compact, "save": save,
               "load": load_file}
    print(json.dumps(actions[sys.argv[1]](*sys.argv[2:]), sort_keys=True))
