public import GRDB
public import Replication
public import ServerCatalog

/// A server catalog in SQLite.
///
/// Create a catalog from your own connection, or with ``inMemory(names:)``, ``open(path:names:)``
/// or ``openForReading(path:names:)``. You can use it from any thread. Most programs only use its
/// ``repository``.
public final class CatalogDatabase: Sendable {
    /// The target of queries.
    private enum Source: Sendable {
        case connection(any DatabaseReader)
        case file(CatalogFile)

        /// Closes a connection. Files aren't closed, because they are open only during a call.
        func close() throws {
            if case .connection(let reader) = self { try reader.close() }
        }
    }

    private let source: Source
    /// The file that stays registered as open for writing; `nil` if there is none.
    let file: LocalFile?
    /// The connection for changes; `nil` if the catalog is open for reading only.
    public let writer: (any DatabaseWriter)?
    /// The language of country names in text searches and in the order of groups.
    public let names: CountryNames
    let gate: CallGate

    /// Creates a catalog on a connection, and migrates it to the newest schema.
    ///
    /// The database must be empty or a catalog of this or an earlier version. The queries need SQL
    /// aggregates, which are added to the database's connections on demand. To add them in advance,
    /// call ``prepare(_:)`` in `Configuration.prepareDatabase`.
    ///
    /// - Throws: `ServerCatalogError`: `.newerSchema` for a catalog of a later version,
    ///   `.notACatalog` for a database with other tables. Both leave the database unchanged.
    public convenience init(
        _ writer: any DatabaseWriter, names: CountryNames = .environment
    ) throws {
        try self.init(writer, file: nil, names: names)
    }

    /// Creates a catalog on an open file.
    convenience init(_ file: LocalFile, names: CountryNames) throws {
        try self.init(file.database, file: file, names: names)
    }

    private init(_ writer: any DatabaseWriter, file: LocalFile?, names: CountryNames) throws {
        source = .connection(writer)
        self.file = file
        self.writer = writer
        self.names = names
        gate = CallGate { try writer.close() }
        try CatalogErrors.wrapping("the catalog can't be opened") {
            let state = try writer.read { try CatalogSchemaState($0) }
            try state.requireKnown()
            if state != .current { try CatalogSchema.migrator.migrate(writer) }
        }
    }

    /// Creates a read-only catalog on a connection, even if it allows writing.
    ///
    /// A catalog with an earlier schema is copied into memory and migrated there. Results are
    /// complete, but later changes of the database are not visible.
    ///
    /// - Throws: `ServerCatalogError`, as the initializer for writing. An empty database is not a
    ///   catalog.
    public init(readingFrom reader: any DatabaseReader, names: CountryNames = .environment) throws {
        writer = nil
        file = nil
        self.names = names
        let source: Source = try CatalogErrors.wrapping("the catalog can't be read") {
            let state = try reader.read { try CatalogSchemaState($0) }
            try state.requireKnown()
            switch state {
            case .current: return .connection(reader)
            case .earlier:
                let copy = try DatabaseQueue(configuration: Self.configuration)
                try reader.backup(to: copy)
                try CatalogSchema.migrator.migrate(copy)
                return .connection(copy)
            case .empty, .foreign, .newer: throw CatalogSchemaState.empty.error
            }
        }
        self.source = source
        gate = CallGate { try source.close() }
    }

    /// Creates a read-only catalog on a file.
    init(readingFrom file: CatalogFile, names: CountryNames) throws {
        writer = nil
        self.file = nil
        self.names = names
        let source: Source =
            switch try file.state() {
            case .current: .file(file)
            case .earlier: .connection(try file.migratedCopy())
            case .empty, .foreign, .newer: throw CatalogSchemaState.empty.error
            }
        self.source = source
        gate = CallGate { try source.close() }
    }

    /// Runs a program's own queries in one state of the catalog.
    ///
    /// - Parameter body: Runs again if the file changes during the read. The last result is
    ///   returned.
    /// - Throws: `ServerCatalogError`.
    public func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try CatalogErrors.wrapping("the catalog can't be read") {
            try gate.pass {
                switch source {
                case .file(let file): return try file.read(body)
                case .connection(let reader):
                    return try reader.read { db in
                        do {
                            return try body(db)
                        } catch let error as DatabaseError where error.isMissingAggregate {
                            // The program configured this connection without calling `prepare`.
                            try Self.prepare(db)
                            return try body(db)
                        }
                    }
                }
            }
        }
    }

    /// Adds the SQL functions that the queries need. Call this in `Configuration.prepareDatabase`.
    ///
    /// - Throws: A GRDB `DatabaseError` if SQLite rejects the aggregates.
    public static func prepare(_ db: Database) throws {
        try BitAggregates.add(to: db)
    }

    /// A repository whose closures read and write this catalog.
    ///
    /// If the catalog is open for reading only, the writing closures throw `.readOnly`.
    public var repository: ServerRepository {
        ServerRepository(
            getServerCount: { try self.serverCount() },
            getCountryCount: { try self.countryCount() },
            getFirstServer: { try self.firstServer(filteredBy: $0, orderedBy: $1) },
            getServers: { try self.servers(filteredBy: $0, orderedBy: $1) },
            getServer: { try self.server(withID: $0) },
            getServersWithIDs: { try self.servers(withIDs: $0) },
            getGroups: { try self.groups(filteredBy: $0, groupedBy: $1, orderedBy: $2) },
            upsertServers: { try self.upsert(servers: $0) },
            updateLoads: { try self.update(loads: $0) },
            deleteServers: { try self.delete(serversNotIn: $0, maxTier: $1) },
            getMetadata: { try self.metadata(for: $0) },
            setMetadata: { try self.setMetadata($1, for: $0) },
            closeCatalog: { try self.close() })
    }

    /// Closes the database. Later calls throw `.closed`. Closing again has no effect.
    ///
    /// Calls in progress finish first. A connection that you provided is also closed.
    ///
    /// - Throws: `ServerCatalogError`, `.busy` or `.inputOutput`, if SQLite can't close the
    ///   database.
    public func close() throws {
        try CatalogErrors.wrapping("the catalog can't be closed") { try gate.close() }
    }
}

extension ServerRepository {
    /// Creates a repository on a new database in memory that contains `servers`.
    ///
    /// - Throws: As ``CatalogDatabase/upsert(servers:)``.
    /// - Complexity: As ``CatalogDatabase/upsert(servers:)``.
    public static func inMemory(
        servers: [VPNServer] = [], names: CountryNames = .environment
    ) throws -> ServerRepository {
        let catalog = try CatalogDatabase.inMemory(names: names)
        try catalog.upsert(servers: servers)
        return catalog.repository
    }

    /// Opens a repository on the catalog in a file, creating it if necessary. See
    /// ``CatalogDatabase/open(path:names:)``.
    ///
    /// - Throws: As ``CatalogDatabase/open(path:names:)``.
    public static func onDisk(
        path: String, names: CountryNames = .environment
    ) throws -> ServerRepository {
        try CatalogDatabase.open(path: path, names: names).repository
    }
}

extension DatabaseError {
    /// Whether SQLite doesn't know one of the catalog's aggregates.
    fileprivate var isMissingAggregate: Bool {
        resultCode == .SQLITE_ERROR && message?.hasPrefix("no such function: BIT_") == true
    }
}

extension DatabaseKind {
    /// A device's own server catalog, which is never merged.
    public static let catalog = DatabaseKind(named: "Catalog")
}
