import ServerCatalog
import ServerCatalogGRDB

/// The digests of a catalog's servers, for determining which of them a write changed.
struct ServerDigests {
    private struct Server {
        /// The digest of all properties of the server.
        var digest: Int
        /// The identifier of the group's row.
        var group: RowID
    }

    private var servers: [RowID: Server] = [:]

    /// Reads the current servers. An unreadable catalog has none.
    ///
    /// - Complexity: O(*n*) in the number of servers.
    init(of catalog: CatalogConnection) {
        try? catalog.read { database in
            try database.forEachServer { server in
                let group = ServerGroupInfo.Kind(of: server.logical, groupedBy: .country)
                servers[RowID(server.id)] = Server(
                    digest: server.hashValue, group: ListedGroup.id(of: group))
            }
        }
    }

    /// Returns the marks of new, changed and deleted servers, and of their groups.
    func marks(since before: ServerDigests) -> [RowID: RowMark] {
        var marks: [RowID: RowMark] = [:]
        for (id, server) in servers {
            let old = before.servers[id]
            guard old?.digest != server.digest else { continue }
            marks[id] = old == nil ? .new : .changed
            marks[server.group] = .changed
            if let old { marks[old.group] = .changed }
        }
        for (id, server) in before.servers where servers[id] == nil {
            marks[id] = .deleted
            marks[server.group] = .changed
        }
        return marks
    }
}
