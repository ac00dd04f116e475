"""Hostile replacements for a file. Each maker takes a path, the sound bytes and a random source.

A maker is `Hostile(name, make, kinds)`: `kinds` are the names of the files that it applies to.
`named` is `True` if the file at fault must be named; otherwise only if values are missing.
"""

import os
import plistlib
import shutil
import socket
import sqlite3
import struct
import zlib
from dataclasses import dataclass, field
from typing import Callable

import singles

LOGS, ENTITIES, CATALOG, PARSTORE = "Logs.db", "Entities.db", "Catalog.db", "mac/Logs.db"
DOCUMENTS = "Documents.db"
DATABASES = [LOGS, ENTITIES, DOCUMENTS, CATALOG, PARSTORE]


@dataclass
class Hostile:
    name: str
    make: Callable
    kinds: list = field(default_factory=lambda: DATABASES)
    named: bool = True


# Special files

def fifo(path, sound, random):
    os.remove(path)
    os.mkfifo(path)


def folder(path, sound, random):
    os.remove(path)
    os.mkdir(path)


def socket_file(path, sound, random):
    os.remove(path)
    here = os.getcwd()
    os.chdir(os.path.dirname(path))  # the names of sockets are short
    try:
        server = socket.socket(socket.AF_UNIX)
        server.bind(os.path.basename(path))
        server.close()
    finally:
        os.chdir(here)


def link_to(target):
    def make(path, sound, random):
        os.remove(path)
        os.symlink(target, path)
    return make


def outside(path, name):
    """A place outside the package or file, in the folder of the run."""
    folder = os.path.dirname(os.path.abspath(path))
    while not os.path.basename(folder).startswith("tideline-hostile-"):
        folder, before = os.path.dirname(folder), folder
        if folder == before:
            raise ValueError(f"{path} is not in the folder of a run")
    return os.path.join(folder, "outside." + name)


def link(target, path):
    os.symlink(os.path.relpath(target, os.path.dirname(path)), path)


def link_to_sound(path, sound, random):
    """A link to a sound database outside the package."""
    target = outside(path, "db")
    with open(target, "wb") as file:
        file.write(sound)
    os.remove(path)
    link(target, path)


def link_to_fifo(path, sound, random):
    os.remove(path)
    target = outside(path, "fifo")
    os.mkfifo(target)
    link(target, path)


def unreadable(path, sound, random):
    os.chmod(path, 0)


# Sizes

def empty(path, sound, random):
    open(path, "wb").close()


def sparse(size):
    def make(path, sound, random):
        with open(path, "r+b") as file:
            file.truncate(size)
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return make


def sparse_with_journal(path, sound, random):
    sparse(4 << 30)(path, sound, random)
    with open(path + "-journal", "wb") as file:
        file.write(journal_header(1 << 20) + os.urandom(4096))
    os.utime(path + "-journal", (1_700_000_000, 1_700_000_000))


def sparse_in_wal_mode(path, sound, random):
    sparse(4 << 30)(path, sound, random)
    in_wal_mode(path, sound, random)
    os.utime(path, (1_700_000_000, 1_700_000_000))


def grown_header(path, sound, random):
    """The header claims far more pages than the file has."""
    with open(path, "r+b") as file:
        file.seek(28)
        file.write(struct.pack(">I", 0x7FFFFFFF))


# Files that SQLite leaves next to a database

