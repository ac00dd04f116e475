import Foundation
import GRDB
import Replication
import Tables
import TestSupport
import Testing

@testable import TidelineCore

/// The frequencies of a column's values, and the filters that select them.
@Suite struct ValueFrequencyTests {
    private static let texts = [
        "", " ", "a", "A", "a b", "x\"y", "\"q\"", "say \"a b\"", "a|b", "(a)", "a*", "/a/", "\\",
        "é", "日本", "~", "NULL", "a\nb", "-1", "1.5",
    ]

    @Test(arguments: [FilterField.Kind.text, .name, .value])
    func termSelectsRowsWithThisExactText(kind: FilterField.Kind) throws {
        for name in ["name", "first name", "a:b"] {
            let info = ListInfo(
                "Rows", columns: [Column(name, "")],
                filterFields: [FilterField(name, kind, example: "")])
            let rows = Self.texts.enumerated().map { index, text in
                Row(id: RowID("\(index)"), cells: [RowCell(text)])
            }
            for (index, text) in Self.texts.enumerated() {
                let term = try #require(info.filterFields[0].term(equalTo: text))
                let found = try RowList(rows).arranged(RowQuery(filter: term), by: info)
                #expect(found.rows(0..<found.count).map(\.id.name) == ["\(index)"], "\(term)")
            }
        }
    }

    @Test func termComparesTheNumberInsteadOfItsForm() throws {
        let rows = FilterField("rows", .number, example: "")
        #expect(rows.term(equalTo: RowCell(grouped: 12_000)) == "rows=12000")
        #expect(rows.term(equalTo: RowCell("7", .number)) == "rows=7")
        #expect(rows.term(equalTo: RowCell("", .number, value: .json(.count(0)))) == "rows=0")
        #expect(rows.term(equalTo: RowCell("maintenance", value: .json(.null))) == nil)
        let size = FilterField("size", .size, example: "")
        let cell = RowCell("1.4 kB", .number, value: .json(.integer(1_432)))
        #expect(size.term(equalTo: cell) == "size=1432")
        let feature = FilterField("feature", .choice(["p2p", "tor"]), example: "")
        #expect(feature.term(equalTo: RowCell("P2P")) == "feature=P2P")
        #expect(feature.term(equalTo: RowCell("p2p tor")) == nil)
        let features = RowCell("p2p", value: .json(.array([.string("p2p")])))
        #expect(feature.term(equalTo: features) == nil)
    }

    /// Counts the cells of a list with one column.
    private func frequencies(_ cells: [RowCell]) throws -> ValueFrequencies {
        let info = ListInfo("Rows", columns: [Column("n", "N")])
        var counter = try #require(ValueFrequencies.Counter("n", of: info))
        for (index, cell) in cells.enumerated() {
            counter.add(Row(id: RowID("\(index)"), cells: [cell]))
        }
        return counter.frequencies(limit: 100)
    }

    /// Returns the facts about a column, by name.
    private func facts(_ found: ValueFrequencies) -> [String: String] {
        let lines = found.sections.first?.lines ?? []
        return Dictionary(
            lines.map { ($0.label, $0.text) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func columnOfAnyListHasAProfile() throws {
        let numbers = ["10", "9", "10", "9", "100"].map { RowCell($0, .number) }
        let others = [RowCell("NULL", .dim), RowCell("", .string), RowCell("word", .string)]
        let found = try frequencies(numbers + others)
        #expect(found.items.prefix(2).map(\.cell.text) == ["9", "10"])
        let facts = facts(found)
        #expect(facts["rows"] == "8" && facts["distinct"] == "5")
        #expect(facts["nulls"] == "1 (12.5%)" && facts["empties"] == "1 (12.5%)")
        #expect(facts["integer"] == "5 (62.5%)" && facts["text"] == "2 (25.0%)")
        #expect(facts["min"] == "9" && facts["median"] == "10" && facts["max"] == "100")
        #expect(facts["mean"] == "27.6")
        #expect(found.sections.map(\.title) == ["Column", "Histogram"])
    }

    @Test func instantsOfAnyListHaveAProfile() throws {
        let instants = try ["2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"].map {
            try Timestamp(parsing: $0)
        }
        let facts = facts(
            try frequencies(instants.map { RowCell($0.iso8601, .timestamp, instant: $0) }))
        #expect(facts["date"] == "2 (100.0%)")
        #expect(facts["min"] == "2026-01-01 00:00:00" && facts["max"] == "2026-01-03 00:00:00")
        #expect(facts["mean"] == "2026-01-02 00:00:00")
        // A text of digits isn't a number.
        let digits = try self.facts(frequencies([RowCell("12", .string)]))
        #expect(digits["min"] == nil && digits["text"] == "1 (100.0%)")
    }

    @Test func valuesOfATableAreCountedAndSelected() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("t.db")
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(
                sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, \"a b\" TEXT, r REAL, n INT, b BLOB)")
            for (index, text) in Self.texts.enumerated() {
                for _ in 0...index % 3 {
                    try db.execute(
                        sql: "INSERT INTO t (\"a b\", r, n, b) VALUES (?, ?, ?, ?)",
                        arguments: [
                            text, Double(index % 4) / 10, index % 5 == 0 ? nil : index % 5,
                            Data([UInt8(index)]),
                        ])
                }
            }
        }
        try queue.close()
        let session = try StoreOpener(device: try DeviceID("desk"), isWritable: false).open(path)
        if session.status.phase != .live {
            for await event in session.events() where event.kind == .loaded { break }
        }
        let tables = try #require(session.panes.first { $0.id.name == "tables" }?.source)
        let rows = try #require(try await tables.open(RowID("table/t"), at: nil))
        let all = (0..<Self.texts.count).reduce(0) { $0 + $1 % 3 + 1 }
        for (column, distinct) in [("a b", Self.texts.count), ("r", 4), ("n", 5)] {
            let found = try #require(
                try await rows.frequencies(of: column, in: RowQuery(), limit: 100))
            #expect(found.rowCount == all && found.distinctCount == distinct)
            #expect(found.items.count == distinct)
            #expect(found.items.reduce(0) { $0 + $1.count } == all)
            #expect(found.items.map(\.count) == found.items.map(\.count).sorted(by: >))
            for item in found.items {
                let filter = try #require(item.filter)
                let window = try await rows.window(
                    WindowRequest(query: RowQuery(filter: filter), count: 200))
                #expect(window.rows.count == item.count, "\(filter)")
            }
        }
        let bytes = try #require(
            try await rows.frequencies(of: "b", in: RowQuery(filter: "n=1"), limit: 2))
        #expect(bytes.items.count == 2 && bytes.items.allSatisfy { $0.filter == nil })
        #expect(bytes.distinctCount == 4)
        await session.close()
    }
}
