import Foundation
import GRDB
import Tables
import TestSupport
import Testing

@testable import TidelineCore

/// Differences between the tables of two databases.
@Suite struct TableComparisonTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func database(_ sql: String) throws -> TableFile {
        let path = folder.appending("\(UUID().uuidString).db")
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            db.add(
                function: DatabaseFunction("score", argumentCount: 1, pure: true) { _ in 2 })
            try db.execute(sql: sql)
        }
        try queue.close()
        return TableFile(path)
    }

    private func compared(
        _ from: TableFile, _ to: TableFile, prefix: String = ""
    ) throws -> (lines: [String], problems: [String]) {
        var (lines, problems): ([String], [String]) = ([], [])
        try TableComparison(from: from, to: to, prefix: prefix).forEach {
            lines.append($0.json.line)
        } warn: {
            problems.append("\($0): \($1)")
        }
        return (lines, problems)
    }

    @Test func rowsWithoutAKeyAreReported() throws {
        let file = try database("CREATE TABLE t (rowid, _rowid_, oid)")
        let (lines, problems) = try compared(file, file)
        #expect(lines.isEmpty)
        #expect(problems.count == 1 && problems.first?.hasPrefix("to: the rows of t ") == true)
    }

    @Test func rowsAreListedWithTheColumnsThatDiffer() throws {
        let from = try database(
            """
            CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, born, photo);
            INSERT INTO person VALUES (1, 'Anna', 1985, x'00'), (2, 'Ben', 1990, NULL), (3, 'C', 1, 2);
            """)
        let to = try database(
            """
            CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, born, photo);
            INSERT INTO person VALUES (1, 'Anna', '1985', NULL), (2, 'Ben', 1990, NULL), (4, 'D', 1.0, 2);
            """)
        let (lines, problems) = try compared(from, to)
        #expect(problems.isEmpty)
        #expect(
            lines == [
                """
                {"change":"changed","columns":{"born":{"from":1985,"to":"1985"},\
                "photo":{"from":{"$data":"AA=="},"to":null}},\
                "row":1,"store":"tables","table":"person"}
                """,
                """
                {"change":"removed","columns":{"born":{"from":1},"id":{"from":3},\
                "name":{"from":"C"},"photo":{"from":2}},"row":3,"store":"tables","table":"person"}
                """,
                """
                {"change":"added","columns":{"born":{"to":1.0},"id":{"to":4},\
                "name":{"to":"D"},"photo":{"to":2}},"row":4,"store":"tables","table":"person"}
                """,
            ])
        #expect(try compared(from, from).lines.isEmpty)
    }

    @Test(.timeLimit(.minutes(30)))
    func differencesOfRandomTablesMatchAPlainModel() throws {
        // SQL and JSON of values, some of which are equal for SQL's comparison.
        let values = [
            ("NULL", "null"), ("1", "1"), ("1.0", "1.0"), ("'1'", #""1""#), ("''", #""""#),
            ("x'01'", #"{"$data":"AQ=="}"#), ("'é'", #""é""#),
            ("9223372036854775807", "9223372036854775807"),
        ]
        let tables = [
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v)",
            "CREATE TABLE t (id INTEGER PRIMARY KEY DESC, v) WITHOUT ROWID",
            "CREATE TABLE t (v, id INTEGER NOT NULL PRIMARY KEY)",
        ]
        for seed in 0..<150 {
            var random = SeededRandom(seed: UInt64(seed))
            let table = tables[seed % tables.count]
            var sides: [[Int: Int]] = [[:], [:]]
            for id in -4...12 {
                let value = Int.random(in: values.indices, using: &random)
                for side in 0..<2 where Int.random(in: 0..<5, using: &random) > 0 {
                    let isSame = Int.random(in: 0..<3, using: &random) > 0
                    sides[side][id] = isSame ? value : .random(in: values.indices, using: &random)
                }
            }
            let files = try sides.map { rows in
                let inserts = rows.map { "INSERT INTO t (id, v) VALUES (\($0), \(values[$1].0));" }
                return try database(table + ";" + inserts.joined())
            }
            var expected: Set<String> = []
            for id in Set(sides[0].keys).union(sides[1].keys) where sides[0][id] != sides[1][id] {
                let (from, to) = (sides[0][id], sides[1][id])
                let change = from == nil ? "added" : to == nil ? "removed" : "changed"
                let value = [
                    from.map { #""from":\#(values[$0].1)"# }, to.map { #""to":\#(values[$0].1)"# },
                ].compactMap(\.self).joined(separator: ",")
                let key =
                    switch change {
                    case "added": #""id":{"to":\#(id)},"#
                    case "removed": #""id":{"from":\#(id)},"#
                    default: ""
                    }
                let columns = #"{\#(key)"v":{\#(value)}}"#
                expected.insert(
                    #"{"change":"\#(change)","columns":\#(columns),"row":\#(id),"#
                        + #""store":"tables","table":"t"}"#)
            }
            let (lines, problems) = try compared(files[0], files[1])
            #expect(problems.isEmpty)
            try #require(Set(lines) == expected && lines.count == expected.count, "seed \(seed)")
        }
    }

    @Test func valuesOfMissingFunctionsAreNotCompared() throws {
        let file = { (columns: String) throws in
            try self.database(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, n\(columns)); INSERT INTO t (n) VALUES (1)"
            )
        }
        let (computed, stored) = (try file(", s AS (score(n))"), try file(", s DEFAULT 2"))
        let note = "t: the function score is missing: the values of s are not compared"
        #expect(try compared(computed, stored) == ([], ["from: \(note)"]))
        // Equal definitions compute equal values.
        #expect(try compared(computed, computed) == ([], []))
        let notes = try TableComparison(from: computed, to: computed).notes()
        #expect(notes.map { "\($0.side): \($0.text)" } == ["from: \(note)", "to: \(note)"])
        #expect(try TableComparison(from: computed, to: stored).notes().isEmpty)
        #expect(
            try compared(computed, try file("")) == ([], ["from: \(note)"]))
    }

    @Test func tablesAndColumnsOfOneSideAreListed() throws {
        let from = try database(
            """
            CREATE TABLE both (id INTEGER PRIMARY KEY, old TEXT, same);
            CREATE TABLE gone (a); INSERT INTO gone VALUES (1), (2);
            INSERT INTO both VALUES (1, 'x', 'y');
            CREATE VIEW v AS SELECT 1;
            """)
        let to = try database(
            """
            CREATE TABLE Both (id INTEGER PRIMARY KEY, same, new);
            CREATE TABLE fresh (a); INSERT INTO both VALUES (1, 'y', 'z');
            CREATE VIEW v AS SELECT 2;
            """)
        let expected = [
            #"{"change":"added","column":"new","from":null,"store":"tables","table":"both","to":{"type":""}}"#,
            #"{"change":"removed","column":"old","from":{"type":"TEXT"},"store":"tables","table":"both","to":null}"#,
            #"{"change":"added","from":null,"store":"tables","table":"fresh","to":{"rows":0}}"#,
            #"{"change":"removed","from":{"rows":2},"store":"tables","table":"gone","to":null}"#,
        ]
        #expect(try compared(from, to).lines == expected)
        #expect(try compared(from, to, prefix: "f").lines == [expected[2]])
    }

    @Test func rowsAreNamedByTheirPrimaryKey() throws {
        let sql = "CREATE TABLE t (a, b, PRIMARY KEY (b, a)); CREATE TABLE u (k TEXT PRIMARY KEY);"
        let (lines, _) = try compared(
            database(sql),
            database(sql + "INSERT INTO t VALUES (1, 'x'); INSERT INTO u VALUES ('7')"))
        #expect(lines.count == 2)
        #expect(lines.first?.contains(#""row":["x",1]"#) == true)
        #expect(lines.last?.contains(#""row":"7""#) == true)
    }

    @Test func tableWithAnotherKeyIsReported() throws {
        let found = try compared(
            database("CREATE TABLE t (a PRIMARY KEY); CREATE TABLE u (a)"),
            database("CREATE TABLE t (a); CREATE TABLE u (a); INSERT INTO u VALUES (1)"))
        #expect(found.problems.count == 1)
        #expect(found.problems.first?.hasPrefix("to: the rows of t ") == true)
        #expect(found.lines.count == 1)
    }

    @Test func longValuesAreComparedButNotPrinted() throws {
        let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, "
        let from = try database(sql + "zeroblob(9000000))")
        let to = try database(sql + "CAST(zeroblob(8999999) || 'x' AS BLOB))")
        let (lines, _) = try compared(from, to)
        #expect(lines.count == 1)
        let long = #"{"$unread":"blob","bytes":9000000}"#
        #expect(lines.first?.contains(#""a":{"from":\#(long),"to":\#(long)}"#) == true)
        #expect(try compared(from, from).lines.isEmpty)
    }
}
