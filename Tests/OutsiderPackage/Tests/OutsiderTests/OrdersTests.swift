import AutoModel
import Foundation
import Tables
import Testing

@AutoModel("orders", ids: .ascending) struct Order {
    var customer = ""
    var total = 0.0
}

/// A program that reads and edits a database of another program.
@Suite struct OrdersTests {
    @Test func ordersAreReadProfiledAndEdited() async throws {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appending(path: "orders-\(UUID()).db").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let database = try await AutoDatabase.open(at: path, models: Order.self)
        try await Order.save([
            Order(customer: "Anna", total: 10), Order(customer: "Ben", total: 80),
            Order(customer: "Carl", total: 30),
        ])
        try database.close()

        let file = TableFile(path)
        let (tables, _) = try file.read { db in try DatabaseTables(db) }
        let orders = try #require(tables.table("orders"))
        let large = orders.selection(
            where: RowCondition("total > ?", [.real(20)]),
            sort: .init("total", isDescending: true))
        let pager = try RowPager(file, orders, large)
        let window = try pager.window(.number(0), count: 50, columns: ["customer", "total"])
        #expect(window.rows.map { $0.values[0] } == [.text("Ben"), .text("Carl")])

        var sum: [TableValue] = []
        let query = ReadOnlyQuery("SELECT sum(total) FROM orders")
        _ = try file.read { db in
            try query.run(db) { values in
                sum = values
                return true
            }
        }
        #expect(sum == [.real(120)])
        let total = try #require(orders.column("total"))
        let (profile, _) = try file.read { db in try ColumnProfile(db, of: total, in: orders) }
        #expect(profile.rowCount == 3 && profile.distinctCount == 3)

        let change = TableChange.update(
            "orders", RowKey(rowID: 2), [.init("total", .real(75))],
            expecting: [.init("total", .real(80))])
        let outcome = try TableWriter(file).apply([change])
        _ = try TableWriter(file).apply(outcome.undo)
        _ = try TableWriter(file).apply([change])
        #expect {
            try TableWriter(file).apply([change])
        } throws: { error in
            (error as? TablesError)?.code == .moved
        }
    }
}
