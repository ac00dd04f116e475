#!/usr/bin/env python3
"""Compares `tideline tables` with the sqlite3 program on databases of every schema feature.

For each database in features.py, this script compares the list of tables, the schema, the rows,
orders, conditions, filters, queries, exports, imports and edits with what the sqlite3 program
prints and writes. By default, each column gets some of the conditions, filters and new values, and
each table some of the file formats, chosen at random but always the same ones. With --all, each gets
all of them.

    Tests/SQLiteFeatures/compare.py [--tideline PROGRAM] [--all] [WORD …]

Needs python3, the sqlite3 program and a build of tideline.
"""

import argparse
import base64
import concurrent.futures
import contextlib
import json
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

from features import FEATURES


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def literal(text):
    return "'" + text.replace("'", "''") + "'"


class SQLite:
    """A database as SQLite reads it: exact values through Python's module, the rest through the
    sqlite3 program."""

    def __init__(self, path):
        self.path = path

    def run(self, sql, *flags):
        return subprocess.run(
            ["sqlite3", "-batch", "-bail", "-init", "/dev/null", *flags, self.path],
            input=sql.encode(), capture_output=True)

    def rows(self, sql):
        """Returns the exact values of a query, each with its type."""
        with contextlib.closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as db:
            db.text_factory = Text
            return [tuple(map(self.cell, row)) for row in db.execute(sql)]

    @staticmethod
    def cell(value):
        if value is None:
            return ("n", b"")
        if isinstance(value, int):
            return ("i", value)
        if isinstance(value, float):
            return ("r", struct.pack(">d", value))
        return ("t" if isinstance(value, Text) else "b", bytes(value))

    def values(self, sql):
        """Returns the first column of a query, with texts as strings."""
        return [cell[1].decode() if cell[0] == "t" else cell[1] for (cell, *_) in self.rows(sql)]

    def names(self, sql):
        """Returns the names of a query's columns."""
        with contextlib.closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as db:
            return [column[0] for column in db.execute(sql).description or []]

    def contents(self):
        """Returns all rows of all tables, and the result of the integrity check."""
        found = {}
        for table in self.values(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"):
            try:
                found[table] = sorted(self.rows(f"SELECT * FROM {quoted(table)}"))
            except sqlite3.Error as error:
                found[table] = str(error)
        return found, self.values("PRAGMA integrity_check")


class Text(bytes):
    """The bytes of a text, which may not be UTF-8."""


def cell_of_json(value):
    """Returns the value that tideline prints, in the form of SQLite.cell."""
    if value is None:
        return ("n", b"")
    if isinstance(value, int):
        return ("i", value)
    if isinstance(value, float):
        return ("r", struct.pack(">d", value))
    if isinstance(value, str):
        return ("t", value.encode())
    ((tag, text),) = value.items()
    if tag == "$real":
        return ("r", struct.pack(">d", float(text)))
    raw = base64.b64decode(text)
    return ("b", raw) if tag == "$data" else ("t", raw)


def json_of_cell(cell):
    """Returns the JSON that `tables insert` takes for a value."""
    kind, value = cell
    if kind == "n":
        return "null"
    if kind == "i":
        return str(value)
    if kind == "r":
        number = struct.unpack(">d", value)[0]
        if number in (float("inf"), float("-inf")):
            return json.dumps({"$real": str(number)})
        return repr(number)
    if kind == "b":
        return json.dumps({"$data": base64.b64encode(value).decode()})
    try:
        return json.dumps(value.decode())
    except UnicodeDecodeError:
        return json.dumps({"$text": base64.b64encode(value).decode()})


def sql_of_cell(cell):
    kind, value = cell
    if kind == "n":
        return "NULL"
    if kind == "i":
        return str(value)
    if kind == "r":
        number = struct.unpack(">d", value)[0]
        if number in (float("inf"), float("-inf")):
            return "9e999" if number > 0 else "-9e999"
        return f"ieee754_from_blob(x'{value.hex()}')"
    if kind == "b":
        return f"x'{value.hex()}'"
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = "\0"
    return f"CAST(x'{value.hex()}' AS TEXT)" if "\0" in text else literal(text)


class Comparison:
    """The comparison of one database."""

    def __init__(self, feature, options, scratch):
        self.feature, self.options = feature, options
        self.folder = os.path.join(scratch, feature.name)
        os.mkdir(self.folder)
        self.path = os.path.join(self.folder, "feature.db")
        self.sqlite = SQLite(self.path)
        self.faults = []
        self.checks = 0
        # The module that this sqlite3 program lacks, so that the feature can't be compared.
        self.missing = None
        self.random = random.Random(feature.name)

    def some(self, items, count):
        """Returns `count` of the items, or all with --all."""
        return items if self.options.all else self.random.sample(items, min(count, len(items)))

    def fault(self, what, detail=""):
        self.faults.append(f"{self.feature.name}: {what}" + (f"\n    {detail}" if detail else ""))

    def equal(self, what, mine, theirs):
        self.checks += 1
        if mine == theirs:
            return True
        if isinstance(mine, list) and isinstance(theirs, list):
            for number, pair in enumerate(zip(mine, theirs)):
                if pair[0] != pair[1]:
                    mine, theirs = f"item {number}: {pair[0]!r}", repr(pair[1])
                    break
            else:
                mine, theirs = f"{len(mine)} items", f"{len(theirs)} items"
        self.fault(what, f"tideline {str(mine)[:700]}\n    sqlite3  {str(theirs)[:700]}")
        return False

    def tideline(self, *words, path=None):
        command, *rest = words
        outcome = subprocess.run(
            [self.options.tideline, "tables", command, path or self.path, *rest],
            capture_output=True,
            env={**os.environ, "XDG_STATE_HOME": self.folder, "XDG_CONFIG_HOME": self.folder})
        if outcome.returncode not in (0, 1, 64, 65, 73, 74, 77):
            self.fault(f"`{command} {rest}` ends with {outcome.returncode}", outcome.stderr[-300:])
        return outcome

    def lines(self, *words, path=None):
        outcome = self.tideline(*words, path=path)
        if outcome.returncode != 0:
            raise ValueError(outcome.stderr.decode(errors="replace")[:300])
        return [json.loads(line) for line in outcome.stdout.decode().split("\n") if line]

    def run(self):
        made = self.sqlite.run(self.feature.sql)
        if made.returncode != 0 and b"no such module" in made.stderr:
            self.missing = made.stderr.decode().strip().rpartition(": ")[2]
            return self
        if made.returncode != 0:
            self.fault("sqlite3 refuses the feature", made.stderr.decode())
            return self
        before = open(self.path, "rb").read()
        try:
            tables = self.compare_list()
            self.compare_schema()
            for table in tables:
                self.compare_table(table)
            for sql in self.feature.queries:
                self.compare_query(sql)
        except Exception as error:
            self.fault(f"the comparison stopped: {type(error).__name__}: {error}")
            tables = []
        if open(self.path, "rb").read() != before:
            self.fault("reading changed the file")
        for table in tables:
            try:
                if table["type"] == "table" and not table["name"].lower().startswith("sqlite_"):
                    self.compare_edits(table)
                    self.compare_imports(table)
            except Exception as error:
                self.fault(f"{table['name']!r}: editing stopped: {type(error).__name__}: {error}")
        return self

    # The tables

    def compare_list(self):
        mine = {table["name"]: table for table in self.lines("list", "--raw", "--json")}
        theirs = {name[1].decode(): kind[1].decode() for name, kind in self.sqlite.rows(
            "SELECT name, type FROM pragma_table_list WHERE schema = 'main' "
            "AND name <> 'sqlite_schema'")}
        self.equal("the tables", {n: t["type"] for n, t in mine.items()}, theirs)
        sound = []
        for name, table in mine.items():
            try:
                (rows,) = self.sqlite.values(f"SELECT count(*) FROM {quoted(name)}")
            except sqlite3.Error:
                if not table.get("problem") and table["rows"] is not None:
                    self.fault(f"{name!r}: sqlite3 can't read it, tideline can")
                continue
            if table.get("problem"):
                self.fault(f"{name!r}: sqlite3 reads it", table["problem"])
                continue
            self.equal(f"{name!r}: rows", table["rows"], rows)
            self.equal(
                f"{name!r}: columns",
                [(c["name"], c["type"], c["notNull"], c["primaryKey"]) for c in table["columns"]],
                [(c[1].decode(), t[1].decode(), required[1] == 1, key[1] > 0)
                 for c, t, required, key in self.sqlite.rows(
                    "SELECT name, type, \"notnull\", pk "
                    f"FROM pragma_table_xinfo({literal(name)}) "
                    # Hidden columns of a virtual table can be read by name.
                    + ("" if table["type"] in ("virtual", "shadow") else "WHERE hidden <> 1"))])
            sound.append(table)
        return sound

    def compare_schema(self):
        outcome = self.tideline("schema")
        self.equal("schema ends", outcome.returncode, 0)
        theirs = self.sqlite.run(
            "SELECT sql || ';' FROM sqlite_schema WHERE sql NOT NULL "
            "AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid;", "-readonly")
        self.equal("schema", outcome.stdout.decode(), theirs.stdout.decode())

    # The rows

    def show(self, table, *words):
        columns = [c["name"] for c in table["columns"]]
        return [
            tuple(cell_of_json(row[name]) for name in columns)
            for row in self.lines("show", *words, "--raw", "--json", "--", table["name"])]

    def compare_table(self, table):
        name, source = table["name"], quoted(table["name"])
        columns = [c["name"] for c in table["columns"]]
        selected = ", ".join(map(quoted, columns))
        theirs = self.sqlite.rows(f"SELECT {selected} FROM {source}")
        try:
            mine = self.show(table)
        except ValueError as error:
            return self.fault(f"{name!r}: show fails", str(error))
        # The order without --order is that of the key; a view has the order of its query.
        self.equal(f"{name!r}: rows", *((mine, theirs) if table["type"] == "view"
                                        else (sorted(mine), sorted(theirs))))
        self.compare_query(f"SELECT * FROM {source}")
        for column in filter(None, columns[:8]):  # An option can't be an empty name.
            self.compare_order(table, column)
            column_sql = quoted(column)
            conditions = [
                f"{column_sql} IS NULL", f"{column_sql} > 1", f"{column_sql} >= 'b'",
                f"{column_sql} LIKE '%a%'"]
            for condition in self.some(conditions, 1):
                self.compare_selection(table, [f"--where={condition}"], condition)
            number = columns.index(column)
            self.compare_filters(table, column, [row[number] for row in theirs])

    def compare_order(self, table, column):
        """Compares an order, except among rows that are equal by the column."""
        name, source, sql = table["name"], quoted(table["name"]), quoted(column)
        # The rank is one column more than a table may have.
        compared = [c["name"] for c in table["columns"]][:1900]
        selected = ", ".join(map(quoted, compared))
        for direction in self.some([[], ["--descending"]], 1):
            order = "DESC" if direction else "ASC"
            # Values such as 1 and 1.0, or 'a' and 'A' in a column without case, have one rank.
            ranked = self.sqlite.rows(
                f"SELECT dense_rank() OVER (ORDER BY {sql} {order}), {selected} FROM {source} "
                f"ORDER BY 1")
            ranks = {}
            for rank, *row in ranked:
                ranks.setdefault(tuple(row), set()).add(rank[1])
            try:
                mine = [
                    row[:len(compared)]
                    for row in self.show(table, f"--order={column}", *direction)]
            except ValueError as error:
                self.fault(f"{name!r}: --order {column!r} fails", str(error))
                continue
            self.checks += 1
            fits = len(mine) == len(ranked) and all(
                theirs[0][1] in ranks.get(row, ()) for row, theirs in zip(mine, ranked))
            if not fits:
                number = [c["name"] for c in table["columns"]].index(column)
                self.fault(
                    f"{name!r}: order of {column!r} {order}",
                    f"tideline {[row[number] for row in mine][:20]}\n    "
                    f"sqlite3  {[row[number + 1] for row in ranked][:20]}")

    def compare_selection(self, table, words, condition):
        name = table["name"]
        selected = ", ".join(quoted(c["name"]) for c in table["columns"])
        try:
            theirs = self.sqlite.rows(f"SELECT {selected} FROM {quoted(name)} WHERE {condition}")
        except sqlite3.Error:
            theirs = None
        try:
            mine = self.show(table, *words)
        except ValueError as error:
            if theirs is not None:
                self.fault(f"{name!r}: {words} fails", str(error))
            return
        if theirs is None:
            return self.fault(f"{name!r}: sqlite3 refuses {condition}, tideline doesn't")
        self.equal(f"{name!r}: {words}", sorted(mine), sorted(theirs))

    def compare_filters(self, table, column, values):
        # The name of a field in a filter is a plain word.
        if not column.isidentifier() or not column.isascii():
            return
        sql = quoted(column)
        numbers = f"typeof({sql}) IN ('integer', 'real')"
        conditions = {
            f"null:{column}": f"{sql} IS NULL",
            f"{column}<=4.5": f"({sql} <= 4.5 AND {numbers})",
            f"-{column}>2": f"NOT coalesce({sql} > 2 AND {numbers}, 0)",
        }
        isUntyped = not any(c["type"] for c in table["columns"] if c["name"] == column)
        for cell in list(dict.fromkeys(values))[:3]:
            if cell[0] == "t" and len(cell[1]) < 1000 and cell[1].isalnum() and cell[1] != b"NULL":
                text = literal(cell[1].decode())
                conditions[f"{column}={cell[1].decode()}"] = f"{sql} = {text}" + (
                    f" OR CAST({sql} AS TEXT) = {text}" if isUntyped else "")
            elif cell[0] == "i":
                conditions[f"{column}={cell[1]}"] = \
                    f"{sql} = {cell[1]} OR CAST({sql} AS TEXT) = '{cell[1]}'"
        for filter, condition in self.some(list(conditions.items()), 2):
            self.compare_selection(table, [f"--filter={filter}"], condition)

    def compare_query(self, sql):
        names = self.sqlite.names(sql)
        if len(set(names)) < len(names):
            return  # JSON objects have one member per name.
        theirs = self.sqlite.rows(sql)
        try:
            mine = [tuple(cell_of_json(row[name]) for name in names)
                    for row in self.lines("query", sql, "--json")]
        except (ValueError, KeyError) as error:
            return self.fault(f"query {sql} fails", f"{type(error).__name__} {error}")
        self.equal(f"query {sql}", mine, theirs)

    # Edits

    def copies(self):
        paths = [os.path.join(self.folder, name) for name in ("mine.db", "theirs.db")]
        for path in paths:
            for suffix in "-wal", "-shm", "-journal":
                if os.path.exists(path + suffix):
                    os.remove(path + suffix)
            shutil.copyfile(self.path, path)
        return paths

    def same_edit(self, what, words, sql):
        """Makes an edit with both programs, and compares the databases."""
        mine, theirs = self.copies()
        outcome = self.tideline(*words, path=mine)
        reference = SQLite(theirs).run(
            f"PRAGMA foreign_keys = ON;\nBEGIN;\n{sql};\nSELECT changes();\nCOMMIT;\n")
        changed = reference.stdout.decode().split()
        refused = reference.returncode != 0 or changed[-1:] == ["0"]
        self.checks += 1
        if outcome.returncode != 0 and any(
                reason in outcome.stderr
                for reason in (b" can't be NULL", b"(ON CONFLICT REPLACE ")):
            # tideline also refuses writes in which ON CONFLICT REPLACE would replace NULL with the
            # default value, or would delete other rows.
            return
        if (outcome.returncode != 0) != refused:
            self.fault(
                what, f"tideline {outcome.returncode} {outcome.stderr.decode()[:300]!r}\n    "
                f"sqlite3  {reference.returncode} {reference.stderr.decode()[:300]!r} {changed}")
        elif refused:
            with open(mine, "rb") as edited, open(self.path, "rb") as original:
                self.equal(f"{what}: a refused edit", edited.read() == original.read(), True)
        else:
            self.equal(what, SQLite(mine).contents(), SQLite(theirs).contents())

    def keys(self, table):
        """Returns rows as tideline names them, each with its condition in SQL; `None` if rows have
        no key that can be named."""
        name = table["name"]
        folded = {c["name"].lower() for c in table["columns"]}
        (isWithoutRowID,) = self.sqlite.values(
            f"SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = {literal(name)}")
        if isWithoutRowID:
            key = self.sqlite.values(
                f"SELECT name FROM pragma_table_xinfo({literal(name)}) WHERE pk > 0 ORDER BY pk")
            rows = self.sqlite.rows(f"SELECT {', '.join(map(quoted, key))} FROM {quoted(name)}")
            return [
                ("[" + ",".join(json_of_cell(cell) for cell in row) + "]",
                 " AND ".join(f"{quoted(k)} IS {sql_of_cell(cell)}" for k, cell in zip(key, row)))
                for row in rows]
        alias = next((a for a in ("rowid", "_rowid_", "oid") if a not in folded), None) or next(
            (quoted(c["name"]) for c in table["columns"]
             if c["primaryKey"] and c["type"].upper() == "INTEGER"), None)
        return alias and [
            (str(number), f"{alias} = {number}")
            for number in self.sqlite.values(f"SELECT {alias} FROM {quoted(name)}")]

    def compare_edits(self, table):
        name, source = table["name"], quoted(table["name"])
        keys = self.keys(table)
        if keys is None:
            outcome = self.tideline("insert", "--raw", "--", name)
            return self.equal(f"insert {name!r}, whose rows have no key", outcome.returncode, 77)
        columns = self.sqlite.values(
            f"SELECT name FROM pragma_table_xinfo({literal(name)}) WHERE hidden = 0")
        for number, (text, condition) in enumerate(keys[::max(1, len(keys) // 2)][:2]):
            self.same_edit(
                f"delete {name!r} {text}", ["delete", "--raw", "--", name, text],
                f"DELETE FROM {source} WHERE {condition}")
            # The first row is set column by column.
            for column in columns[:5] if number == 0 else []:
                for kind, value, sql in self.some([
                        ("string", "changed", "'changed'"), ("integer", "77", "77"),
                        ("null", "", "NULL"), ("string", "12", "'12'"), ("real", "2.5", "2.5"),
                        ("data", "AAE=", "x'0001'")], 2):
                    self.same_edit(
                        f"set {name!r} {text} {column!r} {value!r} as {kind}",
                        ["set", "--raw", "--as", kind, "--", name, text, column, value],
                        f"UPDATE {source} SET {quoted(column)} = {sql} WHERE {condition}")
        self.same_edit(f"insert {name!r}", ["insert", "--raw", "--", name],
                       f"INSERT INTO {source} DEFAULT VALUES")
        if any("=" in column or column.endswith(":") for column in columns):
            return  # The command can't name such a column.
        columns = columns[:30]
        selected = ", ".join(map(quoted, columns))
        for row in self.sqlite.rows(f"SELECT {selected} FROM {source} LIMIT 1"):
            if any(cell[0] in "tb" and len(cell[1]) > 10_000 for cell in row):
                continue  # The arguments of a program have a maximum length.
            for changed in self.some(range(-1, min(len(row), 6)), 2):
                cells = [
                    cell if number != changed
                    else ("t", b"changed") if cell[0] == "t" else ("i", 4711)
                    for number, cell in enumerate(row)]
                self.same_edit(
                    f"insert {name!r} {cells}",
                    ["insert", "--raw", "--", name,
                     *(f"{c}:={json_of_cell(cell)}" for c, cell in zip(columns, cells))],
                    f"INSERT INTO {source} ({selected}) VALUES "
                    f"({', '.join(sql_of_cell(cell) for cell in cells)})")

    # Files

    def violates_foreign_keys(self):
        try:
            return self.sqlite.rows("PRAGMA foreign_key_check") != []
        except sqlite3.Error:
            return True

    def compare_imports(self, table):
        """Exports the rows in each format and imports them into the emptied table."""
        name, source = table["name"], quoted(table["name"])
        sql = f"SELECT {', '.join(quoted(c['name']) for c in table['columns'])} FROM {source}"
        theirs = sorted(self.sqlite.rows(sql))
        if self.keys(table) is None or not theirs or self.violates_foreign_keys():
            return
        # Values of a column that keeps each value as it is become texts in CSV.
        hasTypes = all(c["type"] not in ("", "ANY", "BLOB") for c in table["columns"])
        for format in self.some(["json", "csv", "jsonl", "tsv"] if hasTypes else ["json", "jsonl"], 1):
            exported = self.tideline("show", "--raw", "--format", format, "--", name)
            if exported.returncode != 0:
                self.fault(f"{name!r}: export as {format}", exported.stderr.decode())
                continue
            file = os.path.join(self.folder, f"rows.{format}")
            with open(file, "wb") as out:
                out.write(exported.stdout)
            mine, _ = self.copies()
            triggers = self.sqlite.values("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            SQLite(mine).run("PRAGMA foreign_keys = OFF;\n" + "".join(
                f"DROP TRIGGER {quoted(trigger)};\n" for trigger in triggers)
                + f"DELETE FROM {source};\n")
            outcome = self.tideline("import", "--raw", "--", name, file, path=mine)
            if outcome.returncode != 0 and b" accepts " in outcome.stderr:
                continue  # A text in a column of numbers is an error in CSV and TSV.
            if outcome.returncode != 0:
                self.fault(f"{name!r}: import of {format}", outcome.stderr.decode())
            else:
                self.equal(f"{name!r}: rows after {format}", sorted(SQLite(mine).rows(sql)), theirs)
        exported = self.tideline("show", "--raw", "--format", "sql", "--schema", "--", name)
        copy = os.path.join(self.folder, "from-sql.db")
        if os.path.exists(copy):
            os.remove(copy)
        outcome = subprocess.run(
            ["sqlite3", "-batch", "-bail", "-init", "/dev/null", copy], input=exported.stdout,
            capture_output=True)
        if exported.returncode != 0 or outcome.returncode != 0:
            self.fault(f"{name!r}: export as sql", (exported.stderr + outcome.stderr).decode()[:300])
        else:
            self.equal(f"{name!r}: rows after sql", sorted(SQLite(copy).rows(sql)), theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--tideline", default=os.path.join(root, ".build/debug/tideline"))
    parser.add_argument("--all", action="store_true", help="every combination")
    parser.add_argument("words", nargs="*", help="only features whose name contains one of these")
    options = parser.parse_args()
    if not os.access(options.tideline, os.X_OK):
        sys.exit(f"{options.tideline} is missing: run swift build")
    if not shutil.which("sqlite3"):
        sys.exit("the sqlite3 program is missing")
    features = [
        feature for feature in FEATURES
        if not options.words or any(word in feature.name for word in options.words)]
    done = []
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(Comparison(feature, options, scratch).run) for feature in features]
        for run in concurrent.futures.as_completed(runs):
            done.append(run.result())
            if done[-1].missing:
                print(f"{done[-1].feature.name}: skipped, because sqlite3 lacks {done[-1].missing}")
            for fault in done[-1].faults:
                print(fault, flush=True)
    faults = [fault for comparison in done for fault in comparison.faults]
    checks = sum(comparison.checks for comparison in done)
    print(f"{len(done)} databases, {checks} comparisons, {len(faults)} differences")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
