import ServerCatalog
import ServerCatalogGRDB

/// What tells the servers of a catalog apart from what they become, to say which of them a write
/// changed.
struct KnownServers {
    private struct Server {
        /// Of all that is told of it.
        var digest: Int
        /// The row of its group.
        var group: RowID
    }

    private var servers: [RowID: Server] = [:]

    /// The servers of a catalog as it is; none of one that cannot be read.
    ///
    /// - Complexity: O(*n*) in the number of servers.
    init(of catalog: CatalogFile) {
        try? catalog.read { database in
            try database.forEachServer { server in
                let logical = server.logical
                let group: ServerGroupInfo.Kind =
                    if let name = logical.gatewayName {
                        .gateway(name: name, countryCode: logical.exitCountryCode)
                    } else {
                        .country(code: logical.exitCountryCode)
                    }
                servers[RowID(server.id)] = Server(
                    digest: server.hashValue, group: ServerGroupsSource.id(of: group))
            }
        }
    }

    /// The servers that came, changed and went, and their groups.
    func marks(since before: KnownServers) -> [RowID: RowMark] {
        var marks: [RowID: RowMark] = [:]
        for (id, server) in servers {
            let old = before.servers[id]
            guard old?.digest != server.digest else { continue }
            marks[id] = old == nil ? .new : .changed
            marks[server.group] = .changed
            if let old { marks[old.group] = .changed }
        }
        for (id, server) in before.servers where servers[id] == nil {
            marks[id] = .gone
            marks[server.group] = .changed
        }
        return marks
    }
}
