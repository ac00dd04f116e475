import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The filter fields of real panes.
@Suite struct FilterFieldTests {
    /// Returns a term that a field of this kind accepts.
    private func term(_ name: String, _ kind: FilterField.Kind) -> String {
        switch kind {
        case .text, .name: "\(name):x"
        case .number, .size: "\(name)>1"
        case .age: "\(name)<10m"
        case .instant: "\(name)>2026-11-21"
        case .value: "\(name)>1"
        case .choice(let known): "\(name):\(known[0])"
        }
    }

    private func expectFields(ofColumnsIn source: any RowSource) async throws {
        for column in source.columns {
            let title = column.title.lowercased().replacing(" ", with: "-")
            for name in [column.id, title] where !name.hasPrefix("p:") {
                let field = FilterField.named(name, in: source.filterFields)
                let found = try #require(field, "\(source.title): \(name)")
                _ = try await source.window(
                    WindowRequest(query: RowQuery(filter: term(name, found.kind)), count: 10))
            }
        }
        for filter in ["nonsense<10m", "nonsense:x", "nonsense=x", "nonsense~/x/"] {
            let error = await #expect(throws: FilterError.self, "\(source.title): \(filter)") {
                _ = try await source.window(
                    WindowRequest(query: RowQuery(filter: filter), count: 10))
            }
            #expect(error?.message.contains("available: ") == true)
        }
    }

    @Test func everyColumnOfAPackageCanBeFiltered() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path)
        for place in pane.session.panes { try await expectFields(ofColumnsIn: place.source) }
        await pane.close()
    }

    @Test func everyColumnOfACatalogCanBeFiltered() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Catalog.db")
        try CatalogSamples.write(to: path)
        let pane = try await PaneSession(path, device: nil)
        let groups = try pane.source(.servers)
        try await expectFields(ofColumnsIn: groups)
        let servers = try #require(try await groups.open(RowID("country DE"), at: nil))
        try await expectFields(ofColumnsIn: servers)
        await pane.close()
    }

    @Test func keysAreFoundByTypeDeviceAndExpressions() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path)
        #expect(try await pane.names(.keys, "device:ben").isEmpty == false)
        #expect(try await pane.names(.keys, "device:BEN").isEmpty)
        #expect(try await pane.names(.keys, "value~/GROC/i") == ["note/1/title"])
        #expect(try await pane.names(.keys, "type:data") == ["note/3/raw"])
        #expect(try await pane.names(.keys, "type:int") == ["note/1/count"])
        #expect(try await pane.names(.keys, "conflict:yes") == ["note/1/due"])
        #expect(try await pane.names(.keys, "value>1970-01-02 value<1971-01-01").count == 1)
        #expect(try await pane.names(.conflicts, "age>0s") == ["note/1/due"])
        for filter in ["type:dat", "conflict:maybe", "agee<10m", "value~/groc/x", "key<3"] {
            await #expect(throws: FilterError.self, "\(filter)") {
                _ = try await pane.names(.keys, filter)
            }
        }
        await pane.close()
    }

    @Test func loadAndScoreFiltersMatchThePlainComputation() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Catalog.db")
        try CatalogSamples.write(to: path)
        let pane = try await PaneSession(path, device: nil)
        let groups = try pane.source(.servers)
        func rows(_ filter: String) async throws -> [String: Double?] {
            var found: [String: Double?] = [:]
            for group in try await pane.rows(.servers, RowQuery(filter: filter)) {
                let inner = try #require(try await groups.open(group.id, at: nil))
                let window = try await inner.window(
                    WindowRequest(query: RowQuery(filter: filter), count: 100))
                for row in window.rows {
                    found.updateValue(row.cells[1].value?.number?.real, forKey: row.id.name)
                }
            }
            return found
        }
        let all = try await rows("")
        for limit in [0, 10, 30, 50, 101] {
            let below = try await rows("load<\(limit)")
            let expected = all.filter { $0.value.map { $0 < Double(limit) } ?? false }
            #expect(Set(below.keys) == Set(expected.keys), "\(limit)")
            let others = try await rows("-load<\(limit)")
            #expect(Set(others.keys) == Set(all.keys).subtracting(expected.keys))
        }
        #expect(try await rows("country:DE | tier:0").count == 4)
        #expect(try await pane.names(.servers, "servers>2") == ["country DE"])
        await pane.close()
    }
}
