import GRDB
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import Testing

/// How SQLite answers the main questions: which index each table is entered by.
///
/// A plan that changes is a decision to look at, not a failure to silence: see that no table is
/// scanned that has an index for the question.
@Suite(.catalog(isolatedPer: .suite)) struct QueryPlanTests {
    struct Question: Sendable, CustomTestStringConvertible {
        let name: String
        let filters: [VPNServerFilter]
        let order: VPNServerOrder
        let plan: [String]

        var testDescription: String { name }
    }

    private func plan(_ request: SQLRequest<some Sendable>) throws -> [String] {
        let catalog = try #require(CatalogTest.database)
        return try catalog.reader.read { db in
            let prepared = try request.makePreparedRequest(db)
            let sql = "EXPLAIN QUERY PLAN " + prepared.statement.sql
            return try Row.fetchAll(db, sql: sql, arguments: prepared.statement.arguments)
                .map { $0["detail"] }
        }
    }

    @Test(arguments: [
        Question(name: "all by name", filters: [], order: .nameAscending, plan: []),
        Question(name: "country", filters: [.kind(.country("CH"))], order: .none, plan: []),
        Question(name: "gateway", filters: [.kind(.gateway("A"))], order: .none, plan: []),
        Question(name: "one", filters: [.logicalID("x")], order: .none, plan: []),
        Question(name: "fastest", filters: [.maxTier(0)], order: .fastest, plan: []),
        Question(name: "city", filters: [.city("x")], order: .none, plan: []),
        Question(name: "text", filters: [.matches("zur")], order: .none, plan: []),
        Question(name: "endpoint", filters: [.endpointID("x")], order: .none, plan: []),
        Question(
            name: "country and protocol", filters: [.kind(.country("CH")), .supports(.ikev2)],
            order: .none, plan: []),
    ])
    func serversAreFoundByIndexes(_ question: Question) throws {
        let request = ServerInfoResult.request(
            question.filters, orderedBy: question.order, names: .english)
        #expect(try plan(request) == question.plan)
    }

    @Test func groupsComeInTheOrderOfTheirIndex() throws {
        let request = GroupInfoResult.request([], groupedBy: .country, names: .english)
        #expect(try plan(request) == [])
    }
}
