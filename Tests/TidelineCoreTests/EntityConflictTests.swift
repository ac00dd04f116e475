import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Properties that devices set concurrently: display and resolution.
@Suite struct EntityConflictTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private let clock = TestClock()
    private let note = RowID("note")

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
    }

    private func open(_ device: String) async throws -> EntityStore {
        try await EntityStore.open(package, as: device, at: clock)
    }

    /// Writes concurrent values as a desk and a phone.
    private func write(
        _ base: PropertyDictionary, desk: PropertyDictionary, phone: PropertyDictionary
    ) async throws {
        let first = try await open("desk")
        try await first.add([(.new("note", identifier: "note"), base)])
        try await first.add([(.new("book", identifier: "book"), ["name": "Book"])])
        let second = try await open("phone")
        for (store, properties) in [(first, desk), (second, phone)] {
            clock.advance(microseconds: 60_000_000)
            try await store.set([(.identifier("note"), properties)])
        }
        await first.close()
        await second.close()
    }

    /// Opens a session on the package and waits until its entities are loaded.
    private func session(device: String? = "tablet", isWritable: Bool = true) async throws
        -> PaneSession
    {
        let session = try await PaneSession(
            package.path, device: device, isWritable: isWritable)
        let events = session.session.events()
        if try await session.rows(.entities).isEmpty {
            for await event in events where event.kind == .loaded {
                if try await !session.rows(.entities).isEmpty { break }
            }
        }
        return session
    }

    /// Returns the values of a property on disk.
    private func values(of key: String) async throws -> [String] {
        let store = try await EntityStore.open(package, device: nil)
        let values = try await store.values(of: key, in: [.identifier("note")])[0]
        await store.close()
        return values.map(\.value.text)
    }

    @Test func arrivingPropertiesHaveTheirWriteTime() async throws {
        try await write(["name": "N"], desk: ["title": "a"], phone: ["text": "b"])
        let session = try await session()
        let events = EventLog(session.session)
        let phone = try await open("phone")
        clock.advance(microseconds: 60_000_000)
        let late = clock.now
        try await phone.set([(.identifier("note"), ["title": "late"])])
        await phone.close()
        let arrived = await events.next {
            if case .changed(.entities, let rows, false) = $0.kind {
                rows[note] != nil
            } else {
                false
            }
        }
        #expect(arrived?.device?.name == "phone")
        #expect(arrived?.written.map { abs($0.microseconds - late.microseconds) < 1_000 } == true)
        await session.close()
    }

    @Test func conflictIsCountedMarkedFilteredAndExplained() async throws {
        try await write(
            ["name": "N", "title": "a b"], desk: ["title": "a desk"], phone: ["title": "phone b"])
        let session = try await session()
        #expect(session.session.status.conflictCount == 1)
        let rows = try await session.rows(.entities)
        #expect(rows.filter(\.isConflict).map(\.id.name) == ["note"])
        #expect(try await session.names(.entities, "conflict:yes") == ["note"])
        #expect(try await session.names(.entities, "conflict:no") == ["book"])
        let types = try await session.rows(.types)
        #expect(types.filter(\.isConflict).map(\.id.name) == ["note"])
        let table = try #require(try await session.source(.types).open(RowID("note"), at: nil))
        #expect(try await table.window(WindowRequest(count: 9)).rows.map(\.isConflict) == [true])
        let source = try session.source(.entities)
        #expect(source.edits[.resolve] == .available)
        let conflict = try #require(try await source.conflict(of: note, at: nil))
        #expect(conflict.part == FieldPath("title"))
        #expect(conflict.sides.map(\.value) == ["phone b", "a desk"])
        #expect(conflict.sides.map(\.author.name) == ["phone", "desk"])
        #expect(conflict.sides.map(\.isWinner) == [true, false])
        #expect(
            conflict.sides.map(\.reason) == [
                "newest by 60 s", "older; written without seeing phone's value",
            ])
        #expect(conflict.base?.value == "a b")
        // Each changed a different word.
        #expect(conflict.proposal?.value == "phone desk")
        #expect(conflict.proposal?.overlaps == [])
        #expect(try await source.conflict(of: RowID("book"), at: nil) == nil)
        await session.close()
    }

    @Test func choosingASideCanBePreviewedAndUndone() async throws {
        try await write(["title": "first"], desk: ["title": "d"], phone: ["title": "p"])
        let session = try await session()
        let source = try session.source(.entities)
        let conflict = try #require(try await source.conflict(of: note, at: nil))
        let edit = Edit.resolve(note, conflict.resolution(.take(conflict.sides[1].id)))
        let preview = try await source.preview(edit)
        #expect(preview.summary == "resolve p › title with desk's value")
        #expect(
            preview.changes.map(\.asLines) == [
                .init(subject: "p › title", old: .init("\"p\""), new: .init("\"d\""))
            ])
        #expect(preview.warnings.isEmpty)
        let applied = try await source.apply(preview)
        #expect(try await source.conflict(of: note, at: nil) == nil)
        #expect(try await values(of: "title") == ["d"])
        let undo = try #require(applied.undo.first)
        #expect(
            try await source.preview(undo).warnings == [
                "d › title will be in conflict again: phone, desk"
            ])
        for undo in applied.undo { try await session.perform(undo, in: .entities) }
        #expect(try await values(of: "title") == ["p", "d"])
        let again = try #require(try await source.conflict(of: note, at: nil))
        #expect(again.sides.map(\.line) == conflict.sides.map(\.line))
        #expect(again.sides.map(\.author) == conflict.sides.map(\.author))
        #expect(again.sides.map(\.instant) == conflict.sides.map(\.instant))
        #expect(again.sides.map(\.reason) == conflict.sides.map(\.reason))
        #expect(again.base == conflict.base)
        // Its history doesn't show the restored sides as writes of this device.
        let detail = try #require(try await source.detail(of: note, at: nil))
        let history = try #require(detail.sections.first { $0.title.hasPrefix("History") })
        let restored = history.lines.filter { $0.text.contains("  (restored by tablet ") }
        #expect(Set(restored.map(\.label)) == ["phone", "desk"] && restored.count == 2)
        // The restored values keep their dates, but the last write is later.
        let modified = try #require(
            detail.lines("Entity").first { $0.hasPrefix("modified ") })
        #expect(modified.hasPrefix("modified \(conflict.sides[0].instant.secondText.prefix(19))"))
        // The session writes with the clock of this machine.
        if Date() > clock.now.date { #expect(modified.contains("  (last write "), "\(modified)") }
        let listed = try await session.rows(.entities).first { $0.id == note }
        #expect(listed?.device?.name == "phone")
        await session.close()
    }

    @Test func conflictShowsItsHistory() async throws {
        try await write(["title": "first"], desk: ["title": "d"], phone: ["title": "p"])
        let session = try await session()
        let source = try session.source(.entities)
        let conflict = try #require(try await source.conflict(of: note, at: nil))
        let detail = try #require(try await source.conflictDetail(of: note, part: nil, at: nil))
        #expect(detail.sides == conflict.sides.map(\.id))
        #expect(detail.writes.map(\.value) == ["p", "d", "first"])
        #expect(detail.writes.map(\.author.name) == ["phone", "desk", "desk"])
        #expect(detail.writes.map(\.parents) == [[2], [2], []])
        #expect(detail.writes.map(\.side) == [0, 1, nil])
        #expect(detail.writes.map(\.isBase) == [false, false, true])
        #expect(!detail.hasMoreWrites)
        let agreed = try await source.conflictDetail(of: RowID("book"), part: nil, at: nil)
        #expect(agreed == nil)
        await session.close()
    }

    @Test func undoWarnsOnlyIfItReopensAConflict() async throws {
        try await write(["title": "first"], desk: ["due": "Mo"], phone: ["size": 1])
        let session = try await session()
        let source = try session.source(.entities)
        let edit = Edit.set(note, field: FieldPath("title"), TypedText(.string, "mine"))
        let undo = try #require(try await session.perform(edit, in: .entities).undo.first)
        #expect(try await source.preview(undo).warnings.isEmpty)
        await session.close()
    }

    @Test func sameValueResolvesAConflict() async throws {
        try await write(["title": "first"], desk: ["title": "d"], phone: ["title": "p"])
        let session = try await session()
        let source = try session.source(.entities)
        let title = FieldPath("title")
        let typed = try #require(try await source.editableValue(of: note, field: title))
        let preview = try await source.preview(.set(note, field: title, typed))
        #expect(preview.resolvesConflict)
        #expect(preview.changes.allSatisfy { $0.old == $0.new })
        #expect(preview.warnings == [EditPreview.warning(ofResolving: "p › title")])
        _ = try await source.apply(preview)
        #expect(try await source.conflicts(of: note, at: nil).isEmpty)
        await session.close()
    }

    @Test func chosenSideIsWrittenIfTwoShareDeviceAndDatestamp() async throws {
        try await write(["name": "N", "title": "first"], desk: ["due": "Mo"], phone: ["size": 1])
        let windows = [try await open("desk"), try await open("desk")]
        for (window, value) in zip(windows, ["one", "two"] as [EntityValue]) {
            clock.advance(microseconds: 1_000_000)
            var properties = PropertyDictionary()
            properties["title"] = Property(value, datestamp: .earliest)
            let written = properties
            try await window.set([(.identifier("note"), written)])
            await window.close()
        }
        let session = try await session()
        let source = try session.source(.entities)
        let conflict = try #require(try await source.conflict(of: note, at: nil))
        #expect(conflict.sides.map(\.value) == ["two", "one"])
        #expect(Set(conflict.sides.map(\.id)).count == 2)
        for side in conflict.sides {
            let edit = Edit.resolve(note, conflict.resolution(.take(side.id)))
            let preview = try await source.preview(edit)
            #expect(preview.changes.map(\.new?.line) == ["\"\(side.value)\""])
        }
        await session.close()
    }

    @Test func sidesThatLookEqualShowTheirTypes() async throws {
        try await write(
            ["name": "N"], desk: ["title": "1", "due": "Mo"], phone: ["title": 1, "due": "Tu"])
        let session = try await session()
        let source = try session.source(.entities)
        let conflicts = try await source.conflicts(of: note, at: nil)
        #expect(conflicts.map(\.part) == [FieldPath("due"), FieldPath("title")])
        #expect(conflicts.map { $0.sides.map(\.type) } == [[nil, nil], ["integer", "string"]])
        let title = try #require(conflicts.last)
        #expect(title.sides.map(\.line) == ["1  (integer)", "1  (string)"])
        let preview = try await source.preview(
            .resolve(note, title.resolution(.take(title.sides[1].id))))
        #expect(preview.changes.map(\.old?.line) == ["1"])
        #expect(preview.changes.map(\.new?.line) == ["\"1\""])
        await session.close()
    }

    @Test func previewAndStampsComeFromTheSameRows() async throws {
        try await write(["title": "first"], desk: ["due": "Mo"], phone: ["size": 1])
        let context = EntityContext(
            place: .package(package), device: try DeviceID("tablet"), isWritable: true)
        let store = try await context.open()
        // Each title contains the datestamp that it is written with.
        let writing = Task {
            for _ in 0..<300 {
                clock.advance(microseconds: 1_000_000)
                var properties = PropertyDictionary()
                properties["title"] = Property(.string(clock.now.iso8601), datestamp: clock.now)
                let written = properties
                try await store.set([(.identifier("note"), written)])
            }
        }
        var count = 0
        try await wait {
            try await store.records().first?.properties[value: "title"] != "first"
        }
        for _ in 0..<100 {
            let preview = try await context.preview(
                .set(note, field: FieldPath("title"), TypedText(.string, "mine")), type: nil)
            let title = preview.changes.first?.old?.whole?.text ?? "none"
            if preview.expectation["note"]?.hasPrefix(title) != true { count += 1 }
        }
        #expect(count == 0)
        try await writing.value
        await store.close()
    }

    @Test func severalConflictsAreResolvedTogetherOrSeparately() async throws {
        try await write(
            ["title": "first", "due": "Mo", "size": 1],
            desk: ["title": "d", "due": "Tu", "size": 2],
            phone: ["title": "p", "due": "We", "size": 3])
        let session = try await session()
        let source = try session.source(.entities)
        let conflicts = try await source.conflicts(of: note, at: nil)
        #expect(conflicts.map(\.part?.property) == ["due", "size", "title"])
        #expect(conflicts[0].notes.count == 1)
        #expect(conflicts[0].notes.first?.hasSuffix(": size, title") == true)
        #expect(session.session.status.conflictCount == 3)
        let one = Edit.resolve(note, conflicts[1].resolution(.value(TypedText(.integer, "9"))))
        try await session.perform(one, in: .entities)
        #expect(try await values(of: "size") == ["9"])
        let ways = Dictionary(
            uniqueKeysWithValues: [conflicts[0], conflicts[2]].map {
                ($0.part ?? FieldPath(), Edit.Resolution.take($0.sides[1].id))
            })
        let both = try await session.perform(.resolve(note, .properties(ways)), in: .entities)
        #expect(both.summary.contains("2 properties of p with desk's"))
        #expect(try await values(of: "due") == ["Tu"])
        #expect(try await values(of: "title") == ["d"])
        #expect(try await source.conflicts(of: note, at: nil).isEmpty)
        await session.close()
    }

    @Test func changedConflictIsNotResolved() async throws {
        try await write(["title": "first"], desk: ["title": "d"], phone: ["title": "p"])
        let session = try await session()
        let source = try session.source(.entities)
        let conflict = try #require(try await source.conflict(of: note, at: nil))
        let preview = try await source.preview(
            .resolve(note, conflict.resolution(.take(conflict.sides[1].id))))
        let desk = try await open("desk")
        let events = EventLog(session.session)
        try await desk.set([(.identifier("note"), ["title": "of all"])])
        await desk.close()
        _ = await events.next { $0.kind == .resolved(.entities, RowID("note")) }
        await #expect { _ = try await source.apply(preview) } throws: {
            ($0 as? EditError)?.code == .moved
        }
        await #expect { _ = try await source.preview(preview.edit) } throws: {
            let error = $0 as? EditError
            return error?.code == .moved
                && error?.message.hasSuffix(#""of all""#) == true
        }
        #expect(try await values(of: "title") == ["of all"])
        await session.close()
    }

    @Test func changingOneOfSeveralValuesWarnsThatTheConflictStays() async throws {
        try await write(["title": "first"], desk: ["title": "d"], phone: ["title": "p"])
        let session = try await session()
        let source = try session.source(.entities)
        let fields = try #require(try await source.detail(of: note, at: nil)).sections
            .flatMap { $0.lines.compactMap(\.field) }
        let field = try #require(fields.first { $0.property == "title" && $0.entry != nil })
        let preview = try await source.preview(
            .set(note, field: field, TypedText(.string, "mine")))
        #expect(
            preview.warnings.contains { $0.contains("title") && $0.contains("still in conflict") })
        _ = try await source.apply(preview)
        #expect(session.session.status.conflictCount == 1)
        await session.close()
    }

    @Test func undoPreviewListsAddedValues() async throws {
        try await write(["tag": "a"], desk: ["tag": "d"], phone: ["tag": "p"])
        let third = try await open("third")
        try await third.add([(.identifier("note"), ["tag": "more"])])
        await third.close()
        let session = try await session()
        let source = try session.source(.entities)
        let conflict = try #require(try await source.conflict(of: note, at: nil))
        #expect(conflict.sides.map(\.value) == ["p", "d"])
        let preview = try await source.preview(
            .resolve(note, conflict.resolution(.take(conflict.sides[0].id))))
        #expect(preview.warnings.contains { $0.hasPrefix("1 added value") })
        await session.close()
    }

    @Test func timeTravelShowsTheConflictsOfThatTime() async throws {
        try await write(["title": "first"], desk: ["title": "d"], phone: ["title": "p"])
        let then = clock.now
        clock.advance(microseconds: 60_000_000)
        let desk = try await open("desk")
        try await desk.set([(.identifier("note"), ["title": "of all"])])
        await desk.close()
        let session = try await session(device: nil, isWritable: false)
        let source = try session.source(.entities)
        #expect(try await source.conflict(of: note, at: nil) == nil)
        #expect(try await source.conflict(of: note, at: then)?.sides.count == 2)
        let rows = try await session.rows(.entities, RowQuery(instant: then))
        #expect(rows.filter(\.isConflict).map(\.id) == [note])
        await session.close()
    }

    @Test func conflictIsReportedForTheDeviceThatCausedIt() async throws {
        try await write(["title": "a"], desk: [:], phone: [:])
        let copy = try StorePackage(creating: folder.appending("Elsewhere.store"))
        try FileManager.default.createDirectory(
            atPath: "\(copy.path)/Devices", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: "\(package.path)/Devices/desk", toPath: "\(copy.path)/Devices/desk")
        // The desk writes first, but its file arrives last.
        for (package, device) in [(copy, "desk"), (package, "phone")] {
            clock.advance(microseconds: 60_000_000)
            let store = try await EntityStore.open(
                package, device: DeviceID(device),
                configuration: EntityStore.Configuration(clock: clock.hybrid))
            try await store.set([(.identifier("note"), ["title": .string(device)])])
            await store.close()
        }
        let session = try await session()
        let events = EventLog(session.session)
        let late = try Data(
            contentsOf: URL(filePath: "\(copy.path)/Devices/desk/Entities.db"))
        try late.write(to: URL(filePath: "\(package.path)/Devices/desk/Entities.db"))
        let event = try #require(
            await events.next { if case .conflict = $0.kind { true } else { false } })
        #expect(event.device?.name == "desk")
        #expect(event.summary == "≠ phone › title: phone, desk")
        await session.close()
    }
}
