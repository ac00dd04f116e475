import GRDB
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import Testing

/// SQLite's plans for the main queries: the index that is used for each table.
///
/// If a plan changes, check that no table is scanned if it has a suitable index, before you update
/// the test.
@Suite(.catalog(isolatedPer: .suite)) struct QueryPlanTests {
    struct Question: Sendable, CustomTestStringConvertible {
        let name: String
        let filters: [VPNServerFilter]
        let order: VPNServerOrder
        let plan: String

        var testDescription: String { name }
    }

    private static let questions = [
        Question(
            name: "all by name", filters: [], order: .nameAscending,
            plan: """
                SCAN logical USING INDEX index_logical_on_namePrefix_sequenceNumber
                SEARCH logicalStatus USING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                USE TEMP B-TREE FOR RIGHT PART OF ORDER BY
                """),
        Question(
            name: "country", filters: [.kind(.country("CH"))], order: .none,
            plan: """
                SEARCH logical USING INDEX index_logical_on_gatewayName_exitCountryCode (gatewayName=? AND exitCountryCode=?)
                SEARCH logicalStatus USING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                """),
        Question(
            name: "gateway", filters: [.kind(.gateway("A"))], order: .none,
            plan: """
                SEARCH logical USING INDEX index_logical_on_gatewayName_exitCountryCode (gatewayName=?)
                SEARCH logicalStatus USING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                """),
        Question(
            name: "one", filters: [.logicalID("x")], order: .none,
            plan: """
                SEARCH logical USING INDEX sqlite_autoindex_logical_1 (id=?)
                SEARCH logicalStatus USING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                """),
        Question(
            name: "fastest", filters: [.maxTier(0)], order: .fastest,
            plan: """
                SCAN logicalStatus USING INDEX index_logicalStatus_on_score
                SEARCH logical USING INDEX sqlite_autoindex_logical_1 (id=?)
                USE TEMP B-TREE FOR RIGHT PART OF ORDER BY
                """),
        Question(
            name: "city", filters: [.city("x")], order: .none,
            plan: """
                SEARCH logical USING INDEX index_logical_on_foldedCity (foldedCity=?)
                SEARCH logicalStatus USING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                """),
        Question(
            name: "text", filters: [.matches("zur")], order: .none,
            plan: """
                MULTI-INDEX OR
                INDEX 1
                SEARCH logical USING INDEX index_logical_on_exitCountryCode (exitCountryCode=?)
                INDEX 2
                SEARCH logical USING INDEX index_logical_on_entryCountryCode (entryCountryCode=?)
                INDEX 3
                SEARCH logical USING INDEX index_logical_on_foldedName (foldedName>? AND foldedName<?)
                INDEX 4
                LIST SUBQUERY 1
                SCAN place
                SEARCH logical USING INDEX index_logical_on_foldedCity (foldedCity=?)
                INDEX 5
                LIST SUBQUERY 2
                SCAN place
                SEARCH logical USING INDEX index_logical_on_foldedTranslatedCity (foldedTranslatedCity=?)
                INDEX 6
                LIST SUBQUERY 3
                SCAN place
                SEARCH logical USING INDEX index_logical_on_foldedGateway (foldedGateway=?)
                LIST SUBQUERY 1
                SCAN place
                LIST SUBQUERY 2
                SCAN place
                LIST SUBQUERY 3
                SCAN place
                SEARCH logicalStatus USING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                """),
        Question(
            name: "endpoint", filters: [.endpointID("x")], order: .none,
            plan: """
                MATERIALIZE reach
                SEARCH endpoint USING INDEX index_endpoint_on_id (id=?)
                SEARCH logical USING COVERING INDEX sqlite_autoindex_logical_1 (id=?)
                SEARCH logicalStatus USING COVERING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                SEARCH endpointOverrides USING INDEX sqlite_autoindex_endpointOverrides_1 (logicalId=? AND endpointId=?) LEFT-JOIN
                USE TEMP B-TREE FOR GROUP BY
                SCAN reach
                SEARCH logical USING INTEGER PRIMARY KEY (rowid=?)
                SEARCH logicalStatus USING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                """),
        Question(
            name: "country and protocol", filters: [.kind(.country("CH")), .supports(.ikev2)],
            order: .none,
            plan: """
                MATERIALIZE reach
                SEARCH logical USING INDEX index_logical_on_gatewayName_exitCountryCode (gatewayName=? AND exitCountryCode=?)
                SEARCH logicalStatus USING COVERING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                SEARCH endpoint USING INDEX sqlite_autoindex_endpoint_1 (logicalId=?)
                SEARCH endpointOverrides USING INDEX sqlite_autoindex_endpointOverrides_1 (logicalId=? AND endpointId=?) LEFT-JOIN
                SCAN reach
                SEARCH logical USING INTEGER PRIMARY KEY (rowid=?)
                SEARCH logicalStatus USING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                """),
    ]

    /// Returns SQLite's steps, one per line.
    private func plan(_ request: SQLRequest<some Sendable>) throws -> String {
        let catalog = try #require(CatalogTest.database)
        return try catalog.read { db in
            let statement = try request.makePreparedRequest(db).statement
            return try Row.fetchAll(
                db, sql: "EXPLAIN QUERY PLAN " + statement.sql, arguments: statement.arguments
            ).map { $0["detail"] as String }.joined(separator: "\n")
        }
    }

    @Test(arguments: questions)
    func queriesUseIndexes(_ question: Question) throws {
        let request = ServerInfoResult.request(
            question.filters, orderedBy: question.order, names: .english)
        let plan = try plan(request)
        #expect(plan == question.plan, "\(plan)")
    }

    @Test func groupingUsesTheOrderOfItsIndex() throws {
        let plan = try plan(GroupInfoResult.request([], groupedBy: .country, names: .english))
        #expect(
            plan == """
                SCAN logical USING INDEX index_logical_on_gatewayName_exitCountryCode
                SEARCH logicalStatus USING INDEX sqlite_autoindex_logicalStatus_1 (logicalId=?)
                USE TEMP B-TREE FOR count(DISTINCT)
                """, "\(plan)")
    }
}
