import Foundation
import Replication
import Synchronization
import Testing

@testable import TidelineCore

/// An item of a list, and counts of the cells that were made of it.
private struct Fruit: Sendable {
    let name: String
    var count = 0
    var picked: Timestamp?
    var device: DeviceID?
    var isConflict = false
    /// Called whenever the cell of the name is made.
    var onCell: @Sendable () -> Void = {}
}

private let schema = ListSchema<Fruit>(
    [
        ListColumn("fruit", "FRUIT", minimumWidth: 8, .name, example: "fruit:pear") {
            $0.onCell()
            return RowCell($0.name, .key)
        },
        .number("count", "COUNT", width: 6, example: "count>3") { $0.count },
        .age(example: "age<1h") { $0.picked },
        .device(
            minimumWidth: 6, id: { $0.device },
            name: { $0.device == nil ? "" : "the tablet" }),
        .field("length", .number, example: "length>4") { .number(Double($0.name.count)) },
        .conflict(\.isConflict),
    ], id: { RowID($0.name) },
    mark: { row, fruit in
        row.device = fruit.device
        row.isConflict = fruit.isConflict
    })

private func fruit() throws -> [Fruit] {
    try [
        Fruit(name: "pear", count: 10, picked: Timestamp(parsing: "2026-11-21T09:00:00Z")),
        Fruit(name: "apple", count: 9, device: DeviceID("ipad")),
        Fruit(name: "fig", count: 10, picked: Timestamp(parsing: "2026-11-20T09:00:00Z")),
        Fruit(name: "cherry", count: 200, isConflict: true),
    ]
}

private func names(_ query: RowQuery, of items: [Fruit]? = nil) async throws -> [String] {
    let list = ItemList(try items ?? fruit(), schema)
    return try await list.arrangedWindow(WindowRequest(query: query, count: 100)).rows
        .map(\.id.name)
}

@Suite struct ListSchemaTests {
    @Test func rowsHaveOneCellPerShownColumn() async throws {
        #expect(schema.columns.map(\.id) == ["fruit", "count", "age", "device"])
        #expect(
            schema.filterFields.map(\.name)
                == ["fruit", "count", "age", "device", "length", "conflict"])
        let rows = try fruit().map(schema.row)
        #expect(rows[1].cells.map(\.text) == ["apple", "9", "", "the tablet"])
        #expect(rows[1].device?.name == "ipad")
        #expect(rows[3].isConflict)
    }

    @Test(arguments: [
        ("fruit:ea", ["pear"]), ("count>9", ["pear", "fig", "cherry"]), ("count=9", ["apple"]),
        ("length<4", ["fig"]), ("conflict:yes", ["cherry"]), ("device:tablet", ["apple"]),
        ("device:ipad", ["apple"]), ("age<30m", ["pear"]), ("age>30m", ["fig"]),
        ("200", ["cherry"]), ("-(fig | pear)", ["apple", "cherry"]),
    ])
    func filterComparesTheFieldsOfTheColumns(filter: String, expected: [String]) async throws {
        let query = RowQuery(
            filter: filter, instant: try Timestamp(parsing: "2026-11-21T09:20:00Z"))
        #expect(try await names(query) == expected)
    }

    @Test func unknownFieldIsAnError() async throws {
        await #expect(throws: FilterError.self) { try await names(RowQuery(filter: "color:red")) }
    }

    @Test(arguments: [
        ("fruit", false, ["apple", "cherry", "fig", "pear"]),
        ("fruit", true, ["pear", "fig", "cherry", "apple"]),
        // Numbers are sorted by size, and equal ones keep their order in both directions.
        ("count", false, ["apple", "pear", "fig", "cherry"]),
        ("count", true, ["cherry", "pear", "fig", "apple"]),
        // The lowest age is that of the newest item.
        ("age", false, ["pear", "fig", "apple", "cherry"]),
        ("age", true, ["apple", "cherry", "fig", "pear"]),
        ("length", false, ["pear", "apple", "fig", "cherry"]),
    ])
    func sortFollowsTheColumn(
        column: String, isDescending: Bool, expected: [String]
    ) async throws {
        let sort = RowQuery.Sort(column: column, isDescending: isDescending)
        #expect(try await names(RowQuery(sort: sort)) == expected)
        #expect(ItemList(try fruit(), schema).sorted(by: sort).items(0..<4).map(\.name) == expected)
    }

    @Test func descendingSortOfAnAsListedColumnReversesTheList() async throws {
        let schema = ListSchema<Int>(
            [ListColumn("number", "NUMBER", order: .asListed) { RowCell("\($0)") }],
            id: { RowID("\($0)") })
        let list = ItemList([3, 1, 2], schema)
        let sort = RowQuery.Sort(column: "number", isDescending: true)
        #expect(list.sorted(by: sort).items(0..<3) == [2, 1, 3])
    }

    @Test func onlyVisibleRowsAreCreated() async throws {
        let made = Counter()
        let items = (0..<5_000).map { number in
            Fruit(name: "fruit \(number)", count: number % 7, onCell: { made.increment() })
        }
        let list = ItemList(items, schema)
        let query = RowQuery(
            filter: "count>3", sort: RowQuery.Sort(column: "count", isDescending: true))
        let window = try await list.arrangedWindow(
            WindowRequest(query: query, position: .index(1_000), count: 20))
        #expect(window.start == 1_000)
        #expect(window.total == items.count { $0.count > 3 })
        #expect(made.value == 20)
    }

    @Test func rowIsFoundInAnArrangedList() async throws {
        let query = RowQuery(filter: "count>9", sort: RowQuery.Sort(column: "fruit"))
        let window = try await ItemList(try fruit(), schema).arrangedWindow(
            WindowRequest(
                query: query, position: .row(RowID("pear"), offset: 0, fallback: 0), count: 1))
        #expect(window.found == 2)
        #expect(window.rows.map(\.id.name) == ["pear"])
        let other = try await ItemList(try fruit(), schema).arrangedWindow(
            WindowRequest(
                query: query, position: .search("FIG".lowercased(), from: 0, backwards: false),
                count: 2))
        #expect(other.found == 1)
    }

    @Test func longListIsReadInPages() async throws {
        let list = PagedList(count: 10_000)
        let positions = try await list.positions(RowQuery(filter: "number>9990"))
        #expect(positions == Array(9_991..<10_000))
        #expect(list.longestPage.value == list.pageSize)
    }
}

/// A list of numbers that records how many it was asked for at once.
private struct PagedList: IndexedItems {
    let count: Int
    let longestPage = Counter()

    var schema: ListSchema<Int> {
        ListSchema([.number("number", "NUMBER", width: 6, example: "number>3") { $0 }]) {
            RowID("\($0)")
        }
    }

    func items(_ range: Range<Int>) -> [Int] {
        longestPage.raise(to: range.count)
        return Array(range)
    }
    func index(of row: RowID) -> Int? { Int(row.name) }
}

private final class Counter: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }
    func increment() { number.withLock { $0 += 1 } }
    func raise(to value: Int) { number.withLock { $0 = max($0, value) } }
}
