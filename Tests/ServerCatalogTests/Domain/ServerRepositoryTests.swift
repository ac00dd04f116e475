import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import Testing

private let samples = SampleServers(count: 60, countryCount: 4)

@Suite struct ServerRepositoryTests {
    /// The documented variants, without `try` if they don't throw.
    @Test(.catalog(SampleServers(count: 400, countryCount: 10).servers()))
    func documentedCallsCompile() throws {
        let repository = CatalogTest.repository

        let groups = repository.groups(filteredBy: [.features(.p2p)])
        #expect(!groups.isEmpty)
        #expect(groups.allSatisfy { $0.featureIntersection.contains(.p2p) })

        let servers = repository.servers(
            filteredBy: [
                .maxTier(0),
                .kind(.country("CH")),
            ],
            orderedBy: .nameAscending
        )
        #expect(!servers.isEmpty)
        #expect(servers.allSatisfy { $0.logical.tier == 0 && $0.logical.exitCountryCode == "CH" })

        let first: VPNServer? = try repository.getFirstServer(
            filteredBy: [.kind(.country("CH"))], orderedBy: .fastest)
        #expect(first != nil)
        let same: [ServerInfo] = try repository.getServers(
            filteredBy: [.maxTier(0), .kind(.country("CH"))], orderedBy: .nameAscending)
        #expect(same == servers)
        let sameGroups: [ServerGroupInfo] = repository.getGroups(filteredBy: [.features(.p2p)])
        #expect(sameGroups == groups)
    }

    @Test func emptyRepositoryNeedsNoDatabase() throws {
        let repository = ServerRepository(servers: [])
        #expect(repository.servers().isEmpty)
        #expect(repository.groups().isEmpty)
        #expect(repository.isEmpty)
        #expect(try repository.getFirstServer(filteredBy: [], orderedBy: .random) == nil)
    }

    /// Expects that calling a missing closure records an issue that names the closure.
    private func expectMissing(_ name: String, _ body: () throws -> Void) {
        withKnownIssue {
            do {
                try body()
            } catch {
                #expect((error as? ServerCatalogError)?.code == .notProvided)
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("ServerRepository.\(name) was called") }
        }
    }

    @Test func missingClosureFailsTheTestWithItsName() {
        let repository = ServerRepository()
        expectMissing("getServerCount") { _ = try repository.serverCount() }
        expectMissing("getCountryCount") { _ = try repository.countryCount() }
        expectMissing("getServer") { _ = try repository.server(withID: "x") }
        expectMissing("getServersWithIDs") { _ = try repository.servers(withIDs: []) }
        expectMissing("closeCatalog") { try repository.close() }
        expectMissing("getFirstServer") {
            _ = try repository.getFirstServer(filteredBy: [], orderedBy: .none)
        }
        expectMissing("getServers") {
            _ = try repository.getServers(filteredBy: [], orderedBy: .none)
        }
        expectMissing("getServers") { #expect(repository.servers().isEmpty) }
        expectMissing("getGroups") {
            _ = try repository.getGroups(filteredBy: [], orderedBy: .exitCountryCodeAscending)
        }
        expectMissing("getGroups") { #expect(repository.groups().isEmpty) }
        expectMissing("upsertServers") { try repository.upsert(servers: []) }
        expectMissing("updateLoads") { try repository.upsert(loads: []) }
        expectMissing("deleteServers") { try repository.delete(serversNotIn: [], maxTier: 0) }
        expectMissing("getMetadata") { _ = try repository.metadata(for: .lastModifiedAll) }
        expectMissing("setMetadata") { try repository.setMetadata(nil, for: .lastModifiedAll) }
    }

    @Test func missingClosureFailsTheTestEvenIfItsErrorIsIgnored() {
        expectMissing("getServers") {
            let found = try? ServerRepository().getServers(filteredBy: [], orderedBy: .none)
            #expect(found == nil)
        }
    }

    @Test func missingClosureFailsAtTheTest() throws {
        let test = try #require(Test.current)
        withKnownIssue {
            #expect(ServerRepository().isEmpty)
        } matching: { issue in
            issue.sourceLocation == test.sourceLocation
        }
    }

    @Test func providedClosureIsCalled() throws {
        let group = ServerGroupInfo.groups(
            of: [
                ServerInfo(
                    Logical(id: "1", name: "n", domain: "d", exitCountryCode: "CH", tier: 0),
                    endpoints: [])
            ], groupedBy: .country)
        let repository = ServerRepository(getGroups: { _, _, _ in group })
        #expect(repository.groups() == group)
    }

    @Test func errorOfANonthrowingMethodIsReported() {
        struct Broken: Error {}
        let repository = ServerRepository(getServers: { _, _ in throw Broken() })
        withKnownIssue {
            #expect(repository.servers().isEmpty)
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("ServerRepository.getServers failed") }
        }
        let uncounted = ServerRepository(getServerCount: { throw Broken() })
        withKnownIssue {
            #expect(uncounted.isEmpty && uncounted.roundedServerCount == 0)
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("getServerCount failed") }
        }
    }

