import EntityStore
import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The list of all conflicts of a package: keys, properties of entities, places in documents.
@Suite(.timeLimit(.minutes(30))) struct AllConflictsTests {
    private let stored: DocumentPackage
    private let clock = TestClock()

    init() throws { stored = try DocumentPackage() }

    /// Makes two devices disagree about three keys, two properties of an entity and one title.
    private func disagree() async throws {
        try stored.disagree()
        let ben = try await EntityStore.open(stored.package, as: "ben", at: clock)
        try await ben.add([(.new("person", identifier: "p1"), ["name": "Anna"])])
        let carl = try await EntityStore.open(stored.package, as: "carl", at: clock)
        for (store, text) in [(ben, "x"), (carl, "y")] {
            clock.advance(microseconds: 60_000_000)
            try await store.set([
                (.identifier("p1"), ["mail": .string(text), "phone": .string(text)])
            ])
            await store.close()
        }
        let stores = try ["ben", "carl"].map { name in
            let store = try SharedPackage.store(name, stored.package, clock)
            try store.load()
            return (name, store)
        }
        for (name, store) in stores {
            clock.advance(microseconds: 60_000_000)
            try store.set(contentsOf: [
                "a": .string(name), "\0b": .string(name), "c": .string(name),
            ])
            try await store.save()
        }
        for (_, store) in stores { try store.close() }
    }

    /// Opens a session whose conflicts are all counted.
    private func session(isWritable: Bool = true) async throws -> PaneSession {
        let session = try await PaneSession(stored.path, isWritable: isWritable)
        let events = session.session.events()
        func isCounted() -> Bool {
            session.session.status.conflictCount == 6 && session.session.status.hasCountedConflicts
        }
        if !isCounted() { for await _ in events where isCounted() { break } }
        return session
    }

    @Test func listHasEveryConflictOnce() async throws {
        try await disagree()
        let session = try await session()
        let rows = try await session.rows(.conflicts)
        #expect(
            rows.map { $0.cells.prefix(4).map(\.text) } == [
                ["\0b", "key", #""carl""#, "carl"], ["a", "key", #""carl""#, "carl"],
                ["c", "key", #""carl""#, "carl"],
                ["Anna › mail", "property", "y", "carl"],
                ["Anna › phone", "property", "y", "carl"],
                ["Plans /title", "document", rows.last?.cells[2].text, rows.last?.cells[3].text]
                    .compactMap(\.self),
            ])
        #expect(session.session.status.counts[.conflicts] == 6)
        #expect(Set(rows.map(\.id)).count == 6)
        await session.close()
    }

    @Test func everyRowHasItsOwnConflictAndDetails() async throws {
        try await disagree()
        let session = try await session()
        let source = try session.source(.conflicts)
        for row in try await session.rows(.conflicts) {
            let conflict = try #require(try await source.conflict(of: row.id, at: nil))
            #expect(conflict.sides.count == 2)
            #expect(try await source.conflicts(of: row.id, at: nil) == [conflict])
            #expect(try await source.detail(of: row.id, at: nil) != nil)
            if let part = conflict.part {
                #expect(row.cells[0].text.hasSuffix(part.property))
                let detail = try await source.conflictDetail(of: row.id, part: nil, at: nil)
                #expect(detail?.sides == conflict.sides.map(\.id))
            }
        }
        await session.close()
    }

    @Test func rowsRefuseEditsThatTheirDataModelLacks() async throws {
        try await disagree()
        let session = try await session()
        for row in try await session.rows(.conflicts) {
            let isDocument = row.cells[1].text == "document"
            #expect(Set(row.refusedEdits.keys) == (isDocument ? [.restore] : []), "\(row)")
        }
        await session.close()
    }

    @Test func rowWithConflictsInsideLeadsToTheFirstOfThem() async throws {
        try await disagree()
        let session = try await session()
        let source = try session.source(.conflicts)
        func found(_ part: String, _ row: String) async throws -> String? {
            let place = ConflictPlace(part: part, row: RowID(row))
            let window = try await source.window(
                WindowRequest(position: .row(place.listedRow, offset: 0, fallback: 0), count: 1))
            return window.found == nil ? nil : window.rows[0].cells[0].text
        }
        #expect(try await found("entities", "person") == "Anna › mail")
        #expect(try await found("entities", "p1") == "Anna › mail")
        #expect(try await found("documents", stored.plans.uuidString) == "Plans /title")
        #expect(try await found("documents", stored.receipt.uuidString) == nil)
        #expect(try await found("entities", "book") == nil)
        await session.close()
    }

    @Test func conflictsOfEveryKindAreResolvedTogetherAndUndone() async throws {
        try await disagree()
        let session = try await session()
        let source = try session.source(.conflicts)
        let rows = try await session.rows(.conflicts)
        let conflicts = try await source.allConflicts(of: rows.map(\.id), at: nil)
        for row in rows {
            #expect(
                conflicts[row.id] == (try await source.conflict(of: row.id, at: nil)).map { [$0] })
        }
        let edits = rows.compactMap { row -> Edit? in
            guard let conflict = conflicts[row.id]?.first,
                let loser = conflict.sides.first(where: { !$0.isWinner })
            else { return nil }
            let taken = Edit.Resolution.take(loser.id)
            return .resolve(row.id, conflict.part.map { .properties([$0: taken]) } ?? taken)
        }
        try #require(edits.count == 6)
        let previews = try await source.previews(of: edits, typedOver: nil)
        // Two properties of one entity are written together.
        #expect(previews.map(\.changes.count) == [1, 1, 1, 2, 1])
        for (preview, edit) in zip(previews, edits.prefix(3)) {
            let alone = try await source.preview(edit)
            #expect(preview.edit == edit && preview.changes == alone.changes)
            #expect(preview.expectation == alone.expectation && preview.summary == alone.summary)
        }
        let written = await source.apply(previews)
        let (applied, failure) = (written.applied, written.failure)
        #expect(failure == nil)
        #expect(try await session.rows(.conflicts).isEmpty)
        // The keys are written as one edit.
        #expect(applied.count == 3)

        let whole = try #require(AppliedEdit(applied))
        // One number counts the edits of every data model.
        #expect(whole.summary == "\(previews[0].summary), and 4 more")
        for undo in whole.undo { _ = try await source.apply(try await source.preview(undo)) }
        // Undoing a write to a document restores the value, but doesn't reopen the conflict.
        let after = try await session.rows(.conflicts)
        #expect(after.map(\.cells[0].text) == rows.dropLast().map(\.cells[0].text))
        await session.close()
    }

    /// Returns the edits that keep the winners of rows.
    private func keepingWinners(
        of rows: [Row], _ source: any RowSource
    ) async throws -> [Edit] {
        let conflicts = try await source.allConflicts(of: rows.map(\.id), at: nil)
        return rows.compactMap { row in
            conflicts[row.id]?.first.flatMap { conflict in
                conflict.sides.first.map {
                    .resolve(row.id, conflict.resolution(.take($0.id)))
                }
            }
        }
    }

    @Test func conflictThatEndedSinceThePreviewIsSkipped() async throws {
        try await disagree()
        let session = try await session()
        let source = try session.source(.conflicts)
        let rows = try await session.rows(.conflicts)
        let edits = try await keepingWinners(of: rows, source)
        let previews = try await source.previews(of: edits, typedOver: nil)
        try await session.perform(.set(RowID("a"), field: nil, TypedText(.string, "meanwhile")))
        let written = await source.apply(previews)
        let (applied, failure) = (written.applied, written.failure)
        #expect(failure == nil)
        let whole = try #require(AppliedEdit(applied))
        #expect(whole.skipped.first?.reason.hasPrefix("a ") == true)
        #expect(whole.skipped.count == 1 && whole.others == 3)
        // The journal lists only the values that were written.
        #expect(whole.changes.count == 4 && !whole.changes.contains { $0.subject == "a" })
        #expect(try await session.rows(.conflicts).isEmpty)
        let keys = try session.source(.keys)
        #expect(
            try await keys.editableValue(of: RowID("a"), field: nil)?.text == "meanwhile")
        await session.close()
    }

    @Test func conflictThatEndedBeforeThePreviewIsSkipped() async throws {
        try await disagree()
        let session = try await session()
        let source = try session.source(.conflicts)
        let rows = try await session.rows(.conflicts)
        let edits = try await keepingWinners(of: rows, source)
        try await session.perform(.set(RowID("c"), field: nil, TypedText(.string, "meanwhile")))
        let previews = try await source.previews(of: edits, typedOver: nil)
        // Two properties of one entity are written together.
        #expect(previews.map(\.changes.count) == [1, 1, 2, 1])
        #expect(previews[0].warnings.contains { $0.hasPrefix("1 skipped: c ") })
        let written = await source.apply(previews)
        let (applied, failure) = (written.applied, written.failure)
        #expect(failure == nil && applied.flatMap(\.skipped).isEmpty)
        #expect(try await session.rows(.conflicts).isEmpty)
        await session.close()
    }

    @Test func nothingIsWrittenIfEveryConflictEnded() async throws {
        try await disagree()
        let session = try await session()
        let source = try session.source(.conflicts)
        let rows = try await session.rows(.conflicts, RowQuery(filter: "kind:key"))
        let edits = try await keepingWinners(of: rows, source)
        let previews = try await source.previews(of: edits, typedOver: nil)
        for key in ["a", "\0b", "c"] {
            try await session.perform(.set(RowID(key), field: nil, TypedText(.string, "now")))
        }
        let written = await source.apply(previews)
        let (applied, failure) = (written.applied, written.failure)
        #expect(applied.isEmpty && (failure as? EditError)?.code == .moved)
        await #expect(throws: EditError.self) {
            _ = try await source.previews(of: edits, typedOver: nil)
        }
        await session.close()
    }

    @Test func editsAfterAFailedWriteAreNotApplied() async throws {
        try await disagree()
        let session = try await session()
        let source = try session.source(.conflicts)
        let edits = try await keepingWinners(of: try await session.rows(.conflicts), source)
        let previews = try await source.previews(of: edits, typedOver: nil)
        try #require(previews.count == 5)
        // The keys can be written, but not the entity after them.
        let own = try #require(session.session.status.ownDevice)
        let file = try stored.package.device(own).path(of: .entities)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        let written = await source.apply(previews)
        #expect(written.failure != nil && written.applied.count == 1)
        #expect(written.applied.first?.others == 2)
        #expect(written.applied.first?.changes.count == 3)
        #expect(written.left == Array(previews.suffix(2)))
        await session.close()
    }

    @Test func rowsAreFoundAgainByIdentity() async throws {
        try await disagree()
        let session = try await session()
        let source = try session.source(.conflicts)
        for query in [
            RowQuery(), RowQuery(sort: .init(column: "name", isDescending: true)),
            RowQuery(filter: "kind:property | kind:document"),
        ] {
            let rows = try await session.rows(.conflicts, query)
            for (index, row) in rows.enumerated() {
                let window = try await source.window(
                    WindowRequest(
                        query: query, position: .row(row.id, offset: 0, fallback: 0), count: 1))
                #expect(window.found == index)
            }
        }
        await session.close()
    }

    @Test func entityLeadsToItsFirstConflict() async throws {
        try await disagree()
        let session = try await session()
        let entity = ConflictPlace(part: PaneID.entities.part, row: RowID("p1")).listedRow
        let window = try await session.source(.conflicts).window(
            WindowRequest(position: .row(entity, offset: 0, fallback: 0), count: 1))
        #expect(window.found == 3 && window.rows[0].cells[0].text == "Anna › mail")
        await session.close()
    }

    @Test func filtersAndSortsMixAllKinds() async throws {
        try await disagree()
        let session = try await session()
        func names(_ query: RowQuery) async throws -> [String] {
            try await session.rows(.conflicts, query).map { $0.cells[0].text }
        }
        #expect(
            try await names(RowQuery(filter: "kind:property")) == ["Anna › mail", "Anna › phone"])
        #expect(try await names(RowQuery(filter: "title")) == ["Plans /title"])
        #expect(
            try await names(RowQuery(sort: .init(column: "name"))) == [
                "\0b", "Anna › mail", "Anna › phone", "Plans /title", "a", "c",
            ])
        await session.close()
    }

    @Test(arguments: 0..<6) func conflictsOfEveryKindAreResolvedInTheList(_ number: Int)
        async throws
    {
        try await disagree()
        let session = try await session()
        let source = try session.source(.conflicts)
        let row = try await session.rows(.conflicts)[number]
        let conflict = try #require(try await source.conflict(of: row.id, at: nil))
        let edit = Edit.resolve(row.id, conflict.resolution(.take(conflict.sides[1].id)))
        let preview = try await source.preview(edit)
        #expect(preview.edit == edit && !preview.changes.isEmpty)
        let applied = try await source.apply(preview)
        #expect(applied.rows == [row.id])
        let left = try await session.rows(.conflicts)
        #expect(left.count == 5 && !left.contains { $0.id == row.id })
        // Undoing works in the same list, whichever data model wrote the edit.
        if let undo = applied.undo.first {
            _ = try await source.apply(try await source.preview(undo))
        }
        await session.close()
    }

    @Test func listAtAnInstantHasTheConflictsOfThatTime() async throws {
        try await disagree()
        let session = try await session()
        #expect(try await session.names(.conflicts, at: .distantPast).isEmpty)
        let keys = try await session.names(.conflicts, "kind:key", at: clock.now)
        #expect(keys.count == 3)
        await session.close()
    }

    @Test func placesDistinguishEveryName() {
        let places = [
            ConflictPlace(part: "keys", row: RowID("a")),
            ConflictPlace(part: "keys", row: RowID("\0entities\0\0a")),
            ConflictPlace(part: "entities", row: RowID("a")),
            ConflictPlace(part: "entities", row: RowID("a"), property: ""),
            ConflictPlace(part: "entities", row: RowID("1\0a"), property: "b\0c"),
            ConflictPlace(part: "entities", row: RowID("e\u{301}"), property: "é"),
            ConflictPlace(part: "entities", row: RowID("é"), property: "e\u{301}"),
            ConflictPlace(part: "documents", row: RowID("x/\0/y")),
        ]
        #expect(Set(places.map(\.listedRow)).count == places.count)
        for place in places { #expect(ConflictPlace(listed: place.listedRow) == place) }
        for damaged in ["\0", "\0x", "\0x\0", "\0x\09\0a", "\0x\0-1\0a", "\0x\0y\0a"] {
            #expect(ConflictPlace(listed: RowID(damaged)) == nil, "\(damaged.debugDescription)")
        }
    }
}
