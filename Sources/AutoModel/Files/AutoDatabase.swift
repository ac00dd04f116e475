import Dispatch
import Replication

/// An open database of models, in one or more files.
///
/// ```swift
/// let database = try await AutoDatabase.open(at: path, models: Artist.self, Album.self)
/// let nina = try Artist.create { $0.name = "Nina" }
/// try await database.saveAllChanges()
/// ```
///
/// Opening a database migrates its tables to the declarations of the models. After that, call the
/// methods of the models, from any thread. If several open databases have the same model, select
/// one with ``use(_:)-swift.method``.
public final class AutoDatabase: Sendable {
    /// The path of the database's own file.
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

    /// The database that model methods use in this task.
    @TaskLocal static var current: AutoDatabase?
    private static let open = Locked<[AutoDatabase]>([])
    /// A database without models, for tables whose database no longer exists.
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
        let closeDelay = configuration.closeDelay
        main = DatabaseFile(
            path: path, name: nil, busyTimeout: seconds, closeDelay: closeDelay)
        files = Dictionary(
            uniqueKeysWithValues: configuration.files.map { name, path in
                (
                    name,
                    DatabaseFile(
                        path: path, name: name, busyTimeout: seconds, closeDelay: closeDelay)
                )
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
                    "two models have the table '\(layout.name)'; give one of them "
                        + "another name with '@AutoModel(\"…\")'")
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
                "a model belongs to the file '\(name)', but the configuration has "
                    + "no path for this file; set 'configuration.files[\"\(name)\"]'")
        }
        return file
    }

    /// Checks that the database has the target models of all references and relations.
    private func check() throws {
        for table in allTables {
            let targets =
                table.layout.columns.compactMap { $0.reference?.type as Any.Type? }
                + table.layout.relations.map { $0.target as Any.Type }
            for target in targets where !has(target) {
                throw AutoModelError(
                    .declaration,
                    "'\(table.layout.name)' refers to '\(target)', but the database "
                        + "isn't opened with that model; add it to 'models:'")
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
                "\(path): the database isn't opened with '\(type)'; add it to "
                    + "'models:'")
        }
        return table
    }

    /// Returns the file of a model; by default, the database's own.
    func file(of model: (any AutoRecord.Type)?) throws -> DatabaseFile {
        try model.map { try table(for: $0).file } ?? main
    }

    func table<Model: AutoObject>(of type: Model.Type) throws -> ModelTable<Model> {
        guard let table = try table(for: type) as? ModelTable<Model> else {
            throw AutoModelError(
                .notOpen, "\(path): the table was opened with another type than '\(type)'")
        }
        return table
    }

    func valueTable<Value: AutoValue>(of type: Value.Type) throws -> ValueTable<Value> {
        guard let table = try table(for: type) as? ValueTable<Value> else {
            throw AutoModelError(
                .notOpen, "\(path): the table was opened with another type than '\(type)'")
        }
        return table
    }

    /// Returns the database that the methods of a model use.
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
                "\(found.count) open databases have '\(type)'; select one with "
                    + "'database.use { … }'")
        }
        return database
    }

    static func table<Model: AutoObject>(
        of type: Model.Type, in database: AutoDatabase? = nil
    ) throws -> ModelTable<Model> {
        try (database ?? having(type)).table(of: type)
    }

    /// Watches the files for commits of other processes.
    private func watch() {
        let watchers = allFiles.map { file in
            // Every commit writes to one of the files that SQLite creates next to the database.
            FileWatcher(file.path, isDatabase: true) { [weak self, weak file] in
                guard let self, let file else { return }
                file.queue.async { self.lookForOthers(in: file) }
                // The event may arrive before other connections can see the commit.
                guard file.scheduleSecondLook() else { return }
                for delay in [0.03, 0.3] {
                    file.queue.asyncAfter(deadline: .now() + delay) { [weak self, weak file] in
                        guard let self, let file else { return }
                        if delay == 0.03 { file.endSecondLook() }
                        self.lookForOthers(in: file)
                    }
                }
            }
        }
        self.watchers.withLock { $0 = watchers }
    }

    func lookForOthers(in file: DatabaseFile) {
        if (try? file.lookForOthers()) == true { refresh(file) }
    }

    /// Updates the observed objects and live lists of a file.
    func refresh(_ file: DatabaseFile) {
        for table in allTables where table.file === file { table.refresh() }
    }

    /// Saves pending changes and closes the files for good. Models can't use the database
    /// afterward. Live lists and sequences of changes end.
    ///
    /// - Throws: ``AutoModelError`` if something can't be saved. The files are closed anyway.
    public func close() throws {
        Self.open.withLock { $0.removeAll { $0 === self } }
        defer { for table in allTables { table.followers.end() } }
        try release()
    }

    /// Saves pending changes and releases the files until ``resume()-swift.method``. Until then,
    /// everything that needs the files throws.
    ///
    /// Call this before the system suspends the process: a suspended process must not hold a file
    /// lock.
    ///
    /// - Throws: ``AutoModelError`` if something can't be saved. The files are released anyway.
    public func release() throws {
        watchers.withLock { $0 = [] }
        defer { for file in allFiles { try? file.close() } }
        try flushLater()
    }

    /// Opens the files again after ``release()-swift.method``. Subscribers are notified of changes
    /// made in the meantime.
    ///
    /// - Throws: ``AutoModelError``, also if the tables no longer match the models.
    public func resume() throws {
        var reopened: [DatabaseFile] = []
        for file in allFiles where try file.open() { reopened.append(file) }
        try migrate()
        watch()
        for file in reopened { lookForOthers(in: file) }
    }

    /// Runs `body` on a file's queue. In `body`, model methods use this database.
    func perform<Result: Sendable>(
        on file: DatabaseFile, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await file.perform { try Self.$current.withValue(self) { try body() } }
    }
}

extension AutoRecord {
    static func _$makeLayout() throws -> TableLayout { try TableLayout(of: Self.self) }
}
