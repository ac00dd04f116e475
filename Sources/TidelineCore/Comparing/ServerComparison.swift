import GRDB
package import Replication
import ServerCatalog
import ServerCatalogGRDB

/// The comparison of the servers of two catalogs, by identifier, with their endpoints.
package struct ServerComparison: Comparison {
    private let from: String?
    private let to: String?
    /// The device whose catalogs are compared, in a package.
    private let device: DeviceID?
    private let prefix: String

    /// Creates a comparison of catalogs.
    ///
    /// - Parameters:
    ///   - from: The file of the first catalog; `nil` if there is none.
    ///   - to: The file of the second catalog; `nil` if there is none.
    ///   - device: The device whose catalogs these are, in a package.
    ///   - prefix: Compares only servers whose identifiers have this prefix.
    package init(from: String?, to: String?, device: DeviceID? = nil, prefix: String = "") {
        self.from = from
        self.to = to
        self.device = device
        self.prefix = prefix
    }

    /// Returns the comparisons of each device's catalogs in two packages.
    ///
    /// - Throws: `ReplicationError` if a package can't be listed.
    package static func comparisons(
        of from: StorePackage, _ to: StorePackage, prefix: String
    ) throws -> [ServerComparison] {
        let old = try CatalogLocation.catalogs(in: from)
        let new = try CatalogLocation.catalogs(in: to)
        return Set((old + new).map(\.id)).sorted().map { device in
            ServerComparison(
                from: old.first { $0.id == device }?.path(of: .catalog),
                to: new.first { $0.id == device }?.path(of: .catalog), device: device,
                prefix: prefix)
        }
    }

    package func forEach(
        _ body: (Difference) throws -> Void, warn: (ComparedSide, String) -> Void
    ) throws {
        let old = open(from, .from, warn)
        let new = open(to, .to, warn)
        guard (from == nil) == (old == nil), (to == nil) == (new == nil) else { return }
        var before = try identifiers(old)[...]
        var after = try identifiers(new)[...]
        try SideBySide.forEach({ before.popFirst() }, { after.popFirst() }, by: { $0 }) {
            let from = try $0.flatMap { try old?.server(withID: $0.text) }?.json
            let to = try $1.flatMap { try new?.server(withID: $0.text) }?.json
            guard let id = $0 ?? $1, from != to else { return }
            try body(Difference(.server(id.text), from: side(from), to: side(to)))
        }
    }

    private func open(
        _ path: String?, _ side: ComparedSide, _ warn: (ComparedSide, String) -> Void
    ) -> CatalogDatabase? {
        do {
            return try path.map { try CatalogDatabase.openForReading(path: $0) }
        } catch {
            let owner = device.map { " of \($0)" } ?? ""
            warn(side, "the server catalog\(owner) can't be read: \(error)")
            return nil
        }
    }

    private func side(_ server: JSONValue?) -> Difference.Side {
        Difference.Side(
            server.map { Difference.Value($0, text: $0.indented, hasWords: true) },
            device: server == nil ? nil : device)
    }

    /// Returns all identifiers, including those of servers without endpoints.
    private func identifiers(_ catalog: CatalogDatabase?) throws -> [Name] {
        let ids = try catalog?.read { try String.fetchAll($0, sql: "SELECT id FROM logical") } ?? []
        return ids.map { Name($0) }.filter { $0.hasPrefix(prefix) }.sorted()
    }
}
