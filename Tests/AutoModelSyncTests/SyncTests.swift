import AutoModel
import AutoModelSync
import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct SyncTests {
    @Test func writesReachTheOtherDevice() async throws {
        try await withDevices("desk", "phone") { devices in
            let (desk, phone) = (devices[0], devices[1])
            let note = try desk.use {
                let nina = try Person.create { $0.name = "Nina" }
                let note = try Note.create {
                    $0.text = "One"
                    $0.stars = -3
                    $0.weight = 0.1
                    $0.isPinned = true
                    $0.due = Date(timeIntervalSince1970: 1_700_000_000.123_456_7)
                    $0.mood = .loud
                    $0.tags = ["a", "b"]
                    $0.data = Data([0, 255])
                    $0.author = Reference(nina)
                    $0.readers.set([nina, nina])
                }
                try desk.database.saveAllChanges()
                return note
            }
            try await exchange(devices)
            #expect(try desk.state() == phone.state() && phone.state().count == 4)
            let other = try #require(try phone.note(note.id))
            #expect(other !== note && other.tags == ["a", "b"] && other.mood == .loud)
            try phone.use {
                let (author, readers) = (try other.author.object(), try other.readers.objects())
                #expect(author?.name == "Nina" && readers.count == 2)
            }
            // Programs that don't use models read the same data.
            let entities = try await phone.sync.entities.records(EntityQuery(type: "Note"))
            let properties = try #require(entities.first?.properties)
            #expect(properties[value: "text"] == "One" && properties[value: "isPinned"] == true)
            #expect(properties["due"]?.value.kind == .double)
            #expect(properties["author"]?.value.kind == .relationship)
        }
    }

    @Test func newestValueWinsAndTheOtherIsAConflict() async throws {
        try await withDevices("desk", "phone") { devices in
            let (desk, phone) = (devices[0], devices[1])
            let note = try desk.use { try saved { $0.text = "first" } }
            try await exchange(devices)
            let other = try #require(try phone.note(note.id))
            try phone.use {
                try set(other) {
                    $0.text = "phone"; $0.stars = 4
                }
            }
            phone.clock.advance(microseconds: 50_000)
            desk.clock.advance(microseconds: 1_000_000)
            try desk.use { try set(note) { $0.text = "desk" } }
            try await exchange(devices)
            // A property that only one device set isn't affected.
            for each in [note, other] { #expect(each.text == "desk" && each.stars == 4) }
            for device in devices {
                let conflicts = try await device.sync.conflicts()
                #expect(conflicts.map(\.column) == ["text"])
                #expect(conflicts.first?.values.map(\.value) == ["desk", "phone"])
                #expect(conflicts.first?.values.map(\.device.name) == ["desk", "phone"])
            }
            let conflict = try #require(try await phone.sync.conflicts().first)
            try await phone.sync.resolve(conflict, with: "phone")
            #expect(other.text == "phone")
            try await exchange(devices)
            #expect(note.text == "phone")
            #expect(try await desk.sync.conflicts().isEmpty)
        }
    }

    @Test func conflictOfAReferenceIsResolvedOnlyWithARow() async throws {
        try await withDevices("desk", "phone") { devices in
            let (desk, phone) = (devices[0], devices[1])
            let note = try desk.use { try saved { $0.text = "first" } }
            try await exchange(devices)
            let other = try #require(try phone.note(note.id))
            let first = try desk.use { try savedPerson() }
            try desk.use { try set(note) { $0.author = Reference(first) } }
            let second = try phone.use { try savedPerson() }
            try phone.use { try set(other) { $0.author = Reference(second) } }
            try await exchange(devices)
            let conflict = try #require(try await phone.sync.conflicts().first)
            #expect(conflict.column == "author")
            await #expect(throws: EntityStoreError.self) {
                try await phone.sync.resolve(conflict, with: .integer(1))
            }
            #expect(try await phone.sync.conflicts().count == 1)
            // The row may still be unsent.
            let third = try phone.use { try savedPerson() }
            try await phone.sync.resolve(conflict, with: .integer(third.id))
            try await exchange(devices)
            #expect(note.author.id == third.id && other.author.id == third.id)
            #expect(try await phone.sync.conflicts().isEmpty)
        }
    }

    @Test func rowsWithTheSameIdConflictInColumnsThatDiffer() async throws {
        try await withDevices("desk", "phone") { devices in
            for device in devices {
                try device.use {
                    let note = try Note.create(id: 7) {
                        $0.text = "of \(device.name)"; $0.stars = 4
                    }
                    try note.save()
                }
            }
            try await exchange(devices)
            for device in devices {
                let conflicts = try await device.sync.conflicts()
                #expect(conflicts.map(\.column) == ["text"])
                #expect(
                    Set(conflicts.first?.values.map(\.value) ?? []) == ["of desk", "of phone"])
            }
        }
    }

    @Test func deletionWinsOverConcurrentWrites() async throws {
        try await withDevices("desk", "phone") { devices in
            let (desk, phone) = (devices[0], devices[1])
            let person = try desk.use { try savedPerson() }
            let note = try desk.use { try saved { $0.author = Reference(person) } }
            try await exchange(devices)
            let other = try #require(try phone.note(note.id))
            try desk.use { try person.delete() }
            try desk.use { try note.delete() }
            try phone.use { try set(other) { $0.text = "late" } }
            try await exchange(devices)
            #expect(other.isDeleted && note.isDeleted)
            #expect(try desk.state().isEmpty && phone.state().isEmpty)
        }
    }

    @Test func referencesToADeletedRowBecomeNilEverywhere() async throws {
        try await withDevices("desk", "phone") { devices in
            let (desk, phone) = (devices[0], devices[1])
            let person = try desk.use { try savedPerson() }
            try await exchange(devices)
            try desk.use { try person.delete() }
            let note = try phone.use { try saved { $0.author = Reference(id: person.id) } }
            try await exchange(devices)
            #expect(note.author.id == nil)
            #expect(try desk.state() == phone.state())
        }
    }

    @Test func concurrentListChangesAreMerged() async throws {
        try await withDevices("desk", "phone") { devices in
            let (desk, phone) = (devices[0], devices[1])
            let people = try desk.use {
                let people = try (0..<4).map { number in try Person.create { $0.name = "\(number)" }
                }
                try desk.database.saveAllChanges()
                return people
            }
            let note = try desk.use { try saved { $0.readers.set([people[0], people[1]]) } }
            try await exchange(devices)
            let other = try #require(try phone.note(note.id))
            func names(_ note: Note, _ device: Device) throws -> [String] {
                try device.use { try note.readers.objects().map(\.name) }
            }
            #expect(try names(other, phone) == ["0", "1"])
            try desk.use {
                note.readers.set([people[2], people[1]])
                try note.save()
            }
            try phone.use {
                try other.readers.append(try #require(try Person.fetch(people[3].id)))
                try other.save()
            }
            try await exchange(devices)
            #expect(try names(note, desk) == names(other, phone))
            #expect(try names(note, desk) == ["2", "1", "3"])
        }
    }

    @Test func entityWritesReachTheTable() async throws {
        try await withDevices("desk") { devices in
            let desk = devices[0]
            let note = try desk.use { try saved { $0.text = "app" } }
            try await desk.sync.sync()
            // Another program writes concurrently.
            let other = try await EntityStore.open(
                package: desk.package, device: DeviceID("tideline"))
            try await other.update([
                (.identifier("Note-\(note.id)"), ["text": "screen", "stars": "no number"]),
                (.new("Note", identifier: "by hand"), ["text": "made", "due": .date(.earliest)]),
            ])
            try await desk.sync.sync()
            #expect(note.text == "screen" && note.stars == 0)
            let made = try #require(
                try desk.use { try Note.where { $0.text == "made" }.first() })
            try desk.use { try set(made) { $0.stars = 5 } }
            try await desk.sync.sync()
            try await other.sync()
            let hand = try await other.records(of: [.identifier("by hand")]).first ?? nil
            #expect(hand?.properties[value: "stars"] == 5)
            try await other.delete([.identifier("by hand")])
            try await desk.sync.sync()
            #expect(made.isDeleted)
            await other.close()
        }
    }

    @Test func receivedValuesKeepUnsavedChanges() async throws {
        try await withDevices("desk", "phone") { devices in
            let (desk, phone) = (devices[0], devices[1])
            let note = try desk.use { try saved { $0.text = "first" } }
            try await exchange(devices)
            let other = try #require(try phone.note(note.id))
            note.text = "not saved"
            try phone.use {
                try set(other) {
                    $0.text = "phone"; $0.stars = 9
                }
            }
            try await exchange(devices)
            #expect(note.text == "not saved" && note.stars == 9 && note.hasChanges)
            try desk.use { try note.save() }
            try await exchange(devices)
            #expect(other.text == "not saved")
        }
    }

    @Test func receivedChangesUpdateLiveLists() async throws {
        let folder = try TemporaryFolder()
        let package = folder.appending("Notes.store")
        let desk = try await Device("desk", package: package, watches: true, usesRealClock: true)
        let phone = try await Device("phone", package: package, watches: true, usesRealClock: true)
        var list = try desk.use { try Note.all.live() }.makeAsyncIterator()
        #expect(try await list.next()?.list.count == 0)
        let note = try phone.use { try saved { $0.text = "arrives" } }
        let inserted = try #require(try await list.next())
        #expect(inserted.list.map(\.text) == ["arrives"])
        try phone.use { try set(note) { $0.text = "changes" } }
        let changed = try #require(try await list.next())
        #expect(changed.changed == [0] && changed.list[0].text == "changes")
        try phone.use { try note.delete() }
        #expect(try await list.next()?.removed == [0])
        try await desk.close()
        try await phone.close()
    }

    private func savedPerson() throws -> Person {
        let person = try Person.create { $0.name = "Nina" }
        try person.save()
        return person
    }

    private func saved(_ prepare: (Note) throws -> Void) throws -> Note {
        let note = try Note.create(prepare)
        try note.save()
        return note
    }

    private func set(_ note: Note, _ change: (Note) throws -> Void) throws {
        try change(note)
        try note.save()
    }
}
