import EntityStore
import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Names that are equal in Swift but not in files: é as one scalar, and as e with a combining
/// accent.
@Suite struct CanonicalNamesTests {
    private static let (one, two) = ("caf\u{E9}", "cafe\u{301}")

    @Test func keysThatLookEqualStayDistinct() async throws {
        let shared = try SharedPackage(hasStory: false)
        try shared.write("anna", [Name(Self.one): "one"])
        try shared.write("anna", [Name(Self.two): "two"])
        let pane = try await PaneSession(shared.path)
        let rows = try await pane.rows(.keys)
        #expect(rows.map { $0.cells[1].text } == ["\"two\"", "\"one\""])
        #expect(rows[0].id != rows[1].id)
        for row in rows {
            let window = try await pane.source(.keys).window(
                WindowRequest(position: .row(row.id, offset: 0, fallback: 0), count: 1))
            #expect(window.rows == [row])
        }
        let past = try await pane.rows(.keys, RowQuery(instant: shared.clock.now))
        #expect(!past.isEmpty)
        for row in rows { try await pane.perform(.remove([row.id], field: nil)) }
        #expect(try await pane.rows(.keys).isEmpty)
        await pane.close()
    }

    @Test func entityNamesThatLookEqualStayDistinct() async throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        for (name, value) in [(Self.one, 1), (Self.two, 2)] {
            let store = try await EntityStore.open(package, device: DeviceID("d\(value)"))
            try await store.add([
                (.new(name, identifier: name), [PropertyKey(name): .integer(Int64(value))]),
                (.new("x", identifier: "x\(value)"), [PropertyKey(name): .integer(Int64(value))]),
            ])
            try await store.relate(
                [(.identifier("x\(value)"), .identifier(name))], key: name, type: name)
            await store.close()
        }
        let pane = try await PaneSession(package.path, device: "desk")
        try await pane.session.reload()
        for place in pane.session.panes {
            for row in try await pane.rows(place.id) {
                _ = try await place.source.detail(of: row.id, at: nil)
                if let inner = try await place.source.open(row.id, at: nil) {
                    _ = try await inner.window(WindowRequest(count: 100))
                }
            }
        }
        await pane.close()
    }
}
