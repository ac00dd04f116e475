"""Databases with the schema features that SQLite documents.

Each feature is named after its page at https://www.sqlite.org/ and becomes one database file.
"""

from dataclasses import dataclass, field


@dataclass
class Feature:
    """One database: the page that documents the feature, and the SQL that creates the file."""

    page: str
    sql: str
    """The name of the file, if several databases belong to one page."""
    variant: str = ""
    """Queries to compare in addition to the standard ones."""
    queries: list = field(default_factory=list)

    @property
    def name(self):
        return self.page + (f"-{self.variant}" if self.variant else "")


FEATURES = [
    Feature("datatype3", """
        CREATE TABLE affinity (i INTEGER, r REAL, n NUMERIC, t TEXT, b BLOB, x, f FLOATING POINT,
            d DECIMAL(10,5), s STRING, c CHARINT, bo BOOLEAN, dt DATETIME);
        INSERT INTO affinity VALUES
            (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
            ('2', '2', '2', '2', '2', '2', '2', '2', '2', '2', '2', '2'),
            ('3.0', '3.0', '3.0', '3.0', '3.0', '3.0', '3.0', '3.0', '3.0', '3.0', '3.0', '3.0'),
            ('4.5', '4.5', '4.5', '4.5', '4.5', '4.5', '4.5', '4.5', '4.5', '4.5', '4.5', '4.5'),
            (5.25, 5.25, 5.25, 5.25, 5.25, 5.25, 5.25, 5.25, 5.25, 5.25, 5.25, 5.25),
            (x'36', x'36', x'36', x'36', x'36', x'36', x'36', x'36', x'36', x'36', x'36', x'36'),
            ('word', 'word', 'word', 'word', 'word', 'word', 'word', 'word', 'word', 'word', 'word',
                'word'),
            (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            ('', '', '', '', '', '', '', '', '', '', '', ''),
            (x'', x'', x'', x'', x'', x'', x'', x'', x'', x'', x'', x''),
            ('0x10', '0x10', '0x10', '0x10', '0x10', '0x10', '0x10', '0x10', '0x10', '0x10', '0x10',
                '0x10');
        """),
    Feature("datatype3", """
        CREATE TABLE numbers (label TEXT, value);
        INSERT INTO numbers VALUES ('maximum', 9223372036854775807), ('minimum', -9223372036854775808),
            ('beyond', 9223372036854775808), ('large', 9007199254740993), ('tenth', 0.1),
            ('sum', 0.1 + 0.2), ('infinity', 9e999), ('negative infinity', -9e999),
            ('smallest', 4.9e-324), ('largest', 1.7976931348623157e308), ('zero', 0.0),
            ('negative zero', -0.0), ('whole', 1e15), ('not a number', 9e999 - 9e999),
            ('third', 1.0 / 3), ('power', 1e22), ('text', '1e22'), ('pi', 3.141592653589793);
        """, variant="numbers", queries=["SELECT value + 1 FROM numbers ORDER BY label"]),
    Feature("floatingpoint", """
        CREATE TABLE reals (id INTEGER PRIMARY KEY, r REAL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO reals SELECT i, ieee754(4503599627370497 + i * 7919 * 104729, i * 6 - 1000) FROM n;
        """),
    Feature("rowidtable", """
        CREATE TABLE plain (a, b);
        INSERT INTO plain (rowid, a, b) VALUES (-5, 'below zero', 1), (0, 'zero', 2),
            (9223372036854775807, 'largest', 3), (-9223372036854775808, 'smallest', 4);
        CREATE TABLE alias (id INTEGER PRIMARY KEY, a TEXT);
        INSERT INTO alias VALUES (10, 'ten'), (-3, 'minus three'), (7, NULL);
        CREATE TABLE "integer alias" ("the id" integer PRIMARY KEY ASC, a);
        INSERT INTO "integer alias" VALUES (1, 'a'), (2, 'b');
        CREATE TABLE notalias (id INT PRIMARY KEY, a);
        INSERT INTO notalias VALUES (1, 'one'), (NULL, 'null'), (NULL, 'another null'), ('x', 'text'),
            (2.5, 'real'), (x'01', 'blob');
        CREATE TABLE descending (id INTEGER PRIMARY KEY DESC, a);
        INSERT INTO descending VALUES (3, 'three'), (1, 'one'), (2, 'two'), (NULL, 'null');
        CREATE TABLE named (rowid TEXT, a);
        INSERT INTO named VALUES ('r1', 1), ('r2', 2);
        CREATE TABLE named2 (rowid TEXT, _rowid_ TEXT, a);
        INSERT INTO named2 VALUES ('r1', 'u1', 1), ('r2', 'u2', 2);
        CREATE TABLE named3 (rowid, _rowid_, oid, a);
        INSERT INTO named3 VALUES ('r1', 'u1', 'o1', 1), ('r2', 'u2', 'o2', 2);
        CREATE TABLE named4 (oid INTEGER PRIMARY KEY, rowid TEXT, a);
        INSERT INTO named4 VALUES (5, 'r1', 1), (6, 'r2', 2);
        CREATE TABLE capital (ROWID TEXT, a);
        INSERT INTO capital VALUES ('r1', 1), ('r2', 2);
        CREATE TABLE constrained (a, id INTEGER, PRIMARY KEY (id));
        INSERT INTO constrained VALUES ('x', 3), ('y', 4);
        CREATE TABLE constraineddesc (a, id INTEGER, PRIMARY KEY (id DESC));
        INSERT INTO constraineddesc VALUES ('x', 3), ('y', 4);
        """),
    Feature("autoinc", """
        CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, a);
        INSERT INTO counted (a) VALUES ('one'), ('two'), ('three');
        DELETE FROM counted WHERE id = 3;
        CREATE TABLE empty (id INTEGER PRIMARY KEY AUTOINCREMENT, a DEFAULT 'nothing');
        """),
    Feature("withoutrowid", """
        CREATE TABLE words (word TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID;
        INSERT INTO words VALUES ('b', 2), ('a', 1), ('C', 3), ('10', 10), ('[x]', 4), ('', 0),
            ('é', 5);
        CREATE TABLE numbers (n INTEGER PRIMARY KEY, t) WITHOUT ROWID;
        INSERT INTO numbers VALUES (5, 'five'), (-1, 'minus one'), (100, 'hundred');
        CREATE TABLE reals (n REAL PRIMARY KEY, t) WITHOUT ROWID;
        INSERT INTO reals VALUES (5, 'five'), (-1.5, 'minus'), (1e300, 'huge'), (0.1, 'tenth');
        CREATE TABLE anything (k PRIMARY KEY, t) WITHOUT ROWID;
        INSERT INTO anything VALUES (5, 'integer'), ('5', 'text'), (x'35', 'blob'), (5.5, 'real'),
            ('NULL', 'word');
        CREATE TABLE pairs (a TEXT, b INTEGER, c, PRIMARY KEY (b DESC, a)) WITHOUT ROWID;
        INSERT INTO pairs VALUES ('x', 1, 'x1'), ('y', 1, 'y1'), ('x', 2, 'x2'), ('', -1, NULL);
        CREATE TABLE caseless (k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID;
        INSERT INTO caseless VALUES ('B', 1), ('a', 2), ('C', 3);
        CREATE TABLE trimmed (k TEXT COLLATE RTRIM PRIMARY KEY, v) WITHOUT ROWID;
        INSERT INTO trimmed VALUES ('b  ', 1), ('a', 2);
        CREATE TABLE keyonly (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
        INSERT INTO keyonly VALUES (1, 2), (1, 3), ('x', x'00');
        CREATE TABLE repeated (a, b, PRIMARY KEY (a, b, a)) WITHOUT ROWID;
        INSERT INTO repeated VALUES (1, 2), (1, 3);
        CREATE TABLE hasrowid (rowid INTEGER PRIMARY KEY, v) WITHOUT ROWID;
        INSERT INTO hasrowid VALUES (1, 'a'), (2, 'b');
        CREATE TABLE defaulted (k TEXT DEFAULT 'key' PRIMARY KEY, v DEFAULT 5) WITHOUT ROWID;
        INSERT INTO defaulted VALUES ('first', 1);
        CREATE TABLE dated (k DATETIME PRIMARY KEY, v) WITHOUT ROWID;
        INSERT INTO dated VALUES ('2026-01-01', 1), (20260101, 2);
        """),
    Feature("stricttables", """
        CREATE TABLE strict1 (i INT, j INTEGER, r REAL, t TEXT, b BLOB, a ANY) STRICT;
        INSERT INTO strict1 VALUES (1, 2, 3, '4', x'05', '6'), (NULL, NULL, NULL, NULL, NULL, NULL),
            ('7', '8', '9.5', 10, x'', x'0b'), (1, 1, 1, 'x', x'ff', 1.5), (0, 0, 0, '', x'00', '007');
        CREATE TABLE strict2 (k ANY PRIMARY KEY, v INT NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO strict2 VALUES (1, 1), ('1', 2), (x'31', 3), (1.5, 4);
        CREATE TABLE strict3 (k INTEGER PRIMARY KEY, v TEXT DEFAULT 'd') STRICT;
        INSERT INTO strict3 VALUES (5, 'five'), (2, 'two');
        """),
    Feature("gencol", """
        CREATE TABLE generated (a INTEGER PRIMARY KEY, b TEXT, c INT,
            d INT GENERATED ALWAYS AS (a * abs(c)) VIRTUAL,
            e TEXT GENERATED ALWAYS AS (substr(b, c, c + 1)) STORED,
            f AS (d + 1), g TEXT AS (e || f) UNIQUE);
        INSERT INTO generated (a, b, c) VALUES (1, 'hello world', 2), (2, 'second', 3), (3, NULL, NULL);
        CREATE INDEX by_d ON generated (d);
        CREATE TABLE first (x AS (y + 1), y INTEGER, z AS (x + y) STORED);
        INSERT INTO first (y) VALUES (1), (5), (NULL);
        CREATE TABLE strictly (a INT, b TEXT AS (a || 'x') STORED) STRICT;
        INSERT INTO strictly (a) VALUES (1), (2);
        CREATE TABLE keyed (k TEXT PRIMARY KEY, n AS (length(k)), v) WITHOUT ROWID;
        INSERT INTO keyed (k, v) VALUES ('a', 1), ('bbb', 2);
        CREATE TABLE onlykey (id INTEGER PRIMARY KEY, twice AS (id * 2));
        INSERT INTO onlykey (id) VALUES (4), (6);
        CREATE TABLE required (a INTEGER, b INTEGER NOT NULL AS (a) CHECK (b > 0));
        INSERT INTO required (a) VALUES (1);
        """),
    Feature("partialindex", """
        CREATE TABLE team (person INTEGER, team INTEGER, leader BOOLEAN, name TEXT);
        CREATE UNIQUE INDEX one_leader ON team (team) WHERE leader;
        CREATE INDEX named ON team (name) WHERE name IS NOT NULL;
        INSERT INTO team VALUES (1, 1, 1, 'Ann'), (2, 1, 0, 'Ben'), (3, 2, 1, NULL), (4, 2, NULL, 'Cy');
        """),
    Feature("expridx", """
        CREATE TABLE account (id INTEGER PRIMARY KEY, amount INTEGER, name TEXT);
        CREATE INDEX by_size ON account (abs(amount), id DESC);
        CREATE UNIQUE INDEX by_name ON account (lower(name));
        CREATE INDEX by_json ON account (json_extract(name, '$.a')) WHERE json_valid(name);
        INSERT INTO account VALUES (1, -50, 'Ann'), (2, 20, 'BEN'), (3, -10, '{"a": 5}');
        """),
    Feature("lang_createindex", """
        CREATE TABLE ordered (a, b TEXT COLLATE NOCASE, c INTEGER);
        CREATE INDEX by_all ON ordered (a DESC, b COLLATE BINARY ASC, c COLLATE RTRIM);
        CREATE INDEX "odd name ""of"" index" ON ordered (b);
        CREATE UNIQUE INDEX u ON ordered (c);
        INSERT INTO ordered VALUES (1, 'b', 1), (1, 'B', 2), (NULL, 'a', 3), ('x', NULL, NULL),
            (x'00', 'A', 4), (1.5, 'c', 5);
        """),
    Feature("lang_createtable", """
        CREATE TABLE defaults (id INTEGER PRIMARY KEY, a DEFAULT 5, b TEXT DEFAULT 'it''s',
            c DEFAULT (1 + 1), d DEFAULT NULL, e DEFAULT -3.5, f DEFAULT x'00ff', g NOT NULL DEFAULT '',
            h DEFAULT TRUE, i DEFAULT "quoted");
        INSERT INTO defaults DEFAULT VALUES;
        INSERT INTO defaults (a) VALUES (6);
        CREATE TABLE checked (a INTEGER CHECK (a > 0), b TEXT CHECK (length(b) < 5), c,
            CONSTRAINT sensible CHECK (c IS NULL OR c > a));
        INSERT INTO checked VALUES (1, 'abcd', 2), (5, '', NULL);
        CREATE TABLE uniques (a UNIQUE, b, c, UNIQUE (b, c), UNIQUE (c COLLATE NOCASE));
        INSERT INTO uniques VALUES (1, 1, 'x'), (NULL, 1, 'y'), (NULL, NULL, NULL), (2, NULL, NULL);
        CREATE TABLE composite (a TEXT, b INTEGER, c, PRIMARY KEY (a, b));
        INSERT INTO composite VALUES ('x', 1, 1), ('x', 2, 2), (NULL, 1, 3), (NULL, 1, 4);
        CREATE TABLE required (a NOT NULL, b TEXT NOT NULL, c INTEGER NOT NULL DEFAULT 0);
        INSERT INTO required VALUES (1, 'x', 1), ('', '', 2);
        CREATE TABLE selected AS SELECT a AS "the a", c + 1 FROM defaults;
        CREATE TABLE noconstraint (a CONSTRAINT one NOT NULL CONSTRAINT two UNIQUE);
        INSERT INTO noconstraint VALUES ('a'), ('b');
        """),
    Feature("datatype3-collation", """
        CREATE TABLE collated (id INTEGER PRIMARY KEY, b TEXT COLLATE BINARY, n TEXT COLLATE NOCASE,
            r TEXT COLLATE RTRIM, u TEXT COLLATE NOCASE UNIQUE);
        INSERT INTO collated VALUES (1, 'abc', 'abc', 'abc', 'abc'), (2, 'ABC', 'ABC', 'abc ', 'b'),
            (3, 'abd', 'Abd', 'abc  ', 'C'), (4, 'é', 'É', 'é ', 'é'), (5, NULL, NULL, NULL, NULL),
            (6, 'Z', 'Z', 'Z', 'Z'), (7, '_', '_', '_', '_'), (8, '', '', ' ', '');
        """),
    Feature("foreignkeys", """
        PRAGMA foreign_keys = ON;
        CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        INSERT INTO artist VALUES (1, 'Dean'), (2, 'Frank'), (3, 'Nina');
        CREATE TABLE track (id INTEGER PRIMARY KEY, name TEXT, artist INTEGER REFERENCES artist);
        INSERT INTO track VALUES (11, 'Amore', 1), (12, 'Way', 2), (13, 'None', NULL);
        CREATE TABLE cascaded (id INTEGER PRIMARY KEY,
            artist INTEGER REFERENCES artist ON DELETE CASCADE ON UPDATE CASCADE);
        INSERT INTO cascaded VALUES (1, 3), (2, 3);
        CREATE TABLE emptied (id INTEGER PRIMARY KEY,
            artist INTEGER REFERENCES artist (id) ON DELETE SET NULL ON UPDATE SET NULL);
        INSERT INTO emptied VALUES (1, 3);
        CREATE TABLE reset (id INTEGER PRIMARY KEY,
            artist INTEGER DEFAULT 1 REFERENCES artist ON DELETE SET DEFAULT ON UPDATE SET DEFAULT);
        INSERT INTO reset VALUES (1, 3);
        CREATE TABLE named (name TEXT REFERENCES artist (name) ON UPDATE CASCADE);
        INSERT INTO named VALUES ('Nina'), (NULL);
        CREATE TABLE deferred (id INTEGER PRIMARY KEY,
            artist REFERENCES artist DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO deferred VALUES (1, 2);
        CREATE TABLE album (artist TEXT, name TEXT, cover, PRIMARY KEY (artist, name)) WITHOUT ROWID;
        INSERT INTO album VALUES ('Nina', 'Blues', x'00'), ('Dean', 'This', NULL);
        CREATE TABLE song (id INTEGER, artist TEXT, album TEXT,
            FOREIGN KEY (artist, album) REFERENCES album (artist, name) ON DELETE RESTRICT);
        INSERT INTO song VALUES (1, 'Nina', 'Blues'), (2, NULL, 'Blues'), (3, 'x', NULL);
        CREATE TABLE tree (id INTEGER PRIMARY KEY, parent REFERENCES tree ON DELETE CASCADE);
        INSERT INTO tree VALUES (1, NULL), (2, 1), (3, 2), (4, 4);
        """),
    Feature("foreignkeys", """
        CREATE TABLE dangling (a REFERENCES nowhere, b REFERENCES dangling (missing), c);
        INSERT INTO dangling (c) VALUES (1);
        CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE broken (id INTEGER PRIMARY KEY, p REFERENCES parent);
        INSERT INTO broken VALUES (1, 99), (2, NULL);
        """, variant="broken"),
    Feature("lang_createview", """
        CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c REAL);
        INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', 2.5), (3, NULL, NULL);
        CREATE VIEW simple AS SELECT * FROM t;
        CREATE VIEW renamed (x, "y z") AS SELECT a, b FROM t WHERE a > 1;
        CREATE VIEW computed AS SELECT a * 2, upper(b) AS "UP", count(*) OVER () FROM t;
        CREATE VIEW joined AS SELECT s.a, t.a, t.b FROM simple s JOIN t USING (a);
        CREATE VIEW grouped AS SELECT typeof(b) AS type, count(*) AS n FROM t GROUP BY 1;
        CREATE VIEW united AS SELECT a FROM t UNION ALL SELECT c FROM t ORDER BY 1 DESC LIMIT 4;
        CREATE VIEW recursive AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
            WHERE i < 10) SELECT i FROM n;
        CREATE VIEW constant AS VALUES (1, 'x'), (2, x'00');
        CREATE VIEW broken AS SELECT * FROM missing;
        CREATE TRIGGER instead INSTEAD OF INSERT ON simple BEGIN
            INSERT INTO t (b) VALUES (new.b); END;
        """),
    Feature("lang_createtrigger", """
        CREATE TABLE data (id INTEGER PRIMARY KEY, v TEXT, changed INTEGER DEFAULT 0);
        CREATE TABLE history (what TEXT, old TEXT, new TEXT);
        CREATE TRIGGER after_insert AFTER INSERT ON data BEGIN
            INSERT INTO history VALUES ('insert', NULL, new.v); END;
        CREATE TRIGGER after_update AFTER UPDATE OF v ON data WHEN old.v IS NOT new.v BEGIN
            INSERT INTO history VALUES ('update', old.v, new.v);
            UPDATE data SET changed = changed + 1 WHERE id = new.id; END;
        CREATE TRIGGER before_delete BEFORE DELETE ON data BEGIN
            SELECT RAISE(ABORT, 'the first row stays') WHERE old.id = 1;
            INSERT INTO history VALUES ('delete', old.v, NULL); END;
        INSERT INTO data (v) VALUES ('one'), ('two'), ('three');
        UPDATE data SET v = 'zwei' WHERE id = 2;
        CREATE TABLE ignored (a);
        INSERT INTO ignored VALUES (1);
        CREATE TRIGGER ignoring BEFORE UPDATE ON ignored BEGIN SELECT RAISE(IGNORE); END;
        CREATE TABLE normalized (id INTEGER PRIMARY KEY, v TEXT);
        CREATE TRIGGER lowering AFTER INSERT ON normalized BEGIN
            UPDATE normalized SET v = lower(v) WHERE id = new.id; END;
        INSERT INTO normalized (v) VALUES ('ABC');
        """),
    Feature("lang_conflict", """
        CREATE TABLE ignoring (a UNIQUE ON CONFLICT IGNORE, b NOT NULL ON CONFLICT IGNORE);
        INSERT INTO ignoring VALUES (1, 1), (2, 2);
        CREATE TABLE replacing (a UNIQUE ON CONFLICT REPLACE, b NOT NULL ON CONFLICT REPLACE DEFAULT 7);
        INSERT INTO replacing VALUES (1, 1), (2, 2);
        CREATE TABLE failing (a INTEGER PRIMARY KEY ON CONFLICT FAIL, b UNIQUE ON CONFLICT ROLLBACK);
        INSERT INTO failing VALUES (1, 1), (2, 2);
        """),
    Feature("lang_altertable", """
        CREATE TABLE grown (id INTEGER PRIMARY KEY, a TEXT);
        INSERT INTO grown VALUES (1, 'before'), (2, 'before');
        ALTER TABLE grown ADD COLUMN b TEXT DEFAULT 'added';
        ALTER TABLE grown ADD COLUMN c INTEGER NOT NULL DEFAULT 42;
        ALTER TABLE grown ADD COLUMN d AS (c * 2);
        INSERT INTO grown (a, c) VALUES ('after', 1);
        ALTER TABLE grown RENAME COLUMN a TO "renamed a";
        ALTER TABLE grown RENAME TO "renamed table";
        CREATE TABLE shrunk (a, b, c);
        INSERT INTO shrunk VALUES (1, 2, 3);
        ALTER TABLE shrunk DROP COLUMN b;
        """),
    Feature("lang_keywords", """
        CREATE TABLE "select" ("from" INTEGER PRIMARY KEY, "where" TEXT, "order" REAL, "group" BLOB);
        INSERT INTO "select" VALUES (1, 'x', 1.5, x'00'), (2, 'y', 2.5, NULL);
        CREATE TABLE [brackets and spaces] ([a b] PRIMARY KEY, `c"d` TEXT, "e'f", "g`h", "i]j");
        INSERT INTO [brackets and spaces] VALUES ('k', 'l', 'm', 'n', 'o');
        CREATE TABLE "quote""d" ("a""b" TEXT);
        INSERT INTO "quote""d" VALUES ('v');
        CREATE TABLE "ünïcödé 表" ("ключ" TEXT, "🙂" INTEGER);
        INSERT INTO "ünïcödé 表" VALUES ('значение', 1);
        CREATE TABLE "semi;colon--comment /* x */" ("a;b" INTEGER, "--" TEXT);
        INSERT INTO "semi;colon--comment /* x */" VALUES (1, '--');
        CREATE TABLE "1.5" ("2" INTEGER, "" TEXT);
        INSERT INTO "1.5" VALUES (1, 'empty name');
        CREATE TABLE "percent%_?" ("?1" TEXT, ":a" TEXT, "@b" TEXT, "$c" TEXT);
        INSERT INTO "percent%_?" VALUES ('q', 'a', 'b', 'c');
        CREATE TABLE "new
        line" ("tab	bed" TEXT);
        INSERT INTO "new
        line" VALUES ('v');
        CREATE TABLE Mixed (Aa, bB);
        INSERT INTO mixed (aA, BB) VALUES (1, 2);
        """),
    Feature("quirks", """
        CREATE TABLE quirky (a "VARCHAR(10)" DEFAULT "text", b 'quoted type', 'c' INTEGER);
        INSERT INTO quirky (b, c) VALUES ('x', 1), (2, 'y');
        CREATE VIEW doublequoted AS SELECT a, "not a column" AS s FROM quirky;
        CREATE TABLE nokeyword (a PRIMARY KEY, b);
        INSERT INTO nokeyword VALUES (NULL, 1), (NULL, 2), ('', 3);
        CREATE INDEX quoted ON quirky ("nothing");
        CREATE TABLE booleans (a BOOLEAN DEFAULT FALSE, b DEFAULT CURRENT_DATE);
        INSERT INTO booleans VALUES (TRUE, '2026-01-01'), (FALSE, NULL);
        """),
    Feature("nulinstr", """
        CREATE TABLE nuls (id INTEGER PRIMARY KEY, t TEXT);
        INSERT INTO nuls VALUES (1, 'a' || char(0) || 'b'), (2, char(0)), (3, 'plain'),
            (4, 'x' || char(0)), (5, '');
        CREATE TABLE nulkeys (t TEXT PRIMARY KEY, v) WITHOUT ROWID;
        INSERT INTO nulkeys VALUES ('a' || char(0) || 'b', 1), ('a', 2), (char(0), 3);
        """, queries=["SELECT length(t), instr(t, char(0)), hex(t) FROM nuls"]),
    Feature("datatype3", """
        CREATE TABLE texts (id INTEGER PRIMARY KEY, t TEXT, b BLOB);
        INSERT INTO texts VALUES (1, CAST(x'ff61' AS TEXT), x'ff61'), (2, CAST(x'c3' AS TEXT), 'text'),
            (3, CAST(x'eda080' AS TEXT), 5), (4, x'000102', 1.5), (5, char(65279) || 'mark', ''),
            (6, char(8206, 27, 7, 127), x''), (7, 'e' || char(769), NULL), (8, char(1114111), x'00'),
            (9, '{"$data": "AA=="}', '{"$data": "AA=="}'), (10, 'NULL', 'null');
        """, variant="texts"),
    Feature("pragma_encoding", """
        PRAGMA encoding = 'UTF-16le';
        CREATE TABLE texts (id INTEGER PRIMARY KEY, t TEXT UNIQUE, n TEXT COLLATE NOCASE,
            r TEXT COLLATE RTRIM UNIQUE);
        INSERT INTO texts VALUES (1, 'plain', 'B', 'a '), (2, 'é', 'a', 'A'), (3, '🙂', 'C', 'b'),
            (4, '', NULL, NULL), (5, 'z', 'É', 'É '), (6, '表', 'é', 'é');
        CREATE TABLE "tàble" ("cölumn" TEXT PRIMARY KEY, v) WITHOUT ROWID;
        INSERT INTO "tàble" VALUES ('ключ', 1), ('a', 2), ('🙂', 3), (char(65535), 4);
        """, variant="utf-16le", queries=["SELECT t FROM texts ORDER BY t"]),
    Feature("pragma_encoding", """
        PRAGMA encoding = 'UTF-16be';
        CREATE TABLE texts (id INTEGER PRIMARY KEY, t TEXT, b BLOB);
        INSERT INTO texts VALUES (1, 'plain', x'00'), (2, 'é', 'é'), (3, '🙂', NULL);
        CREATE VIRTUAL TABLE search USING fts5 (body);
        INSERT INTO search VALUES ('hello wörld');
        """, variant="utf-16be"),
    Feature("pragma_page_size", """
        PRAGMA page_size = 512;
        CREATE TABLE pages (id INTEGER PRIMARY KEY, t TEXT, b BLOB);
        INSERT INTO pages VALUES (1, printf('%.*c', 5000, 'x'), zeroblob(3000)), (2, 'short', x'00');
        """, variant="512"),
    Feature("pragma_page_size", """
        PRAGMA page_size = 65536;
        CREATE TABLE pages (id INTEGER PRIMARY KEY, t TEXT);
        INSERT INTO pages VALUES (1, printf('%.*c', 200000, 'x')), (2, 'short');
        """, variant="65536"),
    Feature("pragma_auto_vacuum", """
        PRAGMA auto_vacuum = FULL;
        CREATE TABLE t (id INTEGER PRIMARY KEY, v);
        INSERT INTO t VALUES (1, zeroblob(20000)), (2, 'x');
        DELETE FROM t WHERE id = 1;
        """, variant="full"),
    Feature("pragma_auto_vacuum", """
        PRAGMA auto_vacuum = INCREMENTAL;
        CREATE TABLE t (id INTEGER PRIMARY KEY, v);
        INSERT INTO t VALUES (1, zeroblob(20000)), (2, 'x');
        DELETE FROM t WHERE id = 1;
        """, variant="incremental"),
    Feature("wal", """
        PRAGMA journal_mode = WAL;
        CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
        INSERT INTO t VALUES (1, 'one'), (2, 'two');
        """),
    Feature("pragma_journal_mode", """
        PRAGMA journal_mode = PERSIST;
        CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
        INSERT INTO t VALUES (1, 'one'), (2, 'two');
        """),
    Feature("lang_analyze", """
        CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, n INTEGER);
        CREATE INDEX by_v ON t (v, n);
        INSERT INTO t VALUES (1, 'one', 1), (2, 'two', 2);
        ANALYZE;
        """, queries=["SELECT tbl, idx, stat FROM sqlite_stat1"]),
    Feature("fts5", """
        CREATE VIRTUAL TABLE mail USING fts5 (subject, body, tokenize = 'porter unicode61', prefix = '2 3');
        INSERT INTO mail VALUES ('Lunch', 'Running late'), ('Re: Lunch', 'ran earlier'), ('', NULL);
        CREATE TABLE docs (id INTEGER PRIMARY KEY, title TEXT, text TEXT);
        CREATE VIRTUAL TABLE docs_index USING fts5 (title, text, content = 'docs', content_rowid = 'id');
        CREATE TRIGGER docs_ai AFTER INSERT ON docs BEGIN
            INSERT INTO docs_index (rowid, title, text) VALUES (new.id, new.title, new.text); END;
        CREATE TRIGGER docs_ad AFTER DELETE ON docs BEGIN
            INSERT INTO docs_index (docs_index, rowid, title, text)
                VALUES ('delete', old.id, old.title, old.text); END;
        CREATE TRIGGER docs_au AFTER UPDATE ON docs BEGIN
            INSERT INTO docs_index (docs_index, rowid, title, text)
                VALUES ('delete', old.id, old.title, old.text);
            INSERT INTO docs_index (rowid, title, text) VALUES (new.id, new.title, new.text); END;
        INSERT INTO docs VALUES (1, 'first', 'some words'), (2, 'second', 'more words');
        CREATE VIRTUAL TABLE contentless USING fts5 (a, content = '');
        INSERT INTO contentless (rowid, a) VALUES (1, 'hidden');
        CREATE VIRTUAL TABLE vocabulary USING fts5vocab (mail, 'row');
        CREATE VIRTUAL TABLE trigrams USING fts5 (a UNINDEXED, b, tokenize = 'trigram');
        INSERT INTO trigrams VALUES ('x', 'abcdef');
        """, queries=[
            "SELECT subject FROM mail WHERE mail MATCH 'run*' ORDER BY rank",
            "SELECT highlight(mail, 1, '[', ']') FROM mail WHERE mail MATCH 'body: late'",
        ]),
    Feature("fts3", """
        CREATE VIRTUAL TABLE pages USING fts4 (title, body, notindexed=title);
        INSERT INTO pages VALUES ('a', 'hello world'), ('b', 'good bye');
        CREATE VIRTUAL TABLE pages3 USING fts3 (title, tokenize=porter);
        INSERT INTO pages3 VALUES ('running');
        """, queries=["SELECT snippet(pages) FROM pages WHERE pages MATCH 'hello'"]),
    Feature("rtree", """
        CREATE VIRTUAL TABLE boxes USING rtree (id, minX, maxX, minY, maxY, +label TEXT);
        INSERT INTO boxes VALUES (1, 0, 10, 0, 10, 'small'), (2, -80.5, -80.25, 35.1, 35.2, 'city');
        CREATE VIRTUAL TABLE whole USING rtree_i32 (id, low, high);
        INSERT INTO whole VALUES (1, 0, 10), (2, -5, 5);
        """, queries=["SELECT label FROM boxes WHERE minX < 5 AND maxX > 5"]),
    Feature("geopoly", """
        CREATE VIRTUAL TABLE shapes USING geopoly (name);
        INSERT INTO shapes (_shape, name) VALUES ('[[0,0],[1,0],[0.5,1],[0,0]]', 'triangle');
        """),
    Feature("json1", """
        CREATE TABLE documents (id INTEGER PRIMARY KEY, body JSON,
            name TEXT AS (json_extract(body, '$.name')) VIRTUAL CHECK (json_valid(body)));
        INSERT INTO documents (body) VALUES ('{"name": "Ann", "tags": ["a", "b"]}'), ('{"name": 5}');
        CREATE VIEW tags AS SELECT d.id, t.value FROM documents d, json_each(d.body, '$.tags') t;
        """, queries=["SELECT body ->> 'name', body -> 'tags' FROM documents"]),
    Feature("windowfunctions", """
        CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);
        INSERT INTO t VALUES (1, 'A'), (2, 'B'), (3, 'A'), (4, NULL);
        CREATE VIEW ranked AS SELECT a, b, row_number() OVER (PARTITION BY b ORDER BY a DESC) AS n,
            group_concat(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS near,
            lag(a) OVER win AS before FROM t WINDOW win AS (ORDER BY a);
        """),
    Feature("lang_datefunc", """
        CREATE TABLE times (id INTEGER PRIMARY KEY, unix INTEGER, julian REAL, iso TEXT,
            day AS (date(iso)), created TIMESTAMP DEFAULT '2026-01-01 00:00:00');
        INSERT INTO times (unix, julian, iso) VALUES (1700000000, 2460263.5, '2023-11-14 22:13:20'),
            (0, 0, ''), (NULL, NULL, NULL), (-1, 5373484.5, '9999-12-31T23:59:59.999Z');
        """),
    Feature("limits", "CREATE TABLE wide ("
        + ", ".join(f"c{number} INTEGER DEFAULT {number}" for number in range(1999))
        + ", id INTEGER PRIMARY KEY); INSERT INTO wide (id) VALUES (1), (2);"),
    Feature("pragma_user_version", """
        PRAGMA user_version = 7;
        PRAGMA application_id = 1234;
        """, variant="empty"),
    Feature("lang_reindex", """
        CREATE TABLE emptytable (a INTEGER PRIMARY KEY, b);
        CREATE TABLE emptykeys (a TEXT PRIMARY KEY, b) WITHOUT ROWID;
        """, variant="empty"),
    Feature("schematab", """
        CREATE TABLE "sqlitelike" (a);
        INSERT INTO sqlitelike VALUES (1);
        CREATE TABLE sqliteX_y (a);
        INSERT INTO sqliteX_y VALUES (1);
        CREATE VIEW master AS SELECT type, name FROM sqlite_master WHERE type = 'table';
        CREATE TABLE commented ( -- the first comment
            a INTEGER, /* another
            comment */ b TEXT -- the last one
        );
        INSERT INTO commented VALUES (1, 'x');
        """),
    Feature("rowvalue", """
        CREATE TABLE items (year INT, month INT, day INT, name TEXT, CHECK ((year, month) > (1999, 12)));
        CREATE INDEX dated ON items (year, month, day);
        INSERT INTO items VALUES (2026, 1, 2, 'a'), (2025, 12, 31, 'b'), (2026, NULL, 1, 'c');
        """, queries=["SELECT name FROM items WHERE (year, month) >= (2026, 1)"]),
    Feature("lang_vacuum", """
        CREATE TABLE t (a TEXT, b);
        INSERT INTO t VALUES ('gone', 1), ('x', 2), ('y', 3);
        DELETE FROM t WHERE a = 'gone';
        VACUUM;
        """),
    Feature("pragma_legacy_alter_table", """
        PRAGMA legacy_file_format = ON;
        CREATE TABLE old (a INTEGER PRIMARY KEY, b BOOLEAN);
        INSERT INTO old VALUES (1, 0), (2, 1);
        """, variant="legacy-format"),
    Feature("dbstat", """
        CREATE TABLE t (a INTEGER PRIMARY KEY, b);
        INSERT INTO t VALUES (1, 2);
        CREATE VIRTUAL TABLE statistics USING dbstat;
        """),
    Feature("lang_upsert", """
        CREATE TABLE counts (word TEXT PRIMARY KEY, n INTEGER DEFAULT 1);
        INSERT INTO counts (word) VALUES ('a'), ('b') ON CONFLICT DO UPDATE SET n = n + 1;
        INSERT INTO counts (word) VALUES ('a') ON CONFLICT (word) DO UPDATE SET n = n + 1;
        """),
    Feature("lang_savepoint", """
        CREATE TABLE many (id INTEGER PRIMARY KEY, grp TEXT, v REAL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO many SELECT i, char(97 + i % 7), CASE i % 5 WHEN 0 THEN NULL ELSE i * 0.37 END FROM n;
        CREATE INDEX by_group ON many (grp);
        """, variant="many-rows",
        queries=["SELECT grp, count(*), sum(v), avg(v) FROM many GROUP BY grp ORDER BY grp"]),
]
