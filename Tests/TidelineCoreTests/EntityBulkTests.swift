import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Many conflicts of entities that are resolved together.
@Suite(.timeLimit(.minutes(30))) struct EntityBulkTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private let clock = TestClock()

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
    }

    private func open(_ device: String) async throws -> EntityStore {
        try await EntityStore.open(package, as: device, at: clock)
    }

    /// Makes the desk and the phone disagree about the title of each entity.
    private func disagree(about count: Int) async throws {
        let names = (0..<count).map { "note-\($0)" }
        let desk = try await open("desk")
        try await desk.add(
            names.map { (.new("note", identifier: $0), ["name": .string($0)]) })
        let phone = try await open("phone")
        for (store, text) in [(desk, "desk"), (phone, "phone")] {
            clock.advance(microseconds: 60_000_000)
            try await store.set(names.map { (.identifier($0), ["title": .string(text)]) })
            await store.close()
        }
    }

    private func session(_ count: Int) async throws -> PaneSession {
        let session = try await PaneSession(package.path, device: "desk")
        let events = session.session.events()
        if session.session.status.conflictCount != count {
            for await _ in events where session.session.status.conflictCount == count { break }
        }
        return session
    }

    /// Returns the edits that keep the desk's values.
    private func takingDesk(of pane: PaneID, in session: PaneSession) async throws -> [Edit] {
        let source = try session.source(pane)
        let rows = try await session.rows(pane).filter(\.isConflict)
        let conflicts = try await source.allConflicts(of: rows.map(\.id), at: nil)
        return rows.compactMap { row in
            guard let conflict = conflicts[row.id]?.first, let part = conflict.part,
                let side = conflict.sides.first(where: { $0.author.name == "desk" })
            else { return nil }
            return .resolve(row.id, .properties([part: .take(side.id)]))
        }
    }

    private func stamp() throws -> FileStamp {
        try FileStamp(ofFileAt: package.device(DeviceID("desk")).path(of: .entities))
    }

    @Test(arguments: [PaneID.entities, .conflicts])
    func resolutionsAreWrittenInOneTransactionAndUndoneInAnother(_ pane: PaneID) async throws {
        let count = 500
        try await disagree(about: count)
        let session = try await session(count)
        let source = try session.source(pane)
        let edits = try await takingDesk(of: pane, in: session)
        try #require(edits.count == count)
        let previews = try await source.previews(of: edits, typedOver: nil)
        #expect(previews.map(\.edit) == edits)
        let alone = try await source.preview(edits[0])
        #expect(previews[0].summary == alone.summary && previews[0].changes == alone.changes)
        #expect(previews[0].expectation == alone.expectation)
        let before = try stamp()
        let written = await source.apply(previews)
        let (applied, failure) = (written.applied, written.failure)
        #expect(failure == nil && applied.count == 1)
        #expect(try stamp().changeCounter == before.changeCounter + 1)
        let all = try session.source(.entities)
        let rows = try await all.window(WindowRequest(count: 1_000)).rows
        #expect(rows.count == count && rows.allSatisfy { !$0.isConflict })
        #expect(applied.first?.rows.count == count)
        let undo = try #require(applied.first?.undo.first)
        let undone = try await source.preview(undo)
        #expect(undone.changes.count == count)
        _ = try await source.apply(undone)
        #expect(try stamp().changeCounter == before.changeCounter + 2)
        let again = try await takingDesk(of: pane, in: session)
        #expect(again.count == count)
        await session.close()
    }

    @Test func changedEntityIsSkipped() async throws {
        try await disagree(about: 20)
        let session = try await session(20)
        let source = try session.source(.entities)
        let edits = try await takingDesk(of: .entities, in: session)
        let previews = try await source.previews(of: edits, typedOver: nil)
        try await session.perform(
            .set(RowID("note-3"), field: FieldPath("title"), TypedText(.string, "other")),
            in: .entities)
        let before = try stamp()
        let written = await source.apply(previews)
        let (applied, failure) = (written.applied, written.failure)
        #expect(failure == nil && applied.count == 1)
        let skipped = applied.flatMap(\.skipped)
        #expect(skipped.count == 1 && skipped[0].reason.hasPrefix("note-3 "))
        #expect(try stamp().changeCounter == before.changeCounter + 1)
        let rows = try await session.rows(.entities)
        #expect(rows.count == 20 && rows.allSatisfy { !$0.isConflict })
        let title = try await source.editableValue(
            of: RowID("note-3"), field: FieldPath("title"))
        #expect(title?.text == "other")
        await session.close()
    }

    @Test func conflictsOfManyEntitiesAreReadTogether() async throws {
        try await disagree(about: 20)
        let session = try await session(20)
        let source = try session.source(.entities)
        let rows = try await session.rows(.entities).map(\.id) + [RowID("none")]
        let found = try await source.allConflicts(of: rows, at: nil)
        #expect(found.count == 20)
        for row in rows {
            let alone = try await source.conflicts(of: row, at: nil)
            #expect(found[row] ?? [] == alone)
        }
        await session.close()
    }
}
