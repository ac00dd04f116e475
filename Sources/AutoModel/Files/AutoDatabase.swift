import Dispatch
import Foundation
import GRDB
import Replication

/// An open database of models: one file, or several.
///
/// ```swift
/// let database = try await AutoDatabase.open(at: path, models: Artist.self, Album.self)
/// let nina = Artist.create { $0.name = "Nina" }
/// try await database.saveAllChanges()
/// ```
///
/// Opening makes the tables what the models declare. Afterwards the models are used by their own
/// methods, from any thread; where more than one open database has a model, ``use(_:)-swift.method``
/// says which is meant.
public final class AutoDatabase: Sendable {
    public let path: String
    let configuration: Configuration
    let main: DatabaseFile
    let files: [String: DatabaseFile]
    private let tables: Locked<Tables>
    private let watchers = Locked<[FileWatcher]>([])

    private struct Tables {
        var byType: [ObjectIdentifier: any AnyTable] = [:]
        var inOrder: [any AnyTable] = []
    }

    /// The database that models of this task use.
    @TaskLocal static var current: AutoDatabase?
    private static let open = Locked<[AutoDatabase]>([])
    /// Of a table whose database is gone: has no models.
    static let none = AutoDatabase()

    private init() {
        path = ""
        configuration = Configuration()
        main = DatabaseFile(path: "", name: nil, busyTimeout: 0)
        files = [:]
        tables = Locked(Tables())
    }

    init(
        path: String, models: [any AutoRecord.Type], configuration: Configuration
    ) throws {
        self.path = path
        self.configuration = configuration
        let seconds = configuration.busyTimeout / .seconds(1)
        main = DatabaseFile(path: path, name: nil, busyTimeout: seconds)
        files = Dictionary(
            uniqueKeysWithValues: configuration.files.map { name, path in
                (name, DatabaseFile(path: path, name: name, busyTimeout: seconds))
            })
        tables = Locked(Tables())
        for model in models { try add(model) }
        try check()
        try migrate()
        watch()
        Self.open.withLock { $0.append(self) }
    }

    private func add(_ model: any AutoRecord.Type) throws {
        let layout = try model._$makeLayout()
        let file = try file(named: layout.fileName)
        let box = model._$table(TablePlace(database: self, file: file, layout: layout))
        try tables.withLock { tables in
            let clash = tables.inOrder.contains {
                $0.layout.name.lowercased() == layout.name.lowercased()
            }
            guard !clash else {
                throw AutoModelError(
                    .declaration,
                    "two models have the table '\(layout.name)'; name one with "
                        + "'@AutoModel(\"…\")'")
            }
            tables.byType[ObjectIdentifier(model)] = box.table
            tables.inOrder.append(box.table)
        }
    }

    private func file(named name: String?) throws -> DatabaseFile {
        guard let name else { return main }
        guard let file = files[name] else {
            throw AutoModelError(
                .declaration,
                "a model is in the file '\(name)', and the configuration gives "
                    + "it no path; set 'configuration.files[\"\(name)\"]'")
        }
        return file
    }

    /// References and relations lead to models that are here.
    private func check() throws {
        for table in allTables {
            let targets =
                table.layout.columns.compactMap { $0.reference?.type as Any.Type? }
                + table.layout.relations.map { $0.target as Any.Type }
            for target in targets where !has(target) {
                throw AutoModelError(
                    .declaration,
                    "'\(table.layout.name)' leads to '\(target)', which the "
                        + "database is not opened with; name it under 'models:'")
            }
        }
    }

    var allTables: [any AnyTable] { tables.withLock { $0.inOrder } }
    var allFiles: [DatabaseFile] { [main] + files.keys.sorted().compactMap { files[$0] } }

    private func has(_ type: Any.Type) -> Bool {
        tables.withLock { $0.byType[ObjectIdentifier(type)] != nil }
    }

    func table(for type: any AutoRecord.Type) throws -> any AnyTable {
        guard let table = tables.withLock({ $0.byType[ObjectIdentifier(type)] }) else {
            throw AutoModelError(
                .notOpen,
                "\(path): the database is not opened with '\(type)'; name it under "
                    + "'models:'")
        }
        return table
    }

