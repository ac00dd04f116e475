import GRDB
import Replication
import ServerCatalog
import ServerCatalogGRDB

/// The comparison of the servers of two catalogs, by identifier, with their endpoints.
struct ServerComparison: Comparison {
    let from: String?
    let to: String?
    /// The device whose catalogs are compared, in a package.
    var device: DeviceID?
    /// The comparison is limited to servers whose identifiers have this prefix.
    var prefix = ""
    /// The side whose catalog a sync service has not downloaded, and the error.
    var unread: (side: ComparedSide, reason: ReplicationError)?

    /// Returns the comparisons of each device's catalogs in two packages.
    ///
    /// - Throws: `ReplicationError` if a package can't be listed.
    static func comparisons(
        of from: StorePackage, _ to: StorePackage, prefix: String
    ) throws -> [ServerComparison] {
        let old = try CatalogLocation.catalogs(in: from)
        let new = try CatalogLocation.catalogs(in: to)
        return Set((old + new).map(\.id)).sorted().map { device in
            ServerComparison(
                from: old.first { $0.id == device }?.path(of: .catalog),
                to: new.first { $0.id == device }?.path(of: .catalog), device: device,
                prefix: prefix, unread: unread(of: device, from, to))
        }
    }

    /// Returns the side whose catalog a sync service has not downloaded, and the error.
    private static func unread(
        of device: DeviceID, _ from: StorePackage, _ to: StorePackage
    ) -> (side: ComparedSide, reason: ReplicationError)? {
        for (side, package) in [(ComparedSide.from, from), (.to, to)] {
            do throws(ReplicationError) {
                try package.device(device).checkIsDownloaded(.catalog)
            } catch {
                return (side, error)
            }
        }
        return nil
    }

    func forEach(
        _ body: (StoreDifference) throws -> Void, warn: (ComparedSide, String) -> Void
    ) throws {
        if let unread { return note(unread.side, unread.reason, warn) }
        let old = open(from, .from, warn)
        let new = open(to, .to, warn)
        guard (from == nil) == (old == nil), (to == nil) == (new == nil) else { return }
        var before = try ServerReader(old, prefix: prefix)
        var after = try ServerReader(new, prefix: prefix)
        try MergeJoin.forEach({ try before.next() }, { try after.next() }, by: { $0.id }) {
            guard let id = ($0 ?? $1)?.id, $0?.json != $1?.json else { return }
            try body(StoreDifference(.server(id.text), from: side($0?.json), to: side($1?.json)))
        }
    }

    private func open(
        _ path: String?, _ side: ComparedSide, _ warn: (ComparedSide, String) -> Void
    ) -> CatalogDatabase? {
        do {
            return try path.map { try CatalogDatabase.openForReading(path: $0) }
        } catch {
            note(side, error, warn)
            return nil
        }
    }

    private func note(
        _ side: ComparedSide, _ error: any Error, _ warn: (ComparedSide, String) -> Void
    ) {
        let owner = device.map { " of \($0)" } ?? ""
        warn(side, "the server catalog\(owner) can't be read: \(error)")
    }

    private func side(_ server: JSONValue?) -> StoreDifference.Side {
        StoreDifference.Side(server: server, device: device)
    }
}

extension StoreDifference.Side {
    /// Creates the state of a server; `nil` if there is none.
    init(server: JSONValue?, device: DeviceID?) {
        self.init(
            server.map { StoreDifference.Value($0, text: $0.indented, hasWords: true) },
            device: server == nil ? nil : device)
    }
}

/// All servers of a catalog with their endpoints, if any, in the order of their identifiers.
private struct ServerReader {
    struct Server {
        let id: Name
        let json: JSONValue
    }

    private let catalog: CatalogDatabase?
    /// The identifiers of servers that have not been read.
    private var identifiers: ArraySlice<Name>
    private var servers: ArraySlice<Server> = []
    /// The number of servers to read at a time. Each read opens the file.
    private static let chunk = 500

    init(_ catalog: CatalogDatabase?, prefix: String) throws {
        self.catalog = catalog
        let ids = try catalog?.read { try String.fetchAll($0, sql: "SELECT id FROM logical") } ?? []
        identifiers = ids.map { Name($0) }.filter { $0.hasPrefix(prefix) }.sorted()[...]
    }

    mutating func next() throws -> Server? {
        while servers.isEmpty, let catalog, !identifiers.isEmpty {
            let wanted = identifiers.prefix(Self.chunk)
            identifiers = identifiers.dropFirst(wanted.count)
            let read: [Server] = try catalog.read { db in
                try wanted.compactMap { id in
                    try ServerResult.fetchOne(db, id: id.text)
                        .map { Server(id: id, json: $0.server.json) }
                }
            }
            servers = read[...]
        }
        return servers.popFirst()
    }
}
