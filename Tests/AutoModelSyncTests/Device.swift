import AutoModel
import AutoModelSync
import EntityStore
import Foundation
import Replication
import TestSupport

enum Mood: String, Sendable { case calm, loud }

@AutoModel final class Person {
    var name = ""
    static var schema: ModelSchema<Person> { ModelSchema().synced() }
}

@AutoModel final class Note {
    var text = ""
    var stars = 0
    var weight = 1.5
    var isPinned = false
    var due: Date?
    var mood = Mood.calm
    var tags: [String] = []
    var data = Data()
    var author = Reference<Person>()
    var readers = ManyToMany(Person.self)
    static var schema: ModelSchema<Note> { ModelSchema().synced() }
}

/// A device with a database and its own copy of the package.
final class Device: Sendable {
    let name: String
    let folder: TemporaryFolder
    let clock: TestClock
    let database: AutoDatabase
    let sync: AutoSync

    var package: String { folder.appending("Notes.store") }

    /// - Parameter folder: A folder that a device used before.
    init(
        _ name: String, package: String? = nil, folder: TemporaryFolder? = nil,
        clock: TestClock = TestClock(), watches: Bool = false, usesRealClock: Bool = false
    ) async throws {
        self.name = name
        self.clock = clock
        self.folder = try folder ?? TemporaryFolder()
        let path = package ?? self.folder.appending("Notes.store")
        var configuration = EntityStore.Configuration()
        configuration.watchesFolder = watches
        if !usesRealClock { configuration.clock = clock.hybrid }
        database = try await AutoDatabase.open(
            at: self.folder.appending("\(name).db"), models: [Person.self, Note.self])
        sync = try await AutoSync.start(
            database, in: StorePackage(creating: path), device: DeviceID(name),
            configuration: configuration)
    }

    func close() async throws {
        await sync.stop()
        try database.closeNow()
    }

    /// Uses the models of this device.
    @discardableResult
    func use<Result>(_ body: () throws -> Result) throws -> Result {
        clock.advance(microseconds: 1_000)
        return try database.use { try body() }
    }

    /// Copies this device's log to another device's package, as a sync service does.
    func carry(to other: Device) throws {
        let from = URL(filePath: package).appending(path: "Devices/\(name)/Entities.db")
        guard FileManager.default.fileExists(atPath: from.path) else { return }
        let to = URL(filePath: other.package).appending(path: "Devices/\(name)/Entities.db")
        try FileManager.default.createDirectory(
            at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
        let copy = to.deletingLastPathComponent().appending(path: ".coming")
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: from, to: copy)
        guard rename(copy.path, to.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// The content of all tables.
    func state() throws -> [[SQLValue]] {
        try database.rows("SELECT * FROM Person ORDER BY id")
            + database.rows("SELECT * FROM Note ORDER BY id")
            + database.rows("SELECT owner, target FROM Note_readers ORDER BY owner, place")
    }

    func note(_ id: Int64) throws -> Note? { try use { try Note.fetch(id) } }
}

/// Copies all logs to all devices until nothing is new.
func exchange(_ devices: [Device]) async throws {
    for _ in 0..<2 {
        for device in devices { try await device.sync.sync() }
        for from in devices {
            for to in devices where to !== from { try from.carry(to: to) }
        }
    }
    for device in devices { try await device.sync.sync() }
}

func withDevices(
    _ names: String..., body: ([Device]) async throws -> Void
) async throws {
    var devices: [Device] = []
    for name in names { devices.append(try await Device(name)) }
    try await body(devices)
    for device in devices { try await device.close() }
}

extension AutoDatabase {
    // Synchronous forms, for contexts in which the compiler would choose the asynchronous ones.
    func closeNow() throws { try close() }
    func rowsNow(_ sql: String) throws -> [[SQLValue]] { try rows(sql) }
    /// The unsent values.
    func waiting() throws -> [[SQLValue]] { try rows("SELECT * FROM automodel_outbox") }
    func useNow<Result>(_ body: () throws -> Result) throws -> Result { try use { try body() } }
}
