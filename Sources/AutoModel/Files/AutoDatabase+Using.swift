import Foundation
import Replication

extension AutoDatabase {
    /// Options for opening a database.
    public struct Configuration: Sendable {
        /// Paths of additional files, by the names that models declare with `@AutoModel(file:)`.
        public var files: [String: String] = [:]
        /// The maximum time to wait for another process's lock.
        public var busyTimeout: Duration = .seconds(10)
        /// The time that `saveLater` and `deleteLater` wait for more changes.
        public var laterDelay: Duration = .seconds(3)
        /// The time without use after which a file is closed. The next use reopens it. `nil` keeps
        /// files open.
        ///
        /// Set a delay if other programs share the files, or if the system suspends the process
        /// without notice. An open file can block a checkpoint, a backup, or unmounting.
        public var closeDelay: Duration?
        /// A closure called with errors of `saveLater` and `deleteLater`. The changes stay in
        /// memory.
        public var onLaterError: @Sendable (any Error) -> Void = { _ in }
        /// Tables to delete with all their rows. Tables that a model declares aren't deleted.
        public var deletedTables: Set<String> = []
        /// A closure called before, during and after a migration of existing tables, which includes
        /// moving and deleting tables.
        public var onMigration: @Sendable (MigrationEvent) -> Void = { _ in }
        /// A closure called when a migration would lose data. Its answer decides whether the
        /// migration continues.
        public var onDataLoss: @Sendable (DataLoss) -> DataLossAnswer = { _ in .refuse }

        /// Creates the default options.
        public init() {}
    }

    /// Opens a database with an array of models. See ``open(at:models:configuration:)``.
    ///
    /// - Throws: ``AutoModelError``.
    public static func open(
        at path: String, models: [any AutoRecord.Type], configuration: Configuration = .init()
    ) throws -> AutoDatabase {
        try AutoDatabase(path: path, models: models, configuration: configuration)
    }

    /// Runs `open(at:models:configuration:)` asynchronously.
    public static func open(
        at path: String, models: [any AutoRecord.Type], configuration: Configuration = .init()
    ) async throws -> AutoDatabase {
        try await DispatchQueue.global(qos: .userInitiated).run {
            try AutoDatabase(path: path, models: models, configuration: configuration)
        }
    }

    /// Opens a database and migrates its tables to the declarations of the models. Creates missing
    /// files and tables.
    ///
    /// All changes to a file happen in one transaction: a process killed at any time leaves either
    /// the old or the new tables.
    ///
    /// - Throws: ``AutoModelError`` with code `.wouldLoseData` if a migration would lose data and
    ///   isn't allowed to. In that case, the file stays unchanged.
    /// - Complexity: O(1) if the tables match the declarations or only lack columns. Other changes
    ///   are O(*n*) in the rows of the changed tables.
    public static func open(
        at path: String, models: any AutoRecord.Type..., configuration: Configuration = .init()
    ) throws -> AutoDatabase {
        try AutoDatabase(path: path, models: models, configuration: configuration)
    }

    /// Runs `open(at:models:configuration:)` asynchronously.
    public static func open(
        at path: String, models: any AutoRecord.Type..., configuration: Configuration = .init()
    ) async throws -> AutoDatabase {
        try await open(at: path, models: models, configuration: configuration)
    }

    /// Runs `body`, in which model methods use this database.
    public func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self) { try body() }
    }

    /// Runs `body`, in which model methods use this database.
    ///
    /// - Parameter isolation: The actor of the caller, on which `body` runs.
    public func use<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$current.withValue(self, operation: body)
    }

    /// Runs `resume()` asynchronously.
    public func resume() async throws {
        try await DispatchQueue.global(qos: .userInitiated).run { try self.resume() as Void }
    }

    /// Runs `release()` asynchronously.
    public func release() async throws {
        try await DispatchQueue.global(qos: .userInitiated).run { try self.release() as Void }
    }

    /// Saves all changed objects of all models, in one transaction per file.
    ///
    /// If an object can't be saved, the others are saved anyway. The object keeps its changes, and
    /// the next save includes it again, unless you call
    /// ``AutoObject/discardChanges()-swift.method``.
    ///
    /// - Throws: ``AutoModelError`` that names the objects that weren't saved.
    public func saveAllChanges() throws {
        var failures: [ObjectFailure] = []
        var failure: (any Error)?
        for file in allFiles {
            let tables = allTables.filter { $0.file === file && $0.hasListed }
            guard !tables.isEmpty else { continue }
            do {
                failures += try file.write { session in
                    try tables.flatMap { try $0.saveListed(in: session) }
                }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        try failures.throwIfAny()
    }

    /// Runs `saveAllChanges()` asynchronously.
    public func saveAllChanges() async throws {
        try await perform(on: main) { try self.saveAllChanges() as Void }
    }

    /// Runs `body` in one transaction of a model's file. If `body` throws, the transaction is
    /// rolled back.
    ///
    /// Objects saved in a transaction that is rolled back have unsaved changes again. If a nested
    /// transaction throws, only the nested transaction is rolled back.
    ///
    /// ```swift
    /// try database.transaction {
    ///     try album.delete()
    ///     try artist.save()
    /// }
    /// ```
    ///
    /// - Parameter model: A model in the file; by default, the file is the database's own.
    public func transaction<Result>(
        in model: (any AutoRecord.Type)? = nil, _ body: () throws -> Result
    ) throws -> Result {
        let file = try file(of: model)
        return try use { try file.write { _ in try body() } }
    }

    /// Runs `transaction(in:_:)` asynchronously.
    public func transaction<Result: Sendable>(
        in model: (any AutoRecord.Type)? = nil, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let file = try file(of: model)
        return try await perform(on: file) { try file.write { _ in try body() } }
    }
}
