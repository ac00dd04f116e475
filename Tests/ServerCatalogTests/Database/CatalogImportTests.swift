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

    @Test func badRecordsAreCountedAndNamed() throws {
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

    @Test func reportListsAHundredBadRecordsAndCountsAll() throws {
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

    @Test func brokenLoadsFileChangesNothing() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        let before = try catalog.dump()
        let text =
            "{\"LogicalServers\": [{\"ID\": \"\(samples[0].id)\", \"Load\": 1, \"Score\": 1, \"Status\": 0}"
        #expect(throws: ServerCatalogError.self) { try catalog.importLoads(stream(text)) }
        let after = try catalog.dump()
        #expect(after == before)
    }

    @Test func pruneKeepsWhatIsListedAndHigherTiers() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        let free = samples.filter { $0.logical.tier == 0 }
        let report = try catalog.prune(logicals(free.dropFirst(3)), maxTier: 0)
        #expect(report.deleted == 3)
        #expect(try catalog.serverCount() == 297)
        let gone = try catalog.servers(filteredBy: [.tier(0)]).map(\.id)
        #expect(Set(gone) == Set(free.dropFirst(3).map(\.id)))
    }

    @Test func deletedServersLeaveNothingBehind() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        try catalog.delete(serversNotIn: [], maxTier: 3)
        let left = try catalog.read { db in
            try ["logical", "logicalStatus", "endpoint", "endpointOverrides", "place"].map {
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($0)")
            }
        }
        #expect(left == [0, 0, 0, 0, 0])
    }

    @Test func badRecordWithIdentifierIsNotDeleted() throws {
        let catalog = try CatalogTest.makeCatalog(Array(samples.prefix(2)))
        let report = try catalog.refresh(
            .full, logicals: stream("{\"LogicalServers\":[{\"ID\":\"\(samples[0].id)\"}]}"),
            lastModified: "now")
        #expect(report.deleted == 1 && report.badCount == 1)
        #expect(try catalog.firstServer() == samples[0])
        #expect(try catalog.metadata(for: .lastModifiedAll) == "now")
    }

    @Test func endpointBelongsToTheLastServerThatListsIt() throws {
        var servers = Array(samples.prefix(2))
        let shared = ServerEndpoint(
            id: "shared", entryIP: "192.0.2.1", exitIP: "192.0.2.2", domain: "d",
            overrides: ProtocolOverrides(["IKEv2": .init()]))
        let own = ServerEndpoint(
            id: "own", entryIP: "192.0.2.1", exitIP: "192.0.2.2", domain: "d",
            overrides: ProtocolOverrides(["WireGuardTLS": .init()]))
        servers[0] = VPNServer(logical: servers[0].logical, endpoints: [shared, own, shared])
        servers[1] = VPNServer(logical: servers[1].logical, endpoints: [shared])
        let catalog = try CatalogTest.makeCatalog(servers)
        let infos = try catalog.servers().sorted {
            $0.protocolSupport.rawValue < $1.protocolSupport.rawValue
        }
        #expect(infos.map(\.protocolSupport) == [.ikev2, .wireGuardTLS])
        #expect(infos.map(\.id) == [servers[1].id, servers[0].id])
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
    /// Every row of every table, as text.
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
