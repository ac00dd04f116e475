"""The sound package into which hostile files are put, and its expected content.

Four devices have written: `own`, whose user runs the commands; `victim`, whose files are replaced;
`third`, which isn't involved; and `mac`, whose log has PARStore 1's format.
"""

import hashlib
import json
import os
import plistlib
import sqlite3
import stat
import subprocess

DEVICES = ["own", "victim", "third"]


class Package:
    def __init__(self, path, tideline, environment):
        self.path = path
        self.tideline = tideline
        self.environment = environment
        # The document that each device created.
        self.documents = {}

    def file(self, *parts):
        return os.path.join(self.path, *parts)

    def tell(self, device, *words):
        environment = dict(self.environment, TIDELINE_DEVICE=device)
        done = subprocess.run([self.tideline, *words], env=environment, capture_output=True)
        if done.returncode:
            raise SystemExit(f"cannot make the package: {words}: {done.stderr.decode()}")
        return done.stdout.decode().strip()


def values(device):
    """The content that each device writes: some texts and numbers, and one longer value."""
    result = {f"{device}/{number}": f"value {number} of {device}" for number in range(30)}
    result[f"{device}/long"] = "long " * 700
    result[f"{device}/number"] = 42
    return result


def make(path, tideline, environment, page_size=4096):
    package = Package(path, tideline, environment)
    package.tell("own", "kv", "create", path)
    scratch = path + ".json"
    for device in DEVICES:
        with open(scratch, "w") as file:
            json.dump(values(device), file)
        package.tell(device, "kv", "import", path, scratch)
        package.tell(device, "kv", "set", path, "shared", f"as {device} says")
        for number in range(4):
            package.tell(device, "entities", "add", path, "--type", "note", "--id",
                         f"{device}-{number}", f"title=Note {number}", f"author={device}")
        package.tell(device, "entities", "relate", path, f"{device}-0", "next", f"{device}-1")
        workspace = package.tell(device, "docs", "new", path, f"Workspace of {device}")
        document = package.tell(device, "docs", "add", path, workspace)
        package.tell(device, "docs", "set", path, document, "/title", f"by {device}")
        package.tell(device, "docs", "set", path, document, "/body", "body " * 400, "--as", "text")
        package.documents[device] = document
        with open(scratch, "w") as file:
            json.dump(logicals(device), file)
        package.tell(device, "servers", "import", path, scratch)
        with open(scratch, "wb") as file:
            plistlib.dump({"deviceName": f"Name of {device}"}, file)
        package.tell(device, "blobs", "put", path, f"info/{device}.plist", scratch)
    parstore(package.file("Devices", "mac"))
    os.remove(scratch)
    if page_size != 4096:
        for name in ["Logs.db", "Entities.db", "Documents.db", "Catalog.db"]:
            repage(package.file("Devices", "victim", name), page_size)
    return package


def shop(path):
    """A database that isn't part of a store and could be any program's."""
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, since INTEGER);
        CREATE TABLE purchase (
            id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer (id), total REAL,
            receipt BLOB);
        CREATE INDEX purchase_customer ON purchase (customer);
        CREATE VIEW large AS SELECT * FROM purchase WHERE total > 100;
        CREATE TABLE tag (name TEXT PRIMARY KEY, color TEXT) WITHOUT ROWID;
        """)
    database.executemany(
        "INSERT INTO customer VALUES (?, ?, ?)",
        [(number, f"Customer {number}", 1_760_000_000 + number) for number in range(1, 101)])
    database.executemany(
        "INSERT INTO purchase VALUES (?, ?, ?, ?)",
        [(number, number % 100 + 1, number * 1.5, b"%PDF" + bytes(number % 50))
         for number in range(1, 401)])
    database.executemany("INSERT INTO tag VALUES (?, ?)", [("new", "green"), ("old", "gray")])
    database.commit()
    database.close()


def repage(path, page_size):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = DELETE")
    database.execute(f"PRAGMA page_size = {page_size}")
    database.execute("VACUUM")
    database.close()


def parstore(folder):
    """A log of PARStore 1 with its published schema."""
    os.makedirs(folder)
    database = sqlite3.connect(os.path.join(folder, "Logs.db"), isolation_level=None)
    database.execute("PRAGMA page_size = 1024")
    database.executescript("""
        CREATE TABLE ZLOG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
            ZPARENTTIMESTAMP INTEGER, ZTIMESTAMP INTEGER, ZKEY VARCHAR, ZBLOB BLOB);
        CREATE INDEX ZLOG_ZKEY_INDEX ON ZLOG (ZKEY);
        CREATE INDEX ZLOG_ZTIMESTAMP_INDEX ON ZLOG (ZTIMESTAMP);
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
            Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
        """)
    database.execute("BEGIN")
    for number in range(30):
        value = plistlib.dumps(f"value {number} of mac", fmt=plistlib.FMT_BINARY)
        database.execute(
            "INSERT INTO ZLOG VALUES (?, 1, 1, NULL, ?, ?, ?)",
            (number + 1, 700_000_000_000_000 + number, f"mac/{number}", value))
    database.execute("INSERT INTO Z_PRIMARYKEY VALUES (1, 'Log', 0, 30)")
    database.execute("COMMIT")
    database.close()


def logicals(device):
    servers = []
    for number in range(20):
        servers.append({
            "ID": f"{device}-server-{number}", "Name": f"CH#{number + 1}",
            "Domain": f"ch-{number}.example.net", "EntryCountry": "CH", "ExitCountry": "CH",
            "City": "Zurich", "Tier": number % 3, "Status": 1, "Features": 4, "Load": number,
            "Score": 1.5, "Location": {"Lat": 47.3, "Long": 8.5},
            "Servers": [{"ID": f"{device}-endpoint-{number}", "ExitIP": "192.0.2.1",
                         "EntryIP": "192.0.2.2", "Domain": f"ch-{number}.example.net",
                         "Status": 1}]})
    return {"Code": 1000, "LogicalServers": servers}


def state(folder):
    """Name, kind, size, time and content of everything under a folder, without following links."""
    found = {}
    for base, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files:
            path = os.path.join(base, name)
            status = os.lstat(path)
            what = (stat.S_IFMT(status.st_mode), status.st_size, status.st_mtime_ns,
                    status.st_ino)
            if stat.S_ISREG(status.st_mode) and status.st_size < 4 << 20:
                with open(path, "rb") as file:
                    what += (hashlib.sha256(file.read()).hexdigest(),)
            found[path] = what
    return found
