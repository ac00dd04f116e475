import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The store that `tideline demo` builds.
@Suite struct DemoStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func build(_ name: String, _ options: DemoStore.Options) async throws -> String {
        let path = folder.appending(name)
        try await DemoStore(options).build(at: path)
        return path
    }

    /// Opens a session on a store and waits until all its parts are loaded.
    private func open(_ path: String) async throws -> PaneSession {
        let pane = try await PaneSession(path, isWritable: false)
        try await wait {
            if case .loading = pane.session.status.phase { false } else { true }
        }
        return pane
    }

    @Test func demoHasTheRequestedNumberOfDevices() async throws {
        var options = DemoStore.Options()
        options.devices = 30
        let path = try await build("Demo.store", options)
        let pane = try await open(path)
        let devices = pane.session.status.devices
        #expect(devices.count == 30)
        for device in devices {
            #expect(device.state == "ok", "\(device.id)")
            #expect(try await !pane.names(.log, "device:\(device.id)").isEmpty, "\(device.id)")
        }
        #expect(devices.contains { $0.id.name == "device-30" && $0.name == "Device 30" })
        await pane.close()
    }

    /// Settings are checked against the standard panes and their columns.
    @Test func panesAreAmongTheStandardOnes() async throws {
        let demo = try await build("Demo.store", DemoStore.Options())
        let database = folder.appending("shop.db")
        try runSQL("CREATE TABLE t (a)", at: database)
        var count = 0
        for path in [demo, database, folder.path] {
            let pane = try await open(path)
            for shown in pane.session.panes {
                let standard = PaneID.standardColumns.first { $0.pane == shown.id }
                let columns = try #require(standard, "\(shown.id.text)").columns
                #expect(Set(shown.source.columns).isSubset(of: columns), "\(shown.id.text)")
                count += 1
            }
            await pane.close()
        }
        #expect(count > 10)
    }

    @Test func everyDeviceOfTheDemoIsBehindEveryOther() async throws {
        let path = try await build("Demo.store", DemoStore.Options())
        let pane = try await open(path)
        let devices = try pane.source(.devices)
        let names = try await pane.names(.devices)
        #expect(names.count == 3)
        for name in names {
            let seen = try #require(try await devices.open(RowID(name), at: nil))
            let rows = try await seen.window(WindowRequest(count: 10)).rows
            #expect(rows.count == 2)
            for row in rows {
                #expect(row.cells[1].instant != nil, "\(name) of \(row.id)")
                #expect(row.cells[2].value?.number?.real ?? 0 > 0, "\(name) of \(row.id)")
                #expect(row.cells[4].value?.number?.real ?? 0 > 0, "\(name) of \(row.id)")
            }
        }
        await pane.close()
    }

    /// Ages and conflicts are the same, regardless of when the demo is built.
    @Test func demoIsReproducible() async throws {
        var reported: [[String]] = []
        for (number, days) in [0, 1, 40].enumerated() {
            var options = DemoStore.Options()
            let end = 800_000_000_000_000 + Int64(days) * 86_400_000_000
            options.now = Timestamp(microseconds: end)
            let path = try await build("\(number).store", options)
            let pane = try await open(path)
            var lines: [String] = []
            for row in try await pane.rows(.keys) {
                lines.append("\(row.id.name) \(row.cells[2].text) \(row.isConflict)")
            }
            // Conflicts in documents are counted last.
            let events = pane.session.events()
            if !pane.session.status.hasCountedConflicts {
                for await _ in events where pane.session.status.hasCountedConflicts { break }
            }
            let conflicts = try pane.source(.conflicts)
            for row in try await pane.rows(.conflicts) where row.cells[1].text != "document" {
                let conflict = try #require(try await conflicts.conflict(of: row.id, at: nil))
                let sides = conflict.sides.map(\.value)
                lines.append(
                    "\(row.cells[0].text): \(sides), \(String(describing: conflict.proposal))")
            }
            #expect(pane.session.status.conflictCount == 6)
            #expect(pane.session.status.counts[.conflicts] == 6)
            #expect(try await pane.rows(.conflicts).count == 6)
            #expect(lines.count > 50)
            reported.append(lines)
            await pane.close()
        }
        #expect(reported[0] == reported[1] && reported[0] == reported[2])
    }
}
