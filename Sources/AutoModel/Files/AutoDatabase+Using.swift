import Foundation
import GRDB

extension AutoDatabase {
    /// What a database is opened with.
    public struct Configuration: Sendable {
        /// Paths of further files by the names that models give with `@AutoModel(file:)`.
        public var files: [String: String] = [:]
        /// How long to wait for another process's lock.
        public var busyTimeout: Duration = .seconds(10)
        /// How long `saveLater` and `deleteLater` gather.
        public var laterDelay: Duration = .seconds(3)
        /// Told of what `saveLater` and `deleteLater` could not do; it stays to be done.
        public var onLaterError: @Sendable (any Error) -> Void = { _ in }
        /// Tables that no model declares any more and may be deleted with all that is in them.
        public var deletedTables: Set<String> = []
        /// Told of a migration before, while and after it changes tables that were there.
        public var onMigration: @Sendable (MigrationEvent) -> Void = { _ in }
        /// Asked where a migration would lose data; what it does not allow is refused.
        public var onDataLoss: @Sendable (DataLoss) -> DataLossAnswer = { _ in .refuse }

        public init() {}
    }

    /// Opens a database with models that are in an array; as ``open(at:models:configuration:)``.
    ///
    /// - Throws: ``AutoModelError``.
    public static func open(
        at path: String, models: [any AutoRecord.Type], configuration: Configuration = .init()
    ) throws -> AutoDatabase {
        try AutoDatabase(path: path, models: models, configuration: configuration)
    }

    /// Opens a database and makes its tables those of the models, creating what is not there.
    ///
    /// Whatever changes in a file does so in one transaction: an end at any instant leaves the old
    /// tables or the new.
    ///
    /// - Throws: ``AutoModelError`` with code `.wouldLoseData` for a migration that would lose data
    ///   and was not told that it may; nothing in the file is changed then.
    /// - Complexity: O(1) where the tables are as declared; a column that is added takes no time
    ///   either. Anything else is O(*n*) in the rows of the tables that change.
    public static func open(
        at path: String, models: any AutoRecord.Type..., configuration: Configuration = .init()
    ) throws -> AutoDatabase {
        try AutoDatabase(path: path, models: models, configuration: configuration)
    }

    /// Opens a database and makes its tables those of the models, creating what is not there.
    ///
    /// Whatever changes in a file does so in one transaction: an end at any instant leaves the old
    /// tables or the new.
    ///
    /// - Throws: ``AutoModelError`` with code `.wouldLoseData` for a migration that would lose data
    ///   and was not told that it may; nothing in the file is changed then.
    /// - Complexity: O(1) where the tables are as declared; a column that is added takes no time
    ///   either. Anything else is O(*n*) in the rows of the tables that change.
    public static func open(
        at path: String, models: any AutoRecord.Type..., configuration: Configuration = .init()
    ) async throws -> AutoDatabase {
        let kinds = models
        return try await onQueue {
            try AutoDatabase(path: path, models: kinds, configuration: configuration)
        }
    }

    private static func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(with: Swift.Result { try body() })
            }
        }
    }

    /// Lets models of this database be used while `body` runs, whichever others are open.
    public func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self) { try body() }
    }

    /// Lets models of this database be used while `body` runs, whichever others are open.
    public func use<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Self.$current.withValue(self) { try await body() }
    }

    /// Takes the files up again. Whoever follows something is told of what happened meanwhile.
    ///
    /// - Throws: ``AutoModelError``, also where the tables are no longer those of the models.
    public func resume() async throws {
        try await Self.onQueue { try self.resume() as Void }
    }

    /// Saves what is waiting and lets go of the files, until ``resume()-swift.method``.
    ///
    /// - Throws: ``AutoModelError`` where something cannot be saved; the files are let go of even so.
    public func release() async throws {
        try await Self.onQueue { try self.release() as Void }
    }

    /// Saves all changed objects of all models, in one transaction per file.
    ///
    /// An object that can't be saved doesn't keep others from being saved. Its changes stay in
    /// memory and are saved with the next ones, unless ``AutoObject/discardChanges()-swift.method``
    /// drops them.
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

    /// Saves all changed objects of all models, in one transaction per file.
    ///
    /// An object that can't be saved doesn't keep others from being saved. Its changes stay in
    /// memory and are saved with the next ones, unless ``AutoObject/discardChanges()-swift.method``
    /// drops them.
    ///
    /// - Throws: ``AutoModelError`` that names the objects that weren't saved.
    public func saveAllChanges() async throws {
        try await perform(on: main) { try self.saveAllChanges() as Void }
    }

    /// Does several things in one transaction of a model's file: all that `body` saves, deletes and
    /// executes there, or nothing if it throws.
    ///
    /// Objects whose saving is undone have their changes still to be saved.
    public func transaction<Result>(
        in model: (any AutoRecord.Type)? = nil, _ body: () throws -> Result
    ) throws -> Result {
        let file = try model.map { try table(for: $0).file } ?? main
        return try use { try file.write { _ in try body() } }
    }

    /// Does several things in one transaction of a model's file: all that `body` saves, deletes and
    /// executes there, or nothing if it throws.
    ///
    /// Objects whose saving is undone have their changes still to be saved.
    public func transaction<Result: Sendable>(
        in model: (any AutoRecord.Type)? = nil, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let file = try model.map { try table(for: $0).file } ?? main
        return try await perform(on: file) { try file.write { _ in try body() } }
    }
}
