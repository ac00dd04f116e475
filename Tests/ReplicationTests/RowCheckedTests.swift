import GRDB
import Replication
import Testing

@Suite struct RowCheckedTests {
    @Test func valuesOfOtherTypesAreNil() throws {
        let row = try #require(
            try DatabaseQueue().read { db in
                try Row.fetchOne(
                    db, sql: "SELECT 1 AS i, 'x' AS t, 1.5 AS r, x'00' AS b, NULL AS n, '7' AS d")
            })
        #expect(row.integer("i") == 1)
        #expect(row.text("t") == "x")
        for column in ["t", "r", "b", "n", "d"] { #expect(row.integer(column) == nil) }
        for column in ["i", "r", "b", "n"] { #expect(row.text(column) == nil) }
    }
}