    @Test(.catalog(samples.servers()))
    func recentServersKeepTheirOrderWithoutDeletedOnes() throws {
        let servers = samples.servers()
        let without = VPNServer(logical: servers[2].logical, endpoints: [])
        try CatalogTest.repository.upsert(servers: [without])
        try CatalogTest.repository.delete(
            serversNotIn: Set(servers.map(\.id)).subtracting([servers[5].id]), maxTier: 3)
        let kept = servers.map { $0.id == without.id ? without : $0 }
            .filter { $0.id != servers[5].id }
        let ids = [7, 5, 2, 30, 7].map { servers[$0].id } + ["nobody", ""]
        for repository in [CatalogTest.repository, ServerRepository(servers: kept)] {
            let recents = try repository.servers(withIDs: ids)
            #expect(recents.map(\.id) == [7, 2, 30, 7].map { servers[$0].id })
            #expect(
                recents.map(\.logical) == [7, 2, 30, 7].map { servers[$0].logical })
            #expect(recents[1].isUnderMaintenance && recents[1].protocolSupport.isEmpty)
            #expect(try repository.servers(withIDs: []).isEmpty)
            #expect(try repository.server(withID: servers[7].id) == servers[7])
            #expect(try repository.server(withID: without.id) == without)
            #expect(try repository.server(withID: servers[5].id) == nil)
        }
    }

    @Test(.catalog(samples.servers())) func countriesAreCounted() throws {
        #expect(try CatalogTest.repository.countryCount() == 4)
        #expect(try ServerRepository(servers: samples.servers()).countryCount() == 4)
        #expect(try ServerRepository(servers: []).countryCount() == 0)
    }

    @Test(arguments: [ServerGrouping.country, .city])
    func groupFilterFindsExactlyItsServers(_ grouping: ServerGrouping) throws {
        let servers = SampleSharedServers().servers()
        let catalog = try CatalogTest.makeCatalog(servers)
        var found = 0
        for group in try catalog.groups(groupedBy: grouping) {
            let members = try catalog.servers(filteredBy: [group.kind.filter])
            #expect(members.count == group.serverCount, "\(group.kind)")
            #expect(
                members.allSatisfy {
                    ServerGroupInfo.Kind(of: $0.logical, groupedBy: grouping) == group.kind
                }, "\(group.kind)")
            found += members.count
        }
        #expect(found == servers.count)
        #expect(
            ServerGroupInfo.Kind.country(code: "CH").filter == VPNServerFilter.kind(.country("CH")))
    }

    @Test(.catalog()) func metadataIsSetReadAndRemoved() throws {
        let repository = CatalogTest.repository
        #expect(try repository.metadata(for: .lastModifiedAll) == nil)
        try repository.setMetadata("Sat, 21 Nov 2026", for: .lastModifiedAll)
        try repository.setMetadata("Sun, 22 Nov 2026", for: .lastModifiedAll)
        #expect(try repository.metadata(for: .lastModifiedAll) == "Sun, 22 Nov 2026")
        #expect(try repository.metadata(for: .lastModifiedFree) == nil)
        try repository.setMetadata(nil, for: .lastModifiedAll)
        #expect(try repository.metadata(for: .lastModifiedAll) == nil)
    }

    @Test(.catalog(SampleServers(count: 100, countryCount: 5).servers()))
    func refreshDeletesUnlistedServersOfItsTiers() throws {
        let repository = CatalogTest.repository
        let all = SampleServers(count: 100, countryCount: 5).servers()
        let free = all.filter { $0.logical.tier == 0 }
        let kept = Array(free.dropFirst())
        #expect(try repository.refresh(.free, servers: kept, lastModified: "A") == 1)
        #expect(try repository.serverCount() == 99)
        #expect(try repository.metadata(for: .lastModifiedFree) == "A")
        #expect(try repository.metadata(for: .lastModifiedAll) == nil)

        #expect(try repository.refresh(.full, servers: kept) == 99 - kept.count)
        #expect(try repository.serverCount() == kept.count)
        #expect(try repository.metadata(for: .lastModifiedFree) == "A")

        try repository.refresh(.full, servers: kept, lastModified: "B")
        #expect(try repository.metadata(for: .lastModifiedFree) == "B")
        #expect(try repository.metadata(for: .lastModifiedAll) == "B")
    }
}
