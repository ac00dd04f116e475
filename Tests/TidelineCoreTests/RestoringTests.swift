import Foundation
import KeyValueStore
import Replication
import Testing

@testable import TidelineCore

/// Restoring keys to their values at an instant.
@Suite struct RestoringTests {
    private let shared: SharedPackage

    init() throws { shared = try SharedPackage() }

    private func values(
        _ pane: PaneSession, at instant: Timestamp? = nil
    ) async throws -> [String: String] {
        let rows = try await pane.rows(.keys, RowQuery(instant: instant))
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.id.name, $0.cells[1].text) })
    }

    /// Returns all keys that exist now or existed at an instant.
    private func rows(_ pane: PaneSession, at instant: Timestamp) async throws -> [RowID] {
        let names = Set(try await values(pane).keys)
            .union(try await values(pane, at: instant).keys)
        return names.sorted().map { RowID($0) }
    }

    @Test func everyInstantCanBeRestoredAndUndone() async throws {
        let pane = try await PaneSession(shared.path)
        let now = try await values(pane)
        for instant in shared.instants {
            let then = try await values(pane, at: instant)
            let applied = try await pane.perform(
                .restore(try await rows(pane, at: instant), at: instant))
            #expect(try await values(pane) == then)
            #expect(pane.session.status.conflictCount == 0, "the row has all sides as parents")
            for step in applied.undo { try await pane.perform(step) }
            #expect(try await values(pane) == now)
            #expect(pane.session.status.conflictCount == 1)
        }
        await pane.close()
    }

    @Test func changedKeysAreFoundByPrefix() async throws {
        let pane = try await PaneSession(shared.path)
        let source = try pane.source(.keys)
        let now = try await values(pane)
        for instant in shared.instants {
            let then = try await values(pane, at: instant)
            let names = Set(now.keys).union(then.keys).filter { now[$0] != then[$0] }
            for prefix in ["", "note/1/"] {
                let changed = try await source.changedRows(under: prefix, since: instant)
                #expect(changed.map(\.name) == names.filter { $0.hasPrefix(prefix) }.sorted())
            }
        }
        let error = await #expect(throws: EditError.self) {
            _ = try await source.changedRows(under: "nothing", since: shared.instants[0])
        }
        #expect(error?.code == .notFound && error?.message.contains(" nothing,") == true)
        await #expect(throws: EditError.self) {
            try await pane.source(.log).changedRows(under: "", since: shared.instants[0])
        }
        await pane.close()
    }

    @Test func keyIsSteppedThroughWriteByWrite() async throws {
        let pane = try await PaneSession(shared.path)
        let source = try pane.source(.keys)
        let row = RowID("note/1/title")
        var back: [Timestamp] = []
        var instant = Timestamp.distantFuture
        while case .at(let next) = try await source.step(of: row, from: instant, backwards: true) {
            back.append(next)
            instant = next
        }
        #expect(back.count > 1 && back == back.sorted(by: >))
        var forward: [Timestamp] = []
        instant = .distantPast
        while case .at(let next) = try await source.step(of: row, from: instant, backwards: false) {
            forward.append(next)
            instant = next
        }
        #expect(forward == back.reversed())
        let unknown = try await pane.source(.log).step(
            of: row, from: .distantPast, backwards: false)
        #expect(unknown == .unknown)
        await pane.close()
    }

    @Test func restorePreviewListsOnlyChanges() async throws {
        let pane = try await PaneSession(shared.path)
        let instant = shared.instants[0]
        let preview = try await pane.source(.keys).preview(
            .restore(
                ["note/1/count", "note/1/title", "note/2/ratio", "note/4/new"].map { RowID($0) },
                at: instant))
        #expect(
            preview.changes.map(\.asLines) == [
                .init(subject: "note/1/title", old: "\"Groceries list\"", new: "\"Groceries\""),
                .init(subject: "note/2/ratio", old: nil, new: "1.5"),
                .init(subject: "note/4/new", old: "\"x\"", new: nil),
            ])
        #expect(preview.summary.contains("3 keys"))
        #expect(preview.summary.hasSuffix(instant.secondText))
        #expect(preview.warnings.count == 1 && preview.warnings.first?.hasPrefix("1 key ") == true)
        await pane.close()
    }

    @Test func keysAreNotDeletedIfALogCannotBeRead() async throws {
        let (instant, row) = (shared.instants[0], RowID("note/1/title"))
        try Data("no database".utf8).write(
            to: URL(filePath: shared.path + "/Devices/anna/Logs.db"))
        let pane = try await PaneSession(shared.path, device: "ben")
        let source = try pane.source(.keys)
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.restore([row], at: instant))
        }
        #expect(error?.code == .unreadable && error?.message.contains("anna") == true)
        // A value that is readable can be restored, with a warning.
        try await pane.perform(.set(row, field: nil, TypedText(.string, "later")))
        let preview = try await source.preview(.restore([row], at: shared.instants[1]))
        #expect(preview.warnings.contains { $0.contains("anna") }, "\(preview.warnings)")
        await pane.close()
    }

    @Test func unchangedKeysAreNotRestored() async throws {
        let pane = try await PaneSession(shared.path)
        let last = try #require(shared.instants.last)
        let error = await #expect(throws: EditError.self) {
            try await pane.source(.keys).preview(.restore([RowID("note/1/title")], at: last))
        }
        #expect(error?.code == .unchanged && error?.message.contains("note/1/title") == true)
        let several = await #expect(throws: EditError.self) {
            try await pane.source(.keys).preview(
                .restore([RowID("note/1/title"), RowID("note/2/ratio")], at: last))
        }
        #expect(several?.code == .unchanged && several?.message.contains("2 keys") == true)
        await pane.close()
    }

    /// A value that can't be loaded is not treated as missing.
    @Test func valueTooLongToShowIsNotRemoved() async throws {
        var configuration = KeyValueStore.Configuration()
        configuration.watchesFolder = false
        configuration.longestValue = 16 << 20
        let store = KeyValueStore(
            package: shared.package, device: try DeviceID("ben"), configuration: configuration)
        try await store.load()
        let bytes = Data(repeating: 7, count: 9 << 20)
        try store.set(.data(bytes), forKey: "long")
        try await store.save()
        let then = try #require(store.newestTimestamp(forKey: "long"))
        try store.set("short", forKey: "long")
        try await store.save()
        try store.close()
        let pane = try await PaneSession(shared.path)
        #expect(try await values(pane)["long"] == "\"short\"")
        let error = await #expect(throws: EditError.self) {
            try await pane.source(.keys).preview(.restore([RowID("long")], at: then))
        }
        #expect(error?.code == .unsupported)
        await pane.close()
    }

    @Test func onlyKeysAndEntitiesCanBeRestored() async throws {
        let pane = try await PaneSession(shared.path)
        #expect(pane.session.panes.contains { $0.id == .keys })
        for pane in pane.session.panes {
            let canRestore = [.keys, .entities, .conflicts].contains(pane.id)
            #expect((pane.source.edits[.restore] != nil) == canRestore, "\(pane.id)")
        }
        await pane.close()
    }
}
