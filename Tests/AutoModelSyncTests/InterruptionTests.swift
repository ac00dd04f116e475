import AutoModel
import AutoModelSync
import EntityStore
import Foundation
import Glibc
import Replication
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct InterruptionTests {
    @Test func unsentWritesAreSentOnRestart() async throws {
        let folder = try TemporaryFolder()
        // No sync runs, as if the program ended between the table and the log.
        let id = try written(folder) { database in
            let nina = try Person.create { $0.name = "Nina" }
            let note = try Note.create {
                $0.text = "kept"
                $0.readers.set([nina])
            }
            try database.saveAllChanges()
            return note.id
        }
        let first = try await Device("desk", folder: folder)
        let properties = try await first.sync.entities.properties(
            of: [.identifier("Note-\(id)")]
        ).first
        #expect(properties??[value: "text"] == "kept")
        try await first.close()
        try written(folder) { _ in
            let note = try #require(try Note.fetch(id))
            note.text = "later"
            try note.save()
            try Person.all.delete()
        }
        let second = try await Device("desk", folder: folder)
        let records = try await second.sync.entities.records()
        #expect(records.map(\.identifier) == ["Note-\(id)"])
        #expect(records[0].properties[value: "text"] == "later")
        try await second.close()
    }

    @Test func sentWritesAreNotResentOverNewerOnes() async throws {
        let folder = try TemporaryFolder()
        let desk = try await Device("desk", folder: folder, usesRealClock: true)
        let note = try desk.use {
            let note = try Note.create { $0.text = "first" }
            try note.save()
            return note
        }
        try await desk.sync.sync()
        let package = desk.package
        try await desk.close()
        // Simulate a program that ended after writing the log and before clearing the outbox.
        let marked = try written(folder) { database in
            let at = try database.rows("SELECT julianday('now')")[0][0]
            note.text = "sent"
            return at
        }
        let other = try await EntityStore.open(package: package, device: DeviceID("desk"))
        try await other.update([(.identifier("Note-\(note.id)"), ["text": "sent"])])
        await other.close()
        try written(folder) { database in
            try database.execute("UPDATE Note SET text = 'sent' WHERE id = ?", [note.id])
            try database.execute("UPDATE automodel_outbox SET at = ?", [marked])
        }
        let phone = try await EntityStore.open(package: package, device: DeviceID("phone"))
        try await phone.update([(.identifier("Note-\(note.id)"), ["text": "newer"])])
        await phone.close()
        let again = try await Device("desk", folder: folder, usesRealClock: true)
        #expect(try again.note(note.id)?.text == "newer")
        #expect(try again.database.waiting().isEmpty)
        try await again.close()
    }

    /// Both devices save a note while no sync runs, and exchange logs afterward.
    @Test func editsSavedWhileSyncWasNotRunningAreInConflict() async throws {
        let (desk, phone) = try await pair()
        let id = try desk.use {
            let note = try Note.create {
                $0.text = "first"
                $0.stars = 1
            }
            try note.save()
            return note.id
        }
        try await exchange([desk, phone])
        let devices = try await apart([desk, phone]) { name in
            let note = try #require(try Note.fetch(id))
            note.text = "of \(name)"
            if name == "phone" { note.stars = 2 }
            try note.save()
        }
        for device in devices {
            let conflicts = try await device.sync.conflicts()
            #expect(conflicts.map(\.column) == ["text"])
            #expect(Set(conflicts.first?.values.map(\.value) ?? []) == ["of desk", "of phone"])
            #expect(try device.note(id)?.stars == 2)
        }
        #expect(try devices[0].state() == devices[1].state())
        // Setting it again resolves the conflict.
        try devices[1].use {
            let note = try #require(try Note.fetch(id))
            note.text = "both"
            try note.save()
        }
        try await exchange(devices)
        for device in devices {
            #expect(try device.note(id)?.text == "both")
            #expect(try await device.sync.conflicts().isEmpty)
            try await device.close()
        }
    }

    @Test func rowsOfOneIdMadeWhileSyncWasNotRunningAreInConflict() async throws {
        let (desk, phone) = try await pair()
        let devices = try await apart([desk, phone]) { name in
            try Note.create(id: 7) {
                $0.text = "of \(name)"
                $0.stars = 4
            }.save()
        }
        for device in devices {
            let conflicts = try await device.sync.conflicts()
            #expect(conflicts.map(\.column) == ["text"])
            try await device.close()
        }
    }

    @Test func valueRemovedWhileSyncWasNotRunningLosesToAConcurrentEdit() async throws {
        let (desk, phone) = try await pair()
        let id = try desk.use {
            let note = try Note.create { $0.due = Date(timeIntervalSince1970: 1) }
            try note.save()
            return note.id
        }
        try await exchange([desk, phone])
        let devices = try await apart([phone, desk]) { name in
            let note = try #require(try Note.fetch(id))
            note.due = name == "phone" ? Date(timeIntervalSince1970: 2) : nil
            try note.save()
        }
        for device in devices {
            #expect(try device.note(id)?.due == Date(timeIntervalSince1970: 2))
            #expect(try await device.sync.conflicts().isEmpty)
            try await device.close()
        }
    }

    @Test func listsSavedWhileSyncWasNotRunningAreMerged() async throws {
        let (desk, phone) = try await pair()
        let id = try desk.use {
            let people = try (0..<4).map { number in
                try Person.create(id: Int64(number + 1)) { $0.name = "\(number)" }
            }
            let note = try Note.create { $0.readers.set(people.prefix(2)) }
            try desk.database.saveAllChanges()
            return note.id
        }
        try await exchange([desk, phone])
        let devices = try await apart([phone, desk]) { name in
            let note = try #require(try Note.fetch(id))
            let ids: [Int64] = name == "phone" ? [2, 4] : [1, 2, 3]
            note.readers.set(try Person.fetch(ids))
            try note.save()
        }
        for device in devices {
            let note = try #require(try device.note(id))
            let names = try device.use { try note.readers.objects().map(\.name) }
            #expect(Set(names) == ["1", "2", "3"], "\(device.name)")
            try await device.close()
        }
    }

    private func pair() async throws -> (Device, Device) {
        (try await Device("desk"), try await Device("phone"))
    }

    /// Stops devices, saves something on each, and restarts them one after another. Each sends its
    /// write after the logs of the earlier ones have arrived.
    private func apart(
        _ devices: [Device], save: (_ name: String) throws -> Void
    ) async throws -> [Device] {
        for device in devices {
            try await device.close()
            let database = try await AutoDatabase.open(
                at: device.folder.appending("\(device.name).db"),
                models: [Person.self, Note.self])
            try database.useNow { try save(device.name) }
            try database.closeNow()
        }
        var started: [Device] = []
        for device in devices {
            device.clock.advance(microseconds: 1_000_000)
            for other in started { try other.carry(to: device) }
            started.append(
                try await Device(device.name, folder: device.folder, clock: device.clock))
        }
        try await exchange(started)
        return started
    }

    @Test func killedProgramLosesNoSavedRow() async throws {
        let folder = try TemporaryFolder()
        let (path, package) = (folder.appending("desk.db"), folder.appending("Notes.store"))
        var said: Set<Int64> = []
        for round in 0..<runCount(4) {
            let writer = try RunningProgram("sync-writer", [path, package, "desk"])
            var heard: [String] = []
            // The kill may hit any point.
            while heard.count < 3 + round * 4, let line = try writer.line() { heard.append(line) }
            try writer.end()
            said.formUnion((heard + (try writer.lines())).compactMap { Int64($0) })
        }
        let database = try await AutoDatabase.open(at: path, models: [Entry.self])
        let sync = try await AutoSync.start(
            database, in: StorePackage(creating: package), device: DeviceID("desk"))
        let rows = try database.rowsNow("SELECT id, count FROM Entry")
        let entities = try await sync.entities.records()
        let there = Set(
            entities.filter { $0.properties[value: "count"] == 1 }.map(\.identifier))
        #expect(said.count >= 3 && said.allSatisfy { there.contains("Entry-\($0)") })
        #expect(entities.count == rows.count)
        #expect(try database.waiting().isEmpty)
        await sync.stop()
        try database.closeNow()
    }

    @Test func rowsThatThePackageLacksAreKept() async throws {
        let folder = try TemporaryFolder()
        let desk = try await Device("desk", folder: folder)
        let (notes, person) = try desk.use {
            let notes = try ["kept", "edited", "deleted"].map { text in
                try Note.create { $0.text = text }
            }
            let person = try Person.create { $0.name = "Nina" }
            try desk.database.saveAllChanges()
            return (notes.map(\.id), person.id)
        }
        try await desk.close()
        let (package, away) = (desk.package, folder.appending("Away.store"))
        try FileManager.default.moveItem(atPath: package, toPath: away)

        // The package is new, so it has no entities, but also no deletions.
        let other = try await Device("desk", folder: folder)
        let texts = try other.use { try Note.fetch(notes).map(\.text) }
        #expect(Set(texts) == ["kept", "edited", "deleted"])
        let new = try other.use {
            let edited = try #require(try Note.fetch(notes[1]))
            edited.text = "later"
            try edited.save()
            try Note.fetch(notes[2])?.delete()
            let new = try Note.create { $0.author = Reference(id: person) }
            try new.save()
            return new.id
        }
        try await other.sync.sync()
        #expect(try other.note(notes[1])?.text == "later")
        #expect(try other.note(new)?.author.id == person)
        try await other.close()

        // The first package returns and receives the edit and the deletion.
        try FileManager.default.removeItem(atPath: package)
        try FileManager.default.moveItem(atPath: away, toPath: package)
        let again = try await Device("desk", folder: folder)
        #expect(try again.note(notes[0])?.text == "kept")
        #expect(try again.note(notes[1])?.text == "later")
        #expect(try again.note(notes[2]) == nil)
        #expect(try again.note(new)?.author.id == person)
        let entities = try await again.sync.entities.records(EntityQuery(type: "Note"))
        #expect(Set(entities.map { $0.properties[value: "text"] }) == ["kept", "later", ""])
        let authors = entities.compactMap {
            $0.properties["author"]?.value.relationship?.identifier
        }
        #expect(authors == ["Person-\(person)"])
        #expect(try again.database.waiting().isEmpty)
        try await again.close()
    }

    @Test func rowsOfANewlySyncedModelAreSent() async throws {
        let folder = try TemporaryFolder()
        let database = try open(folder, [Before.Note.self, Before.Person.self])
        try database.useNow { try Before.Note.create { $0.text = "old" }.save() }
        try database.closeNow()
        let desk = try await Device("desk", folder: folder)
        let entities = try await desk.sync.entities.records()
        #expect(entities.map { $0.properties[value: "text"] } == ["old"])
        try await desk.close()
    }

    @Test func renamedColumnKeepsUnsentAndReceivedValues() async throws {
        let folder = try TemporaryFolder()
        let desk = try await Device("desk", folder: folder)
        let id = try desk.use {
            let note = try Note.create { $0.text = "one" }
            try note.save()
            return note.id
        }
        try await desk.close()
        try written(folder) { _ in
            let note = try #require(try Note.fetch(id))
            note.stars = 8
            try note.save()
        }
        let database = try open(folder, [After.Note.self])
        let sync = try await AutoSync.start(
            database, in: StorePackage(creating: desk.package), device: DeviceID("desk"))
        let properties = try await sync.entities.properties(of: [.identifier("Note-\(id)")]).first
        #expect(properties??[value: "points"] == 8)
        let text = try database.useNow { try After.Note.fetch(id)?.text }
        #expect(text == "one")
        await sync.stop()
        try database.closeNow()
    }

    @Test func modelWithAscendingIDsIsRefused() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: AutoModelError.self) {
            try open(folder, [Numbered.self])
        }
        #expect(error?.code == .declaration)
    }

    /// Writes while no sync runs.
    @discardableResult
    private func written<Result>(
        _ folder: TemporaryFolder, _ body: (AutoDatabase) throws -> Result
    ) throws -> Result {
        let database = try open(folder, [Person.self, Note.self])
        defer { try? database.close() }
        return try database.use { try body(database) }
    }

    private func open(
        _ folder: TemporaryFolder, _ models: [any AutoRecord.Type]
    ) throws -> AutoDatabase {
        try AutoDatabase.open(at: folder.appending("desk.db"), models: models)
    }
}

/// The declaration of the program `sync-writer`.
@AutoModel private final class Entry {
    var text = ""
    var count = 0
    static var schema: ModelSchema<Entry> { ModelSchema().synced() }
}

private enum Before {
    @AutoModel final class Note {
        var text = ""
    }
    @AutoModel final class Person { var name = "" }
}

private enum After {
    @AutoModel final class Note {
        var text = ""
        @Column(formerly: "stars") var points = 0
        static var schema: ModelSchema<Note> {
            ModelSchema().synced()
                .removed("weight", "isPinned", "due", "mood", "tags", "data", "author")
        }
    }
}

@AutoModel(ids: .ascending) private final class Numbered {
    var name = ""
    static var schema: ModelSchema<Numbered> { ModelSchema().synced() }
}