    func table<Model: AutoObject>(of type: Model.Type) throws -> ModelTable<Model> {
        guard let table = try table(for: type) as? ModelTable<Model> else {
            throw AutoModelError(.notOpen, "\(path): '\(type)' has a table of another kind")
        }
        return table
    }

    func valueTable<Value: AutoValue>(of type: Value.Type) throws -> ValueTable<Value> {
        guard let table = try table(for: type) as? ValueTable<Value> else {
            throw AutoModelError(.notOpen, "\(path): '\(type)' has a table of another kind")
        }
        return table
    }

    /// The database that a model's own methods use.
    static func having(_ type: any AutoRecord.Type) throws -> AutoDatabase {
        if let current { return current }
        let found = open.withLock { $0.filter { $0.has(type) } }
        guard let database = found.first else {
            throw AutoModelError(
                .notOpen,
                "no open database has '\(type)'; open one with "
                    + "'AutoDatabase.open(at:models:)'")
        }
        guard found.count == 1 else {
            throw AutoModelError(
                .notOpen,
                "\(found.count) open databases have '\(type)'; say which is meant with "
                    + "'database.use { … }'")
        }
        return database
    }

    static func table<Model: AutoObject>(
        of type: Model.Type, in database: AutoDatabase? = nil
    ) throws -> ModelTable<Model> {
        try (database ?? having(type)).table(of: type)
    }

    /// Tells of the commits of other processes as they come.
    private func watch() {
        let watchers = allFiles.compactMap { file in
            // What SQLite writes beside a file is written by every commit.
            try? FileWatcher(file.path, isDatabase: true) { [weak self, weak file] in
                guard let self, let file else { return }
                file.queue.async { self.lookForOthers(in: file) }
                // SQLite writes a commit before others can see it: the event may come first.
                guard file.willLookAgain() else { return }
                for delay in [0.03, 0.3] {
                    file.queue.asyncAfter(deadline: .now() + delay) { [weak self, weak file] in
                        guard let self, let file else { return }
                        if delay == 0.03 { file.looksAgain() }
                        self.lookForOthers(in: file)
                    }
                }
            }
        }
        self.watchers.withLock { $0 = watchers }
    }

    func lookForOthers(in file: DatabaseFile) {
        guard (try? file.lookForOthers()) == true else { return }
        for table in allTables where table.file === file { table.refresh() }
    }

    /// Saves what is waiting and lets the files go for good; afterwards the models are without it.
    /// Live lists, and the changes of tables, end.
    ///
    /// - Throws: ``AutoModelError`` where something cannot be saved; the files are let go of even so.
    public func close() throws {
        Self.open.withLock { $0.removeAll { $0 === self } }
        defer { for table in allTables { table.followers.end() } }
        try release()
    }

    /// Saves what is waiting and lets go of the files, until ``resume()-swift.method``: a process
    /// that is put to rest must hold no lock. Meanwhile everything that needs the files throws.
    ///
    /// - Throws: ``AutoModelError`` where something cannot be saved; the files are let go of even so.
    public func release() throws {
        watchers.withLock { $0 = [] }
        defer { for file in allFiles { try? file.close() } }
        try flushLater()
    }

    /// Takes the files up again. Whoever follows something is told of what happened meanwhile.
    ///
    /// - Throws: ``AutoModelError``, also where the tables are no longer those of the models.
    public func resume() throws {
        var reopened: [DatabaseFile] = []
        for file in allFiles where try file.open() { reopened.append(file) }
        try migrate()
        watch()
        for file in reopened { lookForOthers(in: file) }
    }

    /// Runs something on the queue of a file, with this database as the one that models use.
    func perform<Result: Sendable>(
        on file: DatabaseFile, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await file.perform { try Self.$current.withValue(self) { try body() } }
    }
}

extension AutoRecord {
    static func _$makeLayout() throws -> TableLayout { try TableLayout(of: Self.self) }
}
