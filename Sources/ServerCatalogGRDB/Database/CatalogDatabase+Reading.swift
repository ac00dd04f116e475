import GRDB
public import ServerCatalog

extension CatalogDatabase {
    /// Every server that has an endpoint matching all of `filters`, in one SELECT.
    public func servers(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none,
        limit: Int? = nil
    ) throws -> [ServerInfo] {
        var servers: [ServerInfo] = []
        try forEachServer(filteredBy: filters, orderedBy: order, limit: limit) {
            servers.append($0)
        }
        return servers
    }

    /// Calls `body` with one server after the other, as they are read.
    ///
    /// The database is being read meanwhile: `body` must not use the catalog.
    public func forEachServer(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none,
        limit: Int? = nil, _ body: (ServerInfo) throws -> Void
    ) throws {
        try read {
            let rows = try ServerInfoResult.request(
                filters, orderedBy: order, limit: limit, names: names
            ).fetchCursor($0)
            while let row = try rows.next() { try body(row.info) }
        }
    }

    /// The first server in `order` that matches, with all of its endpoints; `nil` if none does.
    public func firstServer(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none
    ) throws -> VPNServer? {
        try read {
            try ServerResult.fetchFirst($0, filters, orderedBy: order, names: names)?.server
        }
    }

    /// The server with an identifier, with endpoints or without; `nil` where there is none.
    public func server(withID id: String) throws -> VPNServer? {
        try read { try ServerResult.fetchOne($0, id: id)?.server }
    }

    /// The servers with these identifiers, in the order of `ids`; those that have gone are left
    /// out, and those without endpoints are there, under maintenance.
    ///
    /// - Complexity: O(*k* log *n*), *k* identifiers among *n* servers.
    public func servers(withIDs ids: [String]) throws -> [ServerInfo] {
        try read { db in
            try ids.compactMap { try ServerInfoResult.request(id: $0).fetchOne(db)?.info }
        }
    }

    /// Groups of the servers that match, in one SELECT.
    public func groups(
        filteredBy filters: [VPNServerFilter] = [], groupedBy grouping: ServerGrouping = .country,
        orderedBy order: VPNServerGroupOrder = .localizedCountryNameAscending
    ) throws -> [ServerGroupInfo] {
        let groups = try read {
            try GroupInfoResult.request(filters, groupedBy: grouping, names: names)
                .fetchAll($0).map { $0.group(grouping) }
        }
        return order.sorted(groups, names: names)
    }

    /// How many servers there are, with or without endpoints.
    public func serverCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM logical") ?? 0 }
    }

    /// In how many countries servers leave, gateways and servers without endpoints included.
    public func countryCount() throws -> Int {
        try read {
            try Int.fetchOne($0, sql: "SELECT COUNT(DISTINCT exitCountryCode) FROM logical") ?? 0
        }
    }

    /// How many endpoints there are; one that two servers list counts twice.
    public func endpointCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM endpoint") ?? 0 }
    }

    /// What the catalog remembers under `key`; `nil` for nothing.
    public func metadata(for key: CatalogMetadataKey) throws -> String? {
        try read {
            try String.fetchOne(
                $0, sql: "SELECT value FROM databaseMetadata WHERE key = ?",
                arguments: [key.rawValue])
        }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try CatalogFailure.wrapping("the catalog cannot be read") {
            try gate.pass {
                try reader.read { db in
                    do {
                        return try body(db)
                    } catch let error as DatabaseError where error.isMissingAggregate {
                        // A connection that somebody else configured meets the catalog.
                        try Self.prepare(db)
                        return try body(db)
                    }
                }
            }
        }
    }
}

extension DatabaseError {
    /// Whether SQLite does not know one of the catalog's aggregates.
    fileprivate var isMissingAggregate: Bool {
        resultCode == .SQLITE_ERROR && message?.hasPrefix("no such function: BIT_") == true
    }
}
