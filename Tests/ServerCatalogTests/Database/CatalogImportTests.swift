import Foundation
import GRDB
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import Testing

@Suite struct CatalogImportTests {
    private let samples = SampleServers(count: 300, countryCount: 12).servers()

    private func stream(_ text: String) -> ByteStream { ByteStream(Data(text.utf8)) }

    private func logicals(_ servers: some Sequence<VPNServer>) -> ByteStream {
        ByteStream(LogicalsWriter.logicals(Array(servers)))
    }

    @Test func importedServersReadBack() throws {
        let catalog = try CatalogTest.makeCatalog()
        #expect(try catalog.importLogicals(logicals(samples)).imported == 300)
        for server in samples.prefix(50) {
            #expect(try catalog.firstServer(filteredBy: [.logicalID(server.id)]) == server)
        }
        #expect(try catalog.endpointCount() == samples.reduce(0) { $0 + $1.endpoints.count })
    }

    @Test func importingAgainChangesNothing() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        let before = try catalog.dump()
        _ = try catalog.importLogicals(logicals(samples))
        #expect(try catalog.dump() == before)
    }

    @Test func invalidRecordsAreCountedAndNamed() throws {
        let catalog = try CatalogTest.makeCatalog()
        let good = String(
            decoding: LogicalsWriter.logicals(Array(samples.prefix(2))), as: UTF8.self)
        let text = good.replacing(
            "\"LogicalServers\":[",
            with: "\"LogicalServers\":[{\"ID\":\"x\"},{\"Name\":\"Y#1\"},7,[}],".replacing(
                "[}],", with: ""))
        let report = try catalog.importLogicals(stream(text))
        #expect(report.imported == 2)
        #expect(report.badCount == 3)
        #expect(report.bad.map(\.name) == ["x", "Y#1", nil])
        #expect(report.bad.map(\.index) == [0, 1, 2])
        #expect(try catalog.serverCount() == 2)
    }

    @Test func reportListsAHundredInvalidRecordsAndCountsAll() throws {
        let catalog = try CatalogTest.makeCatalog()
        let records = Array(repeating: "{}", count: 250).joined(separator: ",")
        let report = try catalog.importLogicals(stream("{\"LogicalServers\":[\(records)]}"))
        #expect(report.badCount == 250)
        #expect(report.bad.count == 100)
    }

    @Test(arguments: [10, 1000, 60_000])
    func truncatedFileChangesNothing(_ byteCount: Int) throws {
        let catalog = try CatalogTest.makeCatalog(Array(samples.prefix(20)))
        let before = try catalog.dump()
        let file = LogicalsWriter.logicals(samples)
        #expect(file.count > byteCount)
        #expect {
            try catalog.importLogicals(
                ByteStream(file.prefix(byteCount)), deletingOthersUpToTier: 3)
        } throws: {
            ($0 as? ServerCatalogError)?.code == .badFile
        }
        let after = try catalog.dump()
        #expect(after == before)
    }

    @Test func loadsReplaceTheStatusOfKnownServers() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        let status = LogicalStatus(load: 77, score: 0.125, status: 0)
        let text = """
            {"LogicalServers": [
                {"ID": "\(samples[3].id)", "Load": 77, "Score": 0.125, "Status": 0},
                {"ID": "nobody", "Load": 1, "Score": 1, "Status": 1},
                {"ID": "\(samples[4].id)", "Load": 1, "Score": 1},
            ]}
            """
        let report = try catalog.importLoads(stream(text))
        #expect(report.imported == 1 && report.unknown == 1 && report.badCount == 1)
        #expect(report.bad.map(\.name) == [samples[4].id])
        let changed = try catalog.firstServer(filteredBy: [.logicalID(samples[3].id)])
        #expect(changed?.logical.status == status)
        let same = try catalog.firstServer(filteredBy: [.logicalID(samples[4].id)])
        #expect(same == samples[4])
    }

    @Test func invalidLoadsFileChangesNothing() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        let before = try catalog.dump()
        let text =
            "{\"LogicalServers\": [{\"ID\": \"\(samples[0].id)\", \"Load\": 1, \"Score\": 1, \"Status\": 0}"
        #expect(throws: ServerCatalogError.self) { try catalog.importLoads(stream(text)) }
        let after = try catalog.dump()
        #expect(after == before)
    }

    @Test func pruningKeepsListedServersAndHigherTiers() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        let free = samples.filter { $0.logical.tier == 0 }
        let report = try catalog.prune(logicals(free.dropFirst(3)), maxTier: 0)
        #expect(report.deleted == 3)
        #expect(try catalog.serverCount() == 297)
        let gone = try catalog.servers(filteredBy: [.tier(0)]).map(\.id)
        #expect(Set(gone) == Set(free.dropFirst(3).map(\.id)))
    }

    @Test func deletedServersLeaveNoRows() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        try catalog.delete(serversNotIn: [], maxTier: 3)
        let left = try catalog.read { db in
            try ["logical", "logicalStatus", "endpoint", "endpointOverrides", "place"].map {
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($0)")
            }
        }
        #expect(left == [0, 0, 0, 0, 0])
    }

    @Test func recordWithoutIdentifierPreventsDeleting() throws {
        let catalog = try CatalogTest.makeCatalog(Array(samples.prefix(2)))
        let text = "{\"LogicalServers\":[{\"ID\":\"\(samples[0].id)\"},{}]}"
        #expect(try catalog.refresh(.full, logicals: stream(text)).deleted == 0)
        #expect {
            try catalog.prune(stream(text), maxTier: 3)
        } throws: {
            ($0 as? ServerCatalogError)?.code == .badFile
        }
        #expect(try catalog.serverCount() == 2)
    }

    @Test func invalidRecordWithIdentifierIsNotDeleted() throws {
        let catalog = try CatalogTest.makeCatalog(Array(samples.prefix(2)))
        let report = try catalog.refresh(
            .full, logicals: stream("{\"LogicalServers\":[{\"ID\":\"\(samples[0].id)\"}]}"),
            lastModified: "now")
        #expect(report.deleted == 1 && report.badCount == 1)
        #expect(try catalog.firstServer() == samples[0])
        #expect(try catalog.metadata(for: .lastModifiedAll) == "now")
    }

    @Test func serversWithoutEndpointsAreReportedAndFoundByTheirFilter() throws {
        var servers = Array(samples.prefix(120))
        for index in 0..<105 {
            servers[index] = VPNServer(logical: servers[index].logical, endpoints: [])
        }
        let catalog = try CatalogTest.makeCatalog()
        let report = try catalog.importLogicals(logicals(servers))
        #expect(report.imported == 120 && report.listable == 15)
        #expect(report.withoutEndpointsCount == 105)
        #expect(report.withoutEndpoints == servers.prefix(100).map(\.logical.name))
        #expect(try catalog.servers().count == 15)
        let found = try catalog.servers(filteredBy: [.withoutEndpoints], orderedBy: .nameAscending)
        #expect(Set(found.map(\.id)) == Set(servers.prefix(105).map(\.id)))
        #expect(found.allSatisfy { $0.isUnderMaintenance && $0.protocolSupport.isEmpty })
        #expect(try catalog.server(withID: servers[0].id) == servers[0])
        #expect(try catalog.server(withID: "nobody") == nil)
    }

    @Test func repeatedEndpointOfOneServerCountsOnce() throws {
        let logical = samples[0].logical
        let one = ServerEndpoint(id: "e", entryIP: "192.0.2.1", exitIP: "a", domain: "d")
        let other = ServerEndpoint(id: "e", entryIP: "192.0.2.1", exitIP: "b", domain: "d")
        let catalog = try CatalogTest.makeCatalog([
            VPNServer(logical: logical, endpoints: [one, other])
        ])
        #expect(try catalog.firstServer()?.endpoints == [other])
    }
}

extension CatalogDatabase {
    /// Returns every row of every table, as text.
    func dump() throws -> [String] {
        try read { db in
            try ["logical", "logicalStatus", "endpoint", "endpointOverrides", "databaseMetadata"]
                .flatMap { table in
                    try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
                        .map { "\(table) \($0.description)" }.sorted()
                }
        }
    }
}
