import Foundation
import GRDB
import Tables
import Testing

/// Reading a database's schema.
@Suite struct SchemaTests {
    private func tables(_ sample: SampleDatabase, isRaw: Bool = false) throws -> DatabaseTables {
        try TableFile(sample.path).read { try DatabaseTables($0, isRaw: isRaw) }.0
    }

    @Test func everyKindOfTableIsRecognized() throws {
        let sample = try SampleDatabase(SampleDatabase.everything)
        let tables = try tables(sample)
        let kinds = Dictionary(uniqueKeysWithValues: tables.tables.map { ($0.name, $0.kind) })
        #expect(
            kinds == [
                "author": "table", "book": "table", "stock": "table", "cheap": "view",
                "broken": "view", "words": "virtual", "odd \"name": "table",
            ])
        let keepers = Set(tables.kept.compactMap(\.keeper))
        #expect(keepers == ["GRDB's migrations", "the virtual table words"])
        #expect(try self.tables(sample, isRaw: true).kept.isEmpty)
    }

    @Test func schemaContainsColumnsIndicesKeysAndTriggers() throws {
        let schema = try tables(SampleDatabase(SampleDatabase.everything)).schema
        let book = try #require(schema.table("BOOK"))
        #expect(
            book.columns.map(\.name) == ["id", "title", "author", "price", "double_price", "cover"])
        #expect(book.column("title")?.defaultSQL == "'none'")
        #expect(book.column("double_price")?.storage == .generatedVirtual)
        #expect(book.rowID == "rowid")
        #expect(book.triggers.map(\.name) == ["book_ai"])
        let key = try #require(book.foreignKeys.first)
        #expect(key.target == "author" && key.columns == ["author"] && key.onDelete == "CASCADE")
        #expect(schema.targetColumns(of: key) == ["id"])
        #expect(schema.references(to: try #require(schema.table("author"))) == [key])
        #expect(book.indices.first { $0.name == "book_price" }?.parts.first?.isDescending == true)
        let stock = try #require(schema.table("stock"))
        #expect(stock.isWithoutRowID && stock.rowID == nil && stock.hasKeys)
        #expect(stock.primaryKey.map(\.name) == ["shelf", "place"])
        #expect(schema.table("odd \"name")?.rowID == "_rowid_")
    }

    @Test func brokenViewIsReportedAndOthersAreRead() throws {
        let tables = try tables(SampleDatabase(SampleDatabase.everything))
        #expect(tables.table("broken")?.schema.problem?.contains("nowhere") == true)
        #expect(tables.table("cheap")?.schema.problem == nil)
    }

    @Test func virtualTableWithoutItsModuleIsReported() throws {
        let sample = try SampleDatabase("CREATE TABLE a (x); PRAGMA user_version = 1")
        try sample.run(
            """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql)
            VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING nomodule(1)');
            """)
        let table = try #require(try tables(sample).table("v"))
        #expect(table.schema.kind == .virtual(module: "nomodule"))
        #expect(table.schema.problem?.contains("no such module") == true)
    }

    @Test func twoThousandColumnsAndFiveHundredTablesAreRead() throws {
        let columns = (0..<2000).map { "c\($0) INT" }.joined(separator: ", ")
        let many = (0..<500).map { "CREATE TABLE t\($0) (a, b);" }.joined()
        let sample = try SampleDatabase(
            "CREATE TABLE wide (\(columns)); INSERT INTO wide (c0, c1999) VALUES (1, 7);\(many)")
        let tables = try tables(sample)
        #expect(tables.tables.count == 501)
        let wide = try #require(tables.table("wide"))
        #expect(wide.columns.count == 2000)
        let rows = try TableFile(sample.path).read { db in
            try RowWalk(wide.schema).rows(db, columns: wide.columns.map(\.schema.name), limit: 5)
        }.0
        #expect(rows.count == 1 && rows[0].values.count == 2000)
        #expect(rows[0].values.last == .integer(7))
    }
}
