import Tables
import TestSupport
import Testing

@Suite struct DocumentationExampleTests {
    @Test func articleExampleRuns() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total REAL);
            INSERT INTO orders VALUES (1, 'Anna', 12.5), (2, 'Ben', 80);
            """)
        let path = sample.path
        // begin
        let file = TableFile(path)
        let (tables, _) = try file.read { db in try DatabaseTables(db) }
        if let orders = tables.table("orders") {
            let large = orders.selection(where: RowCondition("total > ?", [.real(20)]))
            try RowStream(file, orders, large).forEachRow(limit: 100) { key, values in
                print(key?.text ?? "", values)
            }
        }

        let change = TableChange.update(
            "orders", RowKey(rowID: 2), [.init("total", .real(75))],
            expecting: [.init("total", .real(80))])
        let outcome = try TableWriter(file).apply([change])
        _ = try TableWriter(file).apply(outcome.undo)
        // end
        #expect(outcome.keys == [RowKey(rowID: 2)])
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