def journal_header(pages):
    magic = bytes([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    return (magic + struct.pack(">IIIII", 0xFFFFFFFF, 7, pages, 512, 4096)).ljust(512, b"\0")


def hot_journal(path, sound, random):
    with open(path + "-journal", "wb") as file:
        file.write(journal_header(2) + random.randbytes(2 * 4104))


def journal_with_super(path, sound, random):
    """A journal that names another file as the super-journal."""
    name = b"/etc/hostname"
    tail = (struct.pack(">I", 1) + name + struct.pack(">II", len(name), sum(name))
            + journal_header(0)[:8])
    with open(path + "-journal", "wb") as file:
        file.write(journal_header(0) + tail)


def in_wal_mode(path, sound, random):
    with open(path, "r+b") as file:
        file.seek(18)
        file.write(b"\2\2")
    with open(path + "-wal", "wb") as file:
        file.write(struct.pack(">IIIIIIII", 0x377F0682, 3007000, 4096, 0, 1, 2, 3, 4)
                   + random.randbytes(8192))


def wal_beside_rollback(path, sound, random):
    with open(path + "-wal", "wb") as file:
        file.write(struct.pack(">IIIIIIII", 0x377F0682, 3007000, 4096, 0, 1, 2, 3, 4)
                   + random.randbytes(8192))


def fifo_as_journal(path, sound, random):
    if os.path.lexists(path + "-journal"):
        os.remove(path + "-journal")
    os.mkfifo(path + "-journal")


# Pages

def page_size(sound):
    size = struct.unpack(">H", sound[16:18])[0]
    return 65536 if size == 1 else size


def page(number, how):
    def make(path, sound, random):
        size = page_size(sound)
        data = bytearray(sound)
        start = number * size
        if how == "zeroed":
            data[start:start + size] = bytes(size)
        elif how == "overwritten":
            data[start:start + size] = random.randbytes(size)
        elif how == "half":
            data[start + size // 2:start + size] = random.randbytes(size - size // 2)
        elif how == "copied":
            other = random.randrange(len(data) // size) * size
            data[start:start + size] = data[other:other + size]
        else:
            del data[start:]
        with open(path, "wb") as file:
            file.write(data)
    return make


def pages(kind, sound):
    return [
        Hostile(f"page {number + 1} {how}", page(number, how), [kind], named=False)
        for number in range(len(sound) // page_size(sound))
        for how in ["zeroed", "overwritten", "half", "copied", "cut"]]


def bit_rot(path, sound, random):
    data = bytearray(sound)
    for _ in range(40):
        data[random.randrange(100, len(data))] ^= 1 << random.randrange(8)
    with open(path, "wb") as file:
        file.write(data)


def noise(path, sound, random):
    with open(path, "wb") as file:
        file.write(random.randbytes(50_000))


def text(path, sound, random):
    with open(path, "wb") as file:
        file.write(b"this is no database\n" * 100)


# Schemas

TABLES = {LOGS: "log", ENTITIES: "log", DOCUMENTS: "log", CATALOG: "logical", PARSTORE: "ZLOG",
          # A database that isn't part of a store.
          "shop.db": "customer"}


def sql(script, kinds=DATABASES, named=True, name=None):
    """SQL to run on the sound file; `{table}` is its most important table."""
    def make(path, sound, random):
        kind = PARSTORE if "/mac/" in path else os.path.basename(path)
        database = sqlite3.connect(path, isolation_level=None)
        database.executescript(
            "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON;"
            + script.replace("{table}", TABLES[kind]))
        database.close()
    return Hostile(name, make, kinds, named)


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
SCHEMAS = [
    sql("ALTER TABLE {table} RENAME TO hidden; CREATE VIEW {table} AS SELECT * FROM hidden;",
        name="a view for a table"),
    sql("ALTER TABLE {table} RENAME TO hidden; CREATE VIEW {table} AS " + ENDLESS
        + " SELECT hidden.* FROM hidden, n;", name="an endless view"),
    sql("DROP TABLE {table};", name="a table dropped"),
    sql("ALTER TABLE {table} RENAME TO hidden; CREATE TABLE {table} (x);", name="other columns"),
    sql("ALTER TABLE {table} ADD COLUMN more AS (zeroblob(900000000));", named=False,
        name="a computed column"),
    sql("CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END;", named=False,
        name="a trigger"),
    sql("CREATE VIRTUAL TABLE search USING fts5(body);", named=False, name="a virtual table"),
    sql("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE x(' "
        "WHERE name = '{table}';", name="broken SQL in the schema"),
    sql("PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 1 "
        "WHERE name = '{table}';", name="a table on the schema's page"),
    sql("PRAGMA user_version = 99; PRAGMA application_id = 99;", named=False,
        name="another version"),
]


# Numbers and values

EXTREMES = [2**63 - 1, -2**63, 2**62 - 1, 2**62, -1, 0, 2**53 + 1]


def number_in(column, number, kinds, table=None):
    table = table or "{table}"
    return sql(
        f"UPDATE OR IGNORE {table} SET {column} = {number} WHERE rowid = "
        f"(SELECT max(rowid) FROM {table});", kinds, named=False,
        name=f"{column} is {number}")


NUMBERS = (
    [number_in(column, number, [LOGS]) for column in ["timestamp", "parentTimestamp", "id"]
     for number in EXTREMES]
    + [number_in(column, number, [ENTITIES]) for column in ["timestamp", "date", "id", "entity"]
       for number in EXTREMES]
    + [number_in(column, number, [DOCUMENTS]) for column in ["timestamp", "id", "operation",
                                                             "size"] for number in EXTREMES]
    + [number_in(column, number, [PARSTORE]) for column in ["ZTIMESTAMP", "ZPARENTTIMESTAMP",
                                                            "Z_PK"] for number in EXTREMES]
    + [number_in(column, number, [CATALOG]) for column in ["tier", "feature", "sequenceNumber"]
       for number in EXTREMES])


def bomb():
    """A compressed change of an Automerge document that expands to 100 MB of zeros."""
    body = zlib.compress(bytes(100_000_000), 9)[2:-4]
    count, size = len(body), bytearray()
    while True:
        size.append(count & 0x7F | (0x80 if count > 0x7F else 0))
        count >>= 7
        if not count:
            break
    return bytes([0x85, 0x6F, 0x4A, 0x83, 1, 2, 3, 4, 2]) + bytes(size) + body


def value(name, blob, kinds=(LOGS, PARSTORE)):
    def make(path, sound, random):
        database = sqlite3.connect(path, isolation_level=None)
        data = blob()
        if path.endswith(DOCUMENTS):
            database.execute(
                "UPDATE content SET data = ? WHERE id = (SELECT max(id) FROM content)", [data])
        elif "/mac/" in path:
            database.execute(
                "UPDATE ZLOG SET ZBLOB = ? WHERE Z_PK = (SELECT max(Z_PK) FROM ZLOG)", [data])
        else:
            database.execute(
                "UPDATE log SET value = ? WHERE id = (SELECT max(id) FROM log)", [data])
        database.close()
    return Hostile(name, make, list(kinds), named=False)


def plist(objects, top=0):
    """A binary property list of raw objects with two-byte references."""
    body, offsets = bytearray(b"bplist00"), []
    for item in objects:
        offsets.append(len(body))
        body += item
    start = len(body)
    for offset in offsets:
        body += struct.pack(">I", offset)
    return bytes(body) + bytes(6) + bytes([4, 2]) + struct.pack(">QQQ", len(objects), top, start)


def array(*references):
    head = bytes([0xA0 | len(references)]) if len(references) < 15 else \
        bytes([0xAF, 0x11]) + struct.pack(">H", len(references))
    return head + b"".join(struct.pack(">H", reference) for reference in references)


def itself(marker):
    return plist([bytes([marker | 1]) + struct.pack(">H", 0)])


def shared_arrays():
    """Twenty levels of ten references to the level below: 10^20 values in a few hundred bytes."""
    return plist([array(*[level + 1] * 10) for level in range(20)] + [b"\x10\x01"])


def deep_plist():
    return plist([array(level + 1) for level in range(60_000)] + [b"\x10\x01"])


def deep_xml():
    return (b'<?xml version="1.0"?><plist version="1.0">' + b"<array>" * 200_000
            + b"</array>" * 200_000 + b"</plist>")


def entities_xml():
    lines = b"".join(
        b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 10) for level in range(1, 12))
    return (b'<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY e0 "lol">' + lines
            + b']><plist version="1.0"><dict><key>deviceName</key><string>&e11;</string></dict>'
            b"</plist>")


PLISTS = {
    "a set that holds itself": lambda: itself(0xC0),
    "an array that holds itself": lambda: itself(0xA0),
    "nested shared arrays": shared_arrays,
    "arrays 60,000 deep": deep_plist,
    "XML 200,000 deep": deep_xml,
    "XML of entities": entities_xml,
    "a count of 2^63": lambda: plist([b"\xaf\x13" + struct.pack(">Q", 2**63 - 1)]),
    "an offset beyond the end": lambda: plist([b"\x10\x01"])[:-8] + struct.pack(">Q", 2**62),
    "no bytes": lambda: b"",
    "a long text": lambda: plistlib.dumps({"deviceName": "x" * 8_000_000},
                                          fmt=plistlib.FMT_BINARY),
    "a name of escapes": lambda: plistlib.dumps(
        {"deviceName": "evil\x1b]0;owned\x07\n\u202e\u2066name"}, fmt=plistlib.FMT_BINARY),
}

VALUES = [value(f"a value that is {name}", make) for name, make in PLISTS.items()] + [
    value("a value of 120 MB", lambda: plistlib.dumps(b"x" * 120_000_000,
                                                     fmt=plistlib.FMT_BINARY)),
    value("a value that is a DEFLATE bomb", lambda: zlib.compress(bytes(100_000_000), 9)),
    value("a value that is noise", lambda: os.urandom(2000)),
    value("a chunk of 120 MB", lambda: bytes(120_000_000), [DOCUMENTS]),
    value("a chunk that is a DEFLATE bomb", bomb, [DOCUMENTS]),
    value("a chunk that is noise", lambda: os.urandom(2000), [DOCUMENTS]),
    value("a chunk without bytes", lambda: b"", [DOCUMENTS]),
]


# Names

def text_in(column, words, kinds, name):
    quoted = words.replace("'", "''")
    return sql(f"UPDATE OR IGNORE {{table}} SET {column} = '{quoted}' WHERE rowid = "
               "(SELECT max(rowid) FROM {table});", kinds, named=False, name=name)


ESCAPES = "a\x1b]0;owned\x07b\x9b31m\u202egnol\u2066\n\r\t\x7f\u2028"
BIG = 120_000_000
LONG = [
    sql(f"UPDATE {{table}} SET value = zeroblob({BIG}) WHERE id = (SELECT max(id) FROM {{table}} "
        "WHERE typeof(value) = 'text');", [ENTITIES], named=False, name="a value of 120 MB"),
    sql(f"UPDATE {{table}} SET value = printf('%.*c', {BIG}, 'v') WHERE id = (SELECT max(id) "
        "FROM {table} WHERE typeof(value) = 'text');", [ENTITIES], named=False,
        name="a text of 120 MB"),
    sql(f"UPDATE names SET name = printf('%.*c', {BIG}, 'n') WHERE id = (SELECT max(id) "
        "FROM names);", [ENTITIES], name="a name of 120 MB"),
    sql(f"UPDATE {{table}} SET value = printf('%.*c', {BIG}, 'n') WHERE operation = 1;",
        [DOCUMENTS], named=False, name="a name of 120 MB"),
    sql(f"UPDATE {{table}} SET document = zeroblob({BIG}) WHERE id = (SELECT max(id) FROM "
        "{table});", [DOCUMENTS], named=False, name="an identifier of 120 MB"),
    sql(f"UPDATE {{table}} SET name = printf('%.*c', {BIG}, 'n') WHERE rowid = (SELECT max(rowid) "
        "FROM {table});", [CATALOG], named=False, name="a name of 120 MB"),
    sql(f"UPDATE {{table}} SET key = printf('%.*c', {BIG}, 'k') WHERE id = 3;", [LOGS],
        named=False, name="a key of 120 MB"),
    sql(f"UPDATE {{table}} SET ZKEY = printf('%.*c', {BIG}, 'k') WHERE Z_PK = 3;", [PARSTORE],
        named=False, name="a key of 120 MB"),
]

NAMES = [
    text_in("key", ESCAPES, [LOGS], "a key of escapes"),
    text_in("ZKEY", ESCAPES, [PARSTORE], "a key of escapes"),
    text_in("name", ESCAPES, [CATALOG], "a name of escapes"),
    sql(f"UPDATE names SET name = '{ESCAPES}' WHERE id = (SELECT max(id) FROM names);",
        [ENTITIES], named=False, name="a name of escapes"),
    sql(f"UPDATE {{table}} SET value = '{ESCAPES}' WHERE operation = 1;", [DOCUMENTS],
        named=False, name="a name of escapes"),
    sql("UPDATE {table} SET workspace = 'text', document = 7;", [DOCUMENTS], named=False,
        name="identifiers of other types"),
    sql("UPDATE {table} SET document = workspace;", [DOCUMENTS], named=False,
        name="documents that are the workspace's own"),
    sql("DELETE FROM content;", [DOCUMENTS], named=False, name="chunks without their content"),
    sql("UPDATE {table} SET key = CAST(x'ff00fe' AS TEXT) WHERE id = 3;", [LOGS], named=False,
        name="a key that is not text"),
    sql("UPDATE {table} SET ZKEY = CAST(x'ff00fe' AS TEXT) WHERE Z_PK = 3;", [PARSTORE],
        named=False, name="a key that is not text"),
    sql("UPDATE {table} SET key = x'6162' WHERE id = 3;", [LOGS], named=False,
        name="a key that is bytes"),
    sql("UPDATE {table} SET ZKEY = printf('%.*c', 3000000, 'k') WHERE Z_PK = 3;", [PARSTORE],
        named=False, name="a key of 3 MB"),
    sql("UPDATE {table} SET timestamp = 'yesterday' WHERE id = 3;", [LOGS, ENTITIES, DOCUMENTS],
        named=False, name="a time that is text"),
    sql("DELETE FROM {table} WHERE id = 5;", [LOGS, ENTITIES], name="a gap in the ids"),
    sql("DELETE FROM {table} WHERE id = 2;", [DOCUMENTS], name="a gap in the ids"),
]

SPECIAL = [
    Hostile("a FIFO", fifo), Hostile("a folder", folder), Hostile("a socket", socket_file),
    Hostile("a link to nothing", link_to("nothing")),
    Hostile("a link to itself", lambda path, sound, random: link_to(os.path.basename(path))(
        path, sound, random)),
    Hostile("a link to a device", link_to("/dev/zero")),
    Hostile("a link to a text", link_to("/etc/passwd")),
    Hostile("a link to a sound database", link_to_sound),
    Hostile("a link to a FIFO", link_to_fifo),
    Hostile("no bytes", empty), Hostile("noise", noise), Hostile("text", text),
    Hostile("4 GB of nothing", sparse(4 << 30), named=False),
    Hostile("4 GB with a journal", sparse_with_journal, named=False),
    Hostile("4 GB in WAL mode", sparse_in_wal_mode, named=False),
    Hostile("a header of too many pages", grown_header, named=False),
    Hostile("a journal of noise", hot_journal, named=False),
    Hostile("a journal that names a file", journal_with_super, named=False),
    Hostile("a FIFO for a journal", fifo_as_journal, named=False),
    Hostile("WAL mode and noise", in_wal_mode, named=False),
    Hostile("a WAL of noise beside it", wal_beside_rollback, named=False),
    Hostile("flipped bits", bit_rot, named=False),
]

# Times, causes and device tables

END = 252_423_993_599_999_999  # 9999-12-31T23:59:59.999999Z
DAY = 86_400_000_000


class Log:
    """A log in this program's format, to append rows to."""

    def __init__(self, path):
        self.database = sqlite3.connect(path, isolation_level=None)
        self.database.execute("BEGIN")
        self.names = dict(self.database.execute("SELECT name, ref FROM writer"))
        self.now = self.database.execute("SELECT max(timestamp) FROM log").fetchone()[0]

    def name(self, device):
        if device not in self.names:
            self.names[device] = max(self.names.values(), default=0) + 1
            self.database.execute(
                "INSERT INTO writer (ref, name) VALUES (?, ?)", [self.names[device], device])
        return self.names[device]

    def append(self, key, timestamp, parents=()):
        seen = b"".join(singles.leb(self.name(device)) + struct.pack(">q", time)
                        for device, time in sorted(parents))
        value = plistlib.dumps(f"{key} at {timestamp}", fmt=plistlib.FMT_BINARY)
        row = self.database.execute(
            "INSERT INTO log (timestamp, key, value, parents) VALUES (?, ?, ?, ?)",
            [timestamp, key, value, seen or None]).lastrowid
        self.database.execute(
            "INSERT INTO latest (key, id, timestamp, known) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET id = excluded.id, timestamp = excluded.timestamp, "
            "known = excluded.known WHERE timestamp <= excluded.timestamp",
            [key, row, timestamp, seen or None])

    def fork(self, key):
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS fork (key TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID")
        self.database.execute("INSERT OR IGNORE INTO fork (key) VALUES (?)", [key])


def rows(name, write, named=True):
    """Appends rows to a sound log with `write`."""
    def make(path, sound, random):
        log = Log(path)
        write(log, random)
        log.database.execute("COMMIT")
        log.database.close()
    return Hostile(name, make, [LOGS], named)


def rows_ahead(log, random):
    for number in range(300):
        log.append(f"ahead/{number}", random.choice([END, END - 1, END - DAY, log.now + 400 * DAY]))
    log.append("shared", END)


def rows_ahead_by_turns(log, random):
    for number in range(300):
        log.append("shared", END - 300 + number)


def claims_ahead(log, random):
    for number in range(300):
        parents = [(device, random.choice([END, END - 1, log.now + 400 * DAY]))
                   for device in ["own", "third", "absent"]]
        log.append(f"claims/{number}", log.now + number, parents)
    log.append("shared", log.now + 300, [("own", END), ("third", END)])


def absent_parents(log, random):
    for number in range(3_000):
        log.append("shared", log.now + number * 100,
                   [(f"absent {device}", log.now + number * 100 - random.randrange(1, 100))
                    for device in range(60)])
    log.fork("shared")


def absent_parents_of_one_device(log, random):
    for number in range(3_000):
        log.append("shared", log.now + number * 100,
                   [("absent", log.now + number * 100 - 1 - before) for before in range(60)])
    log.fork("shared")


def parents_of_thousand_devices(log, random):
    parents = [(f"absent {device}", log.now + device) for device in range(1_000)]
    for number in range(100):
        log.append(f"parents/{number}", log.now + 1_001 + number, parents)
    log.append("shared", log.now + 2_000, parents)


def too_many_devices(log, random):
    parents = [(f"absent {device}", log.now) for device in range(66_000)]
    log.append("shared", log.now + 1, parents)


CAUSES = [
    rows("rows at the end of time", rows_ahead),
    rows("rows of one key up to the end of time", rows_ahead_by_turns),
    rows("claims from the future", claims_ahead),
    rows("3,000 rows with 60 absent parents", absent_parents, named=False),
    rows("3,000 rows with 60 absent parents of one device", absent_parents_of_one_device,
         named=False),
    rows("rows that name 1,000 devices", parents_of_thousand_devices, named=False),
    rows("a table of 66,000 devices", too_many_devices),
    sql("WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 66000) "
        "INSERT INTO writer (ref, name) SELECT i, 'absent ' || i FROM n;", [LOGS],
        name="66,000 devices that no row names"),
]

ALL = SPECIAL + SCHEMAS + NUMBERS + VALUES + LONG + NAMES + CAUSES


# Files other than databases in a package

def device_folder(name):
    def make(package, random):
        source = os.fsencode(package.file("Devices", "victim"))
        shutil.copytree(source, os.path.join(os.fsencode(package.file("Devices")), name))
    return make


def blob(name, content):
    def make(package, random):
        path = os.path.join(os.fsencode(package.file("Blobs")), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content())
    return make


def blob_of_kind(maker):
    def make(package, random):
        path = package.file("Blobs", "info", "victim.plist")
        with open(path, "rb") as file:
            sound = file.read()
        maker(path, sound, random)
    return make


def deep_blobs(package, random):
    here = os.getcwd()
    os.chdir(package.file("Blobs"))
    try:
        for _ in range(400):
            os.mkdir("deep")
            os.chdir("deep")
        open("bottom.txt", "w").close()
    finally:
        os.chdir(here)


def link_for_folder(*parts):
    def make(package, random):
        path = package.file(*parts)
        shutil.move(path, package.path + ".moved")
        os.symlink(package.path + ".moved", path)
    return make


def file_for_folder(*parts):
    def make(package, random):
        path = package.file(*parts)
        shutil.rmtree(path)
        open(path, "w").close()
    return make


def many_devices(package, random):
    for number in range(2000):
        os.mkdir(package.file("Devices", f"empty-{number}"))


PACKAGES = (
    [(f"a device folder named {name!r}", device_folder(name)) for name in [
        b"new\nline", b"esc\x1b]0;owned\x07", b"\xff\xfe", "re\u0301sume\u0301".encode(),
        "victim (Anna's conflicted copy 2026-11-20)".encode(), b".hidden", b"x" * 255, b" ",
        b"victim 2", "\u202egnol".encode(), b"-rf", b"*"]]
    + [(f"a device's name that is {name}", blob(b"info/victim.plist", make))
       for name, make in PLISTS.items()]
    + [(f"a blob named {name!r}", blob(name, lambda: b"x")) for name in [
        b"new\nline", b"esc\x1b]0;owned\x07", b"\xff\xfe", b"a/.partial.tmp", b"x" * 255]]
    + [(f"a device's name in {hostile.name}", blob_of_kind(hostile.make))
       for hostile in SPECIAL[:13]]
    + [("blobs 400 folders deep", deep_blobs),
       ("a link for a device's folder", link_for_folder("Devices", "victim")),
       ("a link for Blobs", link_for_folder("Blobs")),
       ("a file for a device's folder", file_for_folder("Devices", "victim")),
       ("a file for Blobs", file_for_folder("Blobs")),
       ("2,000 empty device folders", many_devices)])
