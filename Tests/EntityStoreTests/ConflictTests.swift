import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

/// Properties that devices set concurrently.
@Suite struct ConflictTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private let clock = TestClock()
    private let note = EntityReference.identifier("note")

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
    }

    /// A device that reads other logs only when `sync()` is called.
    private func open(_ device: String) async throws -> EntityStore {
        var configuration = EntityStore.Configuration(clock: clock.hybrid)
        configuration.watchesFolder = false
        return try await EntityStore.open(
            package, device: DeviceID(device), configuration: configuration)
    }

    /// Two devices that have both seen a note with a title.
    private func pair() async throws -> (desk: EntityStore, phone: EntityStore) {
        let desk = try await open("desk")
        try await desk.add([(.new("note", identifier: "note"), ["title": "first"])])
        return (desk, try await open("phone"))
    }

    private func set(
        _ value: EntityValue, of key: String = "title", on store: EntityStore
    ) async throws {
        clock.advance(microseconds: 1_000_000)
        var properties = PropertyDictionary()
        properties[value: key] = value
        let written = properties
        try await store.set([(note, written)])
    }

    private func exchange(_ stores: EntityStore...) async throws {
        for store in stores { try await store.sync() }
    }

    private func values(_ conflict: EntityConflict?) -> [EntityValue] {
        conflict?.sides.map(\.property.value) ?? []
    }

    @Test func concurrentSetsConflictUntilAWriterHasSeenBoth() async throws {
        let (desk, phone) = try await pair()
        try await set("of the desk", on: desk)
        try await set("of the phone", on: phone)
        try await exchange(desk, phone)
        for store in [desk, phone] {
            #expect(await store.conflictCount == 1)
            let conflict = try #require(await store.conflicts().first)
            #expect(conflict.identifier == "note" && conflict.key == "title")
            #expect(conflict.type == "note")
            #expect(values(conflict) == ["of the phone", "of the desk"])
            #expect(conflict.sides.map(\.id.device.name) == ["phone", "desk"])
            #expect(conflict.base?.property.value == "first")
            #expect(
                try await store.conflicts(of: [note, .identifier("none")]) == [[conflict], []])
            #expect(try await store.records().first?.conflicts == ["title"])
        }
        #expect(await desk.conflicts(types: ["book"]).isEmpty)
        #expect(try EntitySummary.read(package: package).conflictCount == 1)
        try await set("of both", on: desk)
        try await exchange(desk, phone)
        for store in [desk, phone] {
            #expect(await store.conflictCount == 0)
            #expect(await store.conflicts().isEmpty)
            #expect(try await store.values(of: "title", in: [note])[0].count == 1)
        }
    }

    @Test func baseIsTheNewestValueThatAllSidesHadSeen() async throws {
        let (desk, phone) = try await pair()
        try await set("second", on: phone)
        try await desk.sync()
        // A value in between that the other side hadn't seen is not the base.
        try await set("on the way", on: desk)
        try await set("of the desk", on: desk)
        try await set("of the phone", on: phone)
        try await exchange(desk, phone)
        for store in [desk, phone] {
            #expect(await store.conflicts().first?.base?.property.value == "second")
        }
    }

    @Test func baseOfTwoProcessesIsAValueThatBothHadSeen() async throws {
        let (desk, phone) = try await pair()
        let window = try await open("desk")
        try await set("on the way", on: desk)
        try await set("of the desk", on: desk)
        try await set("of its other window", on: window)
        try await exchange(desk, phone, window)
        for store in [desk, phone, window] {
            let conflict = await store.conflicts().first
            #expect(values(conflict) == ["of its other window", "of the desk"])
            #expect(conflict?.base?.property.value == "first")
        }
    }

    @Test func removalInOneProcessKeepsTheCausesOfAnother() async throws {
        let (desk, phone) = try await pair()
        let window = try await open("desk")
        try await set("second", on: phone)
        try await desk.sync()
        try await set("of the desk", on: desk)
        try await set("of the phone", on: phone)
        clock.advance(microseconds: 1_000_000)
        try await window.remove(["title"], of: [note])
        try await exchange(desk, phone, window)
        for store in [desk, phone, window] {
            let conflict = await store.conflicts().first
            #expect(values(conflict) == ["of the phone", "of the desk"])
            #expect(conflict?.base?.property.value == "second")
        }
    }

    @Test func baseIsTheLastWrittenValueWhateverItsDatestamp() async throws {
        let (desk, phone) = try await pair()
        clock.advance(microseconds: 1_000_000)
        let undo = try await desk.perform(.set(note, ["title": "undone"], keepsOthers: false)).undo
        // The restored value keeps its earlier datestamp.
        clock.advance(microseconds: 1_000_000)
        _ = try await desk.perform(.revert(undo))
        try await phone.sync()
        try await set("of the desk", on: desk)
        try await set("of the phone", on: phone)
        try await exchange(desk, phone)
        for store in [desk, phone] {
            #expect(await store.conflicts().first?.base?.property.value == "first")
        }
    }

    /// Two devices with different titles, and a third that has seen both.
    private func disagreeing() async throws -> [EntityStore] {
        let (desk, phone) = try await pair()
        let tablet = try await open("tablet")
        try await set("second", on: phone)
        try await exchange(desk, tablet)
        try await set("of the desk", on: desk)
        try await set("of the phone", on: phone)
        try await exchange(desk, phone, tablet)
        return [desk, phone, tablet]
    }

    /// The sides and the base of a conflict, with their authors and dates.
    private func said(_ conflict: EntityConflict?) -> [String] {
        guard let conflict else { return [] }
        return (conflict.sides + (conflict.base.map { [$0] } ?? [])).map {
            "\($0.author) \($0.property.device?.name ?? "") \($0.authored.microseconds) "
                + "\($0.property.value.text)"
        }
    }

    @Test(arguments: 0..<3)
    func undoingAResolutionRestoresTheConflict(resolver: Int) async throws {
        let stores = try await disagreeing()
        let before = said(await stores[0].conflicts().first)
        #expect(before.count == 3)
        for round in 1...2 {
            clock.advance(microseconds: 1_000_000)
            var undo = try await stores[resolver].perform(
                .set(note, ["title": "of both"], keepsOthers: false)
            ).undo
            #expect(undo.conflicts.map { $0.devices.map(\.name) } == [["phone", "desk"]])
            clock.advance(microseconds: 1_000_000)
            undo = try JSONDecoder().decode(EntityUndo.self, from: JSONEncoder().encode(undo))
            let again = try await stores[resolver].perform(.revert(undo)).undo
            try await exchange(stores[0], stores[1], stores[2])
            for store in stores + [try await open("late")] {
                #expect(said(await store.conflicts().first) == before, "round \(round)")
            }
            // Redoing ends the conflict, and undoing that restores it again.
            clock.advance(microseconds: 1_000_000)
            let redone = try await stores[resolver].perform(.revert(again)).undo
            try await exchange(stores[0], stores[1], stores[2])
            #expect(await stores[0].conflictCount == 0)
            clock.advance(microseconds: 1_000_000)
            _ = try await stores[resolver].perform(.revert(redone))
            try await exchange(stores[0], stores[1], stores[2])
            for store in stores { #expect(said(await store.conflicts().first) == before) }
        }
        try await set("of all", on: stores[1])
        try await exchange(stores[0], stores[2])
        for store in stores { #expect(await store.conflictCount == 0) }
    }

    /// The values that led to a conflict, each with the values that it replaced.
    private func lineage(_ store: EntityStore, limit: Int = 60) async throws -> [String] {
        let conflict = try #require(await store.conflicts().first)
        let lineage = try await store.lineage(of: conflict, limit: limit)
        return lineage.writes.map { write in
            let known = write.parents.map { lineage.writes[$0].entry.property.value.text }
            let side = write.side.map {
                conflict.sides[$0].property.value == write.entry.property.value
            }
            return "\(write.entry.author) \(write.entry.property.value.text) < "
                + known.joined(separator: ", ") + (side.map { $0 ? " side" : " WRONG" } ?? "")
        } + (lineage.hasMore ? ["more"] : [])
    }

    @Test func lineageListsTheWritesThatLedToAConflict() async throws {
        let (desk, phone) = try await pair()
        try await set("second", on: phone)
        try await desk.sync()
        try await set("desk one", on: desk)
        try await set("phone one", on: phone)
        try await set("desk two", on: desk)
        try await set("phone two", on: phone)
        try await set("another", of: "due", on: phone)
        try await exchange(desk, phone)
        let wanted = [
            "phone phone two < phone one side", "desk desk two < desk one side",
            "phone phone one < second", "desk desk one < second", "phone second < ",
        ]
        for store in [desk, phone, try await open("tablet")] {
            #expect(try await lineage(store) == wanted)
            let newest = wanted.prefix(2).map { $0.replacing(/< .* side/, with: "<  side") }
            #expect(try await lineage(store, limit: 2) == newest + ["more"])
        }
        // Restored values appear under their original writes.
        clock.advance(microseconds: 1_000_000)
        let undo = try await desk.perform(
            .set(note, ["title": "of both"], keepsOthers: false)
        ).undo
        clock.advance(microseconds: 1_000_000)
        _ = try await desk.perform(.revert(undo))
        try await exchange(phone)
        for store in [desk, phone] { #expect(try await lineage(store) == wanted) }
    }

    @Test func restatedValueMustMatchTheOtherDevicesEntry() async throws {
        let stores = try await disagreeing()
        clock.advance(microseconds: 1_000_000)
        let undo = try await stores[2].perform(
            .set(note, ["title": "of both"], keepsOthers: false)
        ).undo
        let text = String(decoding: try JSONEncoder().encode(undo), as: UTF8.self)
        let forged = Data(text.replacing("of the desk", with: "never said").utf8)
        let record = try JSONDecoder().decode(EntityUndo.self, from: forged)
        _ = try await stores[2].perform(.revert(record))
        try await stores[0].sync()
        let sides = try #require(await stores[0].conflicts().first?.sides)
        #expect(sides.map(\.property.value) == ["of the phone", "never said"])
        #expect(sides.map(\.author.name) == ["phone", "tablet"])
    }

    @Test func restoredValueStillCountsAsSet() async throws {
        let (desk, phone) = try await pair()
        try await set("of the desk", on: desk)
        clock.advance(microseconds: 1_000_000)
        let undo = try await desk.perform(.set(note, ["title": "undone"], keepsOthers: false)).undo
        clock.advance(microseconds: 1_000_000)
        _ = try await desk.perform(.revert(undo))
        try await set("of the phone", on: phone)
        try await exchange(desk, phone)
        for store in [desk, phone] {
            #expect(
                values(await store.conflicts().first) == ["of the phone", "of the desk"])
        }
    }

    @Test func lastValueOfACallWins() async throws {
        let (desk, _) = try await pair()
        try await desk.set([(note, ["title": "one"]), (note, ["title": "two", "due": "x"])])
        #expect(await desk.conflictCount == 0)
        #expect(try await desk.values(of: "title", in: [note])[0].map(\.value) == ["two"])
        #expect(try await desk.value("due", of: note) == "x")
    }

    @Test func concurrentChangesToPartsOfAValueConflict() async throws {
        let (desk, phone) = try await pair()
        try await set(["w": 1, "h": 1], of: "size", on: desk)
        try await phone.sync()
        let changes: [(EntityStore, EntityValue)] = [
            (desk, ["w": 2, "h": 1]), (phone, ["w": 1, "h": 2]),
        ]
        for (store, value) in changes {
            clock.advance(microseconds: 1_000_000)
            let entry = try #require(
                try await store.entries(of: [note])[0].first { $0.key == "size" && $0.isCurrent })
            _ = try await store.perform(
                .replace([entry.id], key: "size", with: Property(value), of: note))
        }
        try await exchange(desk, phone)
        for store in [desk, phone] {
            let conflict = await store.conflicts().first
            #expect(values(conflict) == [["w": 1, "h": 2], ["w": 2, "h": 1]])
            #expect(conflict?.base?.property.value == ["w": 1, "h": 1])
        }
        // A side with one changed part is still one side.
        let side = try #require(await desk.conflicts().first?.sides.first)
        clock.advance(microseconds: 1_000_000)
        _ = try await desk.perform(
            .replace([side.id], key: "size", with: Property(["w": 3, "h": 2]), of: note))
        try await exchange(phone)
        for store in [desk, phone] {
            #expect(
                values(await store.conflicts().first) == [["w": 3, "h": 2], ["w": 2, "h": 1]])
        }
    }

    @Test func ownLogShorterThanOthersHaveSeenRefusesWrites() async throws {
        let (desk, phone) = try await pair()
        let file = package.path + "/Devices/desk/Entities.db"
        let before = try Data(contentsOf: URL(filePath: file))
        for number in 1...5 { try await set(.string("title \(number)"), on: desk) }
        await desk.close()
        try await phone.sync()
        try await set("of the phone", on: phone)
        // The file is restored from an earlier copy.
        try before.write(to: URL(filePath: file))
        let again = try await open("desk")
        let error = await #expect(throws: EntityStoreError.self) {
            try await again.set([(self.note, ["title": "lost"])])
        }
        #expect(error?.code == .ownLogUnreadable)
        #expect(error?.message.contains(#/row \d/#) == true)
        try await exchange(phone, again)
        #expect(try await phone.value("title", of: note) == "of the phone")
    }

    @Test func initialSetValuesConflictToo() async throws {
        let (desk, phone) = try await pair()
        try await set("Monday", of: "due", on: desk)
        let due: PropertyDictionary = ["due": "Tuesday"]
        try await phone.update([(note, due)])
        try await exchange(desk, phone)
        for store in [desk, phone] {
            let conflict = await store.conflicts().first
            #expect(Set(values(conflict)) == ["Monday", "Tuesday"])
            #expect(conflict?.base == nil)
        }
        let again = try await open("tablet")
        #expect(await again.conflicts() == desk.conflicts())
    }

    private func makeSettings(
        on store: EntityStore, _ properties: PropertyDictionary
    ) async throws {
        clock.advance(microseconds: 1_000_000)
        try await store.add([(.new("settings", identifier: "settings"), properties)])
    }

    /// Two devices that both created the settings, with different themes.
    private func makers() async throws -> (desk: EntityStore, phone: EntityStore) {
        let (desk, phone) = (try await open("desk"), try await open("phone"))
        try await makeSettings(on: desk, ["theme": "dark", "size": 1])
        try await makeSettings(on: phone, ["theme": "light", "size": 1])
        return (desk, phone)
    }

    @Test func concurrentCreationConflictsIfInitialValuesDiffer() async throws {
        let (desk, phone) = try await makers()
        try await exchange(desk, phone)
        let late = try await open("tablet")
        for store in [desk, phone, late] {
            let conflicts = await store.conflicts()
            #expect(conflicts.map(\.key) == ["theme"])
            #expect(values(conflicts.first) == ["light", "dark"])
            #expect(conflicts.first.map { $0.base == nil } == true)
        }
        let settled: PropertyDictionary = ["theme": "gray"]
        try await desk.set([(.identifier("settings"), settled)])
        try await exchange(phone, late)
        for store in [desk, phone, late] { #expect(await store.conflictCount == 0) }
    }

    @Test func laterSetConflictsWithTheOthersInitialValue() async throws {
        let (desk, phone) = try await makers()
        let black: PropertyDictionary = ["theme": "black"]
        clock.advance(microseconds: 1_000_000)
        try await desk.set([(.identifier("settings"), black)])
        try await exchange(desk, phone)
        for store in [desk, phone] {
            let conflict = await store.conflicts().first
            #expect(values(conflict) == ["black", "light"])
            #expect(conflict.map { $0.base == nil } == true)
        }
    }

    @Test func severalInitialValuesAreNotInConflict() async throws {
        let (desk, phone) = (try await open("desk"), try await open("phone"))
        let more: PropertyDictionary = ["tag": "two"]
        try await desk.add([
            (.new("settings", identifier: "settings"), ["tag": "one"]),
            (.identifier("settings"), more),
        ])
        try await makeSettings(on: phone, ["tag": "three"])
        try await exchange(desk, phone)
        for store in [desk, phone] {
            #expect(await store.conflictCount == 0)
            let tags = try await store.values(of: "tag", in: [.identifier("settings")])[0]
            #expect(Set(tags.map(\.value)) == ["one", "two", "three"])
        }
    }

    @Test func recreatedEntityIsNotInConflictWithDeletedValues() async throws {
        let desk = try await open("desk")
        try await makeSettings(on: desk, ["theme": "dark"])
        let phone = try await open("phone")
        clock.advance(microseconds: 1_000_000)
        try await phone.delete([.identifier("settings")])
        try await makeSettings(on: phone, ["theme": "light"])
        try await exchange(desk, phone)
        for store in [desk, phone, try await open("tablet")] {
            #expect(await store.conflictCount == 0)
            #expect(try await store.value("theme", of: .identifier("settings")) == "light")
        }
    }

    @Test func initialValueStaysASideWhenRestoredOrPartlyChanged() async throws {
        let (desk, phone) = try await makers()
        clock.advance(microseconds: 1_000_000)
        let reference = EntityReference.identifier("settings")
        let undo = try await desk.perform(
            .set(reference, ["theme": "undone"], keepsOthers: false)
        ).undo
        clock.advance(microseconds: 1_000_000)
        _ = try await desk.perform(.revert(undo))
        try await exchange(desk, phone)
        let side = try #require(await phone.conflicts().first?.sides.first)
        #expect(side.property.value == "light")
        clock.advance(microseconds: 1_000_000)
        _ = try await phone.perform(
            .replace([side.id], key: "theme", with: Property("lighter"), of: reference))
        try await exchange(desk)
        for store in [desk, phone] {
            #expect(values(await store.conflicts().first) == ["lighter", "dark"])
        }
    }

    @Test func undoingADeletionRestoresTheConflict() async throws {
        let (desk, phone) = try await makers()
        try await exchange(desk, phone)
        clock.advance(microseconds: 1_000_000)
        let removal = try await desk.delete([.identifier("settings")])
        #expect(await desk.conflictCount == 0)
        try await desk.restore(removal)
        try await phone.sync()
        for store in [desk, phone] {
            #expect(await store.conflicts().map(\.key) == ["theme"])
        }
    }

    @Test func restoringAnEntityWritesOneRowForItAndOnePerValue() async throws {
        let desk = try await open("desk")
        try await makeSettings(on: desk, ["theme": "dark", "size": 1])
        let removal = try await desk.delete([.identifier("settings")])
        let before = await desk.devices.first?.rows ?? 0
        try await desk.restore(removal)
        #expect(await desk.devices.first?.rows == before + 3)
    }

    @Test func addedAndEqualValuesAreNotInConflict() async throws {
        let (desk, phone) = try await pair()
        let label: PropertyDictionary = ["label": "x", "title": "more"]
        try await desk.add([(note, label)])
        try await phone.add([(note, label)])
        try await set("same", of: "state", on: desk)
        try await set("same", of: "state", on: phone)
        // A value added concurrently with a set value may be intended, so it isn't a conflict.
        try await set("red", of: "color", on: desk)
        let color: PropertyDictionary = ["color": "blue"]
        try await phone.add([(note, color)])
        try await exchange(desk, phone)
        for store in [desk, phone] {
            #expect(await store.conflictCount == 0)
            #expect(try await store.records().first?.conflicts == [])
        }
    }

    @Test func deletingTheEntityOrThePropertyEndsAConflict() async throws {
        for isDeleted in [true, false] {
            let (desk, phone) = try await pair()
            try await set("of the desk", on: desk)
            try await set("of the phone", on: phone)
            try await exchange(desk, phone)
            #expect(await desk.conflictCount == 1)
            if isDeleted {
                try await phone.delete([note])
            } else {
                try await phone.remove(["title"], of: [note])
            }
            try await exchange(desk)
            #expect(await desk.conflictCount == 0)
            #expect(await phone.conflictCount == 0)
            try await desk.delete([note])
            await desk.close()
            await phone.close()
        }
    }

    @Test func conflictEventsReportStartAndEnd() async throws {
        let (desk, phone) = try await pair()
        let reported = desk.events()
        try await set("of the desk", on: desk)
        try await set("of the phone", on: phone)
        try await desk.sync()
        try await set("of both", on: desk)
        await desk.close()
        #expect(
            await conflicts(in: reported)
                == [#"title: ["of the phone", "of the desk"]"#, "title of note"])
    }

    @Test func replacingALogReportsConflictChanges() async throws {
        let (desk, phone) = try await pair()
        try await set("one", of: "due", on: phone)
        let file = URL(filePath: package.path + "/Devices/phone/Entities.db")
        let before = try Data(contentsOf: file)
        try await set("of the phone", on: phone)
        await phone.close()
        let after = try Data(contentsOf: file)
        try await set("of the desk", on: desk)
        try await set("two", of: "due", on: desk)
        try await desk.sync()
        #expect(await desk.conflicts().map(\.key) == ["due", "title"])
        let reported = desk.events()
        for log in [before, after] {
            try log.write(to: file, options: .atomic)
            try await desk.sync()
        }
        await desk.close()
        #expect(
            await conflicts(in: reported)
                == ["title of note", #"title: ["of the desk", "of the phone"]"#])
    }

    /// The conflicts in events: the values of new ones, and the names of those that ended.
    private func conflicts(in reported: AsyncStream<EntityStore.Event>) async -> [String] {
        var events: [String] = []
        for await event in reported {
            switch event.kind {
            case .conflict(let conflict, _):
                events.append("\(conflict.key): \(values(conflict).map(\.text))")
            case .resolved(let identifier, let key): events.append("\(key) of \(identifier)")
            default: break
            }
        }
        return events
    }

    @Test func snapshotHasTheConflictsOfItsTime() async throws {
        let (desk, phone) = try await pair()
        try await set("of the desk", on: desk)
        try await set("of the phone", on: phone)
        try await exchange(desk, phone)
        let then = clock.now
        try await set("of both", on: phone)
        try await desk.sync()
        let past = try await desk.snapshot(at: then)
        #expect(await past.conflicts().map(\.key) == ["title"])
        #expect(await desk.conflictCount == 0)
        await past.close()
    }
}
