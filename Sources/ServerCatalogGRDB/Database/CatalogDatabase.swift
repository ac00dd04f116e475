public import GRDB
import Replication
public import ServerCatalog

/// A server catalog in SQLite.
///
/// Make one from a connection that you have, or by ``inMemory(names:)``, ``open(path:names:)``
/// and ``openForReading(path:names:)``. It can be used from any thread. Most programs only take
/// its ``repository``.
public final class CatalogDatabase: Sendable {
    /// Where queries run.
    private enum Source: Sendable {
        case connection(any DatabaseReader)
        case file(CatalogFile)

        /// A file is open while a call reads it only.
        func close() throws {
            if case .connection(let reader) = self { try reader.close() }
        }
    }

    private let source: Source
    /// Keeps the file noted as open for writing.
    let file: LocalFile?
    /// Where changes are made; `nil` for a catalog that was opened for reading.
    public let writer: (any DatabaseWriter)?
    /// The language in which text search knows countries, and groups are sorted.
    public let names: CountryNames
    let gate: CallGate

    /// A catalog on a connection, which is brought to the newest schema.
    ///
    /// The database is an earlier catalog or empty. Aggregates are added to its connections
    /// when they are missed; a configuration that calls ``prepare(_:)`` adds them at once.
    ///
    /// - Throws: `ServerCatalogError`: `.newerSchema` for a catalog of a later version,
    ///   `.notACatalog` for somebody else's tables; nothing has been changed then.
    public convenience init(
        _ writer: any DatabaseWriter, names: CountryNames = .environment
    ) throws {
        try self.init(writer, file: nil, names: names)
    }

    /// A catalog on the file that `file` has opened.
    convenience init(_ file: LocalFile, names: CountryNames) throws {
        try self.init(file.database, file: file, names: names)
    }

    private init(_ writer: any DatabaseWriter, file: LocalFile?, names: CountryNames) throws {
        source = .connection(writer)
        self.file = file
        self.writer = writer
        self.names = names
        gate = CallGate { try writer.close() }
        try CatalogFailure.wrapping("the catalog cannot be opened") {
            let state = try writer.read { try CatalogSchemaState($0) }
            try state.requireKnown()
            if state != .current { try CatalogSchema.migrator.migrate(writer) }
        }
    }

    /// A catalog on a connection that is only read, whatever it would allow.
    ///
    /// A catalog with an earlier schema is copied into memory and brought up to date there: the
    /// answers are complete, but changes made to the database afterwards are not seen.
    ///
    /// - Throws: `ServerCatalogError`, as the initializer for writing; an empty database is not a
    ///   catalog.
    public init(readingFrom reader: any DatabaseReader, names: CountryNames = .environment) throws {
        writer = nil
        file = nil
        self.names = names
        let source: Source = try CatalogFailure.wrapping("the catalog cannot be read") {
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

    /// A catalog on a file that is only read.
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
    /// - Parameter body: Runs again where the file changed under it: what it returned last counts.
    /// - Throws: `ServerCatalogError`.
    public func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try CatalogFailure.wrapping("the catalog cannot be read") {
            try gate.pass {
                switch source {
                case .file(let file): return try file.read(body)
                case .connection(let reader):
                    return try reader.read { db in
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

    /// Adds what the queries need to a connection: for `Configuration.prepareDatabase`.
    ///
    /// - Throws: A `DatabaseError` of GRDB's if SQLite refuses the aggregates.
    public static func prepare(_ db: Database) throws {
        try BitAggregates.add(to: db)
    }

    /// The catalog as a value of closures.
    ///
    /// The writing closures of a catalog that was opened for reading throw `.readOnly`.
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

    /// Closes the database; calls after it throw `.closed`. Closing again does nothing.
    ///
    /// Calls that are under way come to their end first. A connection that the catalog was given
    /// is closed too.
    ///
    /// - Throws: `ServerCatalogError`, `.busy` or `.inputOutput`, if SQLite cannot close the
    ///   database.
    public func close() throws {
        try CatalogFailure.wrapping("the catalog cannot be closed") { try gate.close() }
    }
}

extension ServerRepository {
    /// A repository on an empty database in memory, with `servers` put into it.
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

    /// A repository on the catalog in a file, made where there is none; see
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
    /// Whether SQLite does not know one of the catalog's aggregates.
    fileprivate var isMissingAggregate: Bool {
        resultCode == .SQLITE_ERROR && message?.hasPrefix("no such function: BIT_") == true
    }
}
