import ServerCatalog
import ServerCatalogGRDB

// The queries of Persistence's documentation, and a repository without a database.
@main struct Port {
    static func main() throws {
        let catalog = try CatalogDatabase.inMemory()
        let repository = catalog.repository
        let samples = SampleServers(count: 400, countryCount: 20).servers()
        try repository.upsert(servers: samples)

        // Groups with at least one server that supports P2P. Filters apply before grouping.
        let groups = repository.groups(filteredBy: [.features(.p2p)])
        let fitting = samples.filter { $0.logical.features.contains(.p2p) }
        expect(!groups.isEmpty)
        expect(groups.map(\.serverCount).reduce(0, +) <= fitting.count)

        // All free Swiss servers.
        let free = repository.servers(
            filteredBy: [
                .maxTier(0),
                .kind(.country("CH")),
            ],
            orderedBy: .nameAscending
        )
        expect(free.allSatisfy { $0.logical.tier == 0 })
        expect(free.allSatisfy { $0.logical.exitCountryCode == "CH" })

        // The three main functions.
        let first = try repository.getFirstServer(
            filteredBy: [.isNotUnderMaintenance], orderedBy: .fastest)
        let servers = try repository.getServers(filteredBy: [], orderedBy: .fastest)
        let all = repository.getGroups(filteredBy: [])
        expect(first != nil && servers.count <= samples.count && all.count >= groups.count)

        // In a unit test, only the called methods need an implementation.
        let empty = ServerRepository(servers: [])
        expect(try empty.getServers(filteredBy: [], orderedBy: .nameAscending).isEmpty)
        print("P2P in \(groups.isEmpty ? "no" : "some") countries")
    }
}

/// Ends the program if the condition doesn't hold.
private func expect(_ condition: Bool, line: UInt = #line) {
    if !condition { fatalError("the condition in line \(line) doesn't hold") }
}
