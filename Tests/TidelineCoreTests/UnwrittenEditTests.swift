import Foundation
import GRDB
import Replication
import Testing

@testable import TidelineCore

/// Edits that can't be written to disk: their display, and their outcome.
@Suite struct UnwrittenEditTests {
    private let shared: SharedPackage
    private static let key = RowID("note/1/title")

    init() throws { shared = try SharedPackage() }

    private var log: String { shared.path + "/Devices/desk/Logs.db" }

    private func value(_ pane: PaneSession) async throws -> String? {
        try await pane.rows(.keys).first { $0.id == Self.key }?.cells[1].text
    }

    @Test func editThatTheDiskRejectsStaysUnwritten() async throws {
        let pane = try await PaneSession(shared.path)
        try await pane.perform(.add(name: "own", parent: nil, TypedText(.integer, "1")))
        let before = try await value(pane)
        let queue = try DatabaseQueue(path: log)
        try await queue.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON log
                    BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END
                    """)
        }
        await #expect(throws: EditError.self) {
            try await pane.perform(.set(Self.key, field: nil, TypedText(.string, "refused")))
        }
        #expect(try await value(pane) == before)
        #expect(pane.session.status.unsaved == nil)
        try await queue.write { try $0.execute(sql: "DROP TRIGGER full") }
        try queue.close()
        await pane.close()
        #expect(pane.session.status.unsaved == nil)
        let again = try await PaneSession(shared.path)
        #expect(try await value(again) == before)
        await again.close()
    }

    /// Makes the disk refuse every row of a database.
    private func refusing(_ table: String, in path: String) async throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON \(table)
                    BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END
                    """)
        }
        return queue
    }

    @Test func failedEditSendsNoEvent() async throws {
        let pane = try await PaneSession(shared.path)
        let due = RowID("note/1/due")
        try await pane.perform(.add(name: "own", parent: nil, TypedText(.integer, "1")))
        let queue = try await refusing("log", in: log)
        let events = EventLog(pane.session)
        let ben = RowConflict.SideID(.device(try DeviceID("ben")))
        for edit in [
            Edit.set(Self.key, field: nil, TypedText(.string, "refused")),
            .resolve(due, .take(ben)), .remove([RowID("own")], field: nil),
        ] {
            await #expect(throws: EditError.self) { try await pane.perform(edit) }
        }
        try await queue.write { try $0.execute(sql: "DROP TRIGGER full") }
        try queue.close()
        try await pane.perform(.set(RowID("own"), field: nil, TypedText(.integer, "2")))
        // The first event about keys is that of the edit that is written.
        let event = await events.next { event in
            switch event.kind {
            case .changed, .resolved: true
            default: false
            }
        }
        guard case .changed(_, let rows, true) = event?.kind else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(Array(rows.keys) == [RowID("own")])
        await pane.close()
    }

    @Test func failedEntityEditSendsNoEvent() async throws {
        let pane = try await PaneSession(shared.path)
        func add(_ name: String) async throws {
            try await pane.perform(
                .add(name: "person", parent: nil, TypedText(.string, name)), in: .entities)
        }
        try await add("Ada")
        let queue = try await refusing(
            "log", in: shared.path + "/Devices/desk/Entities.db")
        let events = EventLog(pane.session)
        await #expect(throws: EditError.self) { try await add("Ben") }
        try await queue.write { try $0.execute(sql: "DROP TRIGGER full") }
        try queue.close()
        try await add("Cleo")
        let event = await events.nextChange(of: .entities)
        guard case .changed(_, let changed, true) = event?.kind else {
            Issue.record("\(String(describing: event))")
            return
        }
        let rows = try await pane.rows(.entities).map(\.id)
        #expect(rows.count == 2 && changed.keys.allSatisfy(rows.contains))
        await pane.close()
    }

    @Test func entityEditWaitingForALockIsListedAndCanBeWithdrawn() async throws {
        let pane = try await PaneSession(shared.path)
        let entities = try pane.source(.entities)
        func add(_ name: String) async throws -> AppliedEdit {
            try await entities.apply(
                try await entities.preview(
                    .add(name: "person", parent: nil, TypedText(.string, name))))
        }
        _ = try await add("Ada")
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(
            path: shared.path + "/Devices/desk/Entities.db", configuration: configuration)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        let applied = try await add("Ben")
        #expect(applied.isPending)
        #expect(pane.session.status.unsaved?.subjects == ["create a person"])
        #expect(try await pane.rows(.entities).count == 1, "unwritten edits are not shown")
        #expect(try await pane.session.withdraw() == ["create a person"])
        #expect(pane.session.status.unsaved == nil)
        // After the lock is released, the edit is written and can be undone.
        let again = try await add("Cleo")
        #expect(again.isPending)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        let events = pane.session.events()
        if pane.session.status.unsaved != nil {
            for await _ in events where pane.session.status.unsaved == nil { break }
        }
        #expect(try await pane.rows(.entities).count == 2)
        _ = try await entities.apply(
            try await entities.preview(try #require(again.undo.first)))
        #expect(try await pane.rows(.entities).count == 1)
        // Closing while the lock is held loses the edit, which is named.
        try await queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        #expect(try await add("Dora").isPending)
        await pane.close()
        #expect(pane.session.status.unsaved?.subjects == ["create a person"])
        try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try queue.close()
        let last = try await PaneSession(shared.path)
        #expect(try await last.rows(.entities).count == 1)
        await last.close()
    }

    @Test func editWaitingForALockIsListedAndCanBeWithdrawn() async throws {
        let pane = try await PaneSession(shared.path)
        try await pane.perform(.add(name: "own", parent: nil, TypedText(.integer, "1")))
        let before = try await value(pane)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: log, configuration: configuration)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        let events = pane.session.events()
        let applied = try await pane.perform(
            .set(Self.key, field: nil, TypedText(.string, "waits")))
        #expect(applied.isPending)
        #expect(pane.session.status.unsaved?.subjects == [Self.key.name])
        let reason = "locked by another process (Devices/desk/Logs.db)"
        #expect(pane.session.status.unsaved?.reason == reason)
        #expect(try await value(pane)?.contains("waits") == true)
        // The inspector shows the same value as the list.
        let detail = try #require(try await pane.source(.keys).detail(of: Self.key, at: nil))
        #expect(detail.sections.first?.lines.first?.text.contains("waits") == true)
        #expect(detail.sections.flatMap(\.lines).contains { $0.text == "not saved yet" })
        var reports: [String] = []
        for await event in events {
            reports.append(event.summary)
            if event.summary.hasPrefix("not written yet: ") { break }
        }
        #expect(try await pane.session.withdraw() == [Self.key.name])
        #expect(pane.session.status.unsaved == nil)
        #expect(try await value(pane) == before)
        // A discarded edit isn't reported as saved.
        for await event in events {
            reports.append(event.summary)
            if event.summary == "no unsaved changes are left" { break }
        }
        let change = try #require(reports.firstIndex { $0.hasPrefix("~1 \(Self.key.name)") })
        let failure = reports.firstIndex { $0.hasPrefix("not written yet: ") }
        #expect(failure.map { $0 > change } == true, "events are in the order of their times")
        let waiting = reports.first { $0.hasPrefix("not written yet: \(Self.key.name): ") }
        #expect(waiting?.hasSuffix(reason) == true)
        #expect(waiting?.contains(shared.path) == false)
        // Closing while the lock is held names the lost edit.
        try await pane.perform(.set(Self.key, field: nil, TypedText(.string, "lost")))
        await pane.close()
        #expect(pane.session.status.unsaved?.subjects == [Self.key.name])
        try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try queue.close()
        let again = try await PaneSession(shared.path)
        #expect(try await value(again) == before)
        await again.close()
    }

    @Test func reasonOfAnErrorComesBeforeItsFile() {
        let error = ReplicationError(
            .noPermission, at: "/stores/Notes.store/Blobs/a: b.txt", "permission denied")
        #expect(
            String.reason(of: error, inStoreAt: "/stores/Notes.store")
                == "permission denied (Blobs/a: b.txt)")
    }
}
