import Foundation
import GRDB
import Replication
import ServerCatalogGRDB
import TestSupport
import Testing

@testable import TidelineCore

/// The servers pane of one catalog file: groups, their servers, each server.
@Suite struct ServersPaneTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Catalog.db")
        try CatalogSamples.write(to: path)
    }

    private static let groups = [
        "gateway DE Acme", "country CA", "country DE", "country CH", "country US",
    ]

    /// Returns the groups' server counts by name.
    private func counts(_ pane: PaneSession, _ filter: String) async throws -> [String: String] {
        let rows = try await pane.rows(.servers, RowQuery(filter: filter))
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.id.name, $0.cells[2].text) })
    }

    /// Returns every server that matches a filter, in any group.
    private func servers(_ pane: PaneSession, _ filter: String) async throws -> [String] {
        var found: [String] = []
        for group in Self.groups {
            let inner = try #require(try await pane.source(.servers).open(RowID(group), at: nil))
            let query = RowQuery(filter: filter)
            found += try await inner.window(WindowRequest(query: query, count: 100)).rows.map(
                \.id.name)
        }
        return found.sorted()
    }

    @Test(arguments: [
        ("tier:2", "tier:2"), ("servers>1 tier:2", "tier:2"), ("tier:2 cities>0", "tier:2"),
        ("city:\"New  York\" servers>0 -tor", "city:\"New  York\"  -tor"),
        ("servers>1", ""), ("servers>1 | tier:2", ""), ("tier:1 | tier:2", "tier:1 | tier:2"),
        ("-(cities>5)", ""), ("acme", "acme"), ("", ""), ("(tier:2", ""),
    ])
    func openedGroupKeepsTheServerFilters(_ filter: String, _ inner: String) async throws {
        let pane = try await PaneSession(path, device: nil)
        let source = try pane.source(.servers)
        #expect(source.info.innerFilter(of: filter) == inner)
        await pane.close()
    }

    @Test func groupsAreCopiedByNameCodeAndAsJSON() async throws {
        let pane = try await PaneSession(path, device: nil)
        let source = try pane.source(.servers)
        let country = try await source.copyForms(of: RowID("country CH"), at: nil)
        #expect(country.map(\.name) == ["name", "code", "JSON"])
        #expect(country.prefix(2).map(\.text) == ["Switzerland", "CH"])
        let gateway = try await source.copyForms(of: RowID("gateway DE Acme"), at: nil)
        #expect(gateway.prefix(2).map(\.text) == ["Acme", "DE"])
        #expect(gateway.last?.text.contains(#""kind":"gateway""#) == true)
        await pane.close()
    }

    @Test func openedGroupHasTheServersThatItsRowCounts() async throws {
        let pane = try await PaneSession(path, device: nil)
        let source = try pane.source(.servers)
        for filter in ["tier:2", "feature:p2p", "load<50 servers>0", "-feature:tor cities>0"] {
            for (group, count) in try await counts(pane, filter) {
                let inner = try #require(try await source.open(RowID(group), at: nil))
                let query = RowQuery(filter: source.info.innerFilter(of: filter))
                let rows = try await inner.window(WindowRequest(query: query, count: 100)).rows
                #expect(String(rows.count) == count, "\(group) with \(filter)")
            }
        }
        await pane.close()
    }

    @Test func valuesOfColumnsSelectTheirGroups() async throws {
        let pane = try await PaneSession(path, device: nil)
        let source = try pane.source(.servers)
        for column in source.columns {
            let found = try #require(
                try await source.frequencies(of: column.id, in: RowQuery(), limit: 100))
            #expect(found.rowCount == 5)
            for item in found.items {
                guard let filter = item.filter else {
                    #expect(["tiers", "features", "protocols"].contains(column.id))
                    continue
                }
                let rows = try await pane.rows(.servers, RowQuery(filter: filter))
                #expect(rows.count == item.count, "\(filter)")
            }
        }
        await pane.close()
    }

    @Test func groupsAreGatewaysFirstThenCountriesByName() async throws {
        let before = try Data(contentsOf: URL(filePath: path))
        let pane = try await PaneSession(path, device: nil)
        #expect(pane.session.panes.map(\.id) == [.servers])
        #expect(pane.session.status.phase == .live)
        #expect(pane.session.status.counts == [.servers: 7])
        let rows = try await pane.rows(.servers)
        #expect(Set(rows.map(\.id.name)) == Set(Self.groups))
        #expect(rows.first?.id.name == "gateway DE Acme")
        #expect(rows[0].cells[0].text == "⇄ Acme")
        let names = rows.dropFirst().map { $0.cells[0].text }
        #expect(names.count == 4)
        let germany = try #require(rows.first { $0.id.name == "country DE" })
        #expect(
            germany.cells.dropFirst().map(\.text)
                == ["DE", "3", "2", "1-2", "p2p tv", "all"])
        #expect(rows.first { $0.id.name == "country US" }?.cells[4].text == "0")
        #expect(rows.allSatisfy { !$0.isDimmed })
        await pane.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func groupsCanBeSortedByEveryColumn() async throws {
        let pane = try await PaneSession(path, device: nil)
        let own = try await pane.names(.servers)
        #expect(try await pane.sorted(.servers, "name") == own)
        #expect(try await pane.sorted(.servers, "name", descending: true) == own.reversed())
        #expect(
            try await pane.sorted(.servers, "servers", descending: true).first == "country DE")
        #expect(try await pane.sorted(.servers, "code").last == "country US")
        #expect(try await pane.sorted(.servers, "cities", descending: true).first == "country DE")
        let window = try await pane.source(.servers).window(
            WindowRequest(position: .row(RowID("country US"), offset: 0, fallback: 0), count: 1))
        #expect(window.rows.map(\.id.name) == ["country US"])
        #expect(window.total == 5)
        await pane.close()
    }

    struct FilterCase {
        let filter: String
        let servers: [String]

        init(_ filter: String, _ servers: String...) {
            self.filter = filter
            self.servers = servers
        }
    }

    private static let filters = [
        FilterCase("country:ch", "ch-1"), FilterCase("country:DE", "de-1", "de-2", "de-3"),
        FilterCase("country:*", "ca-1", "ch-1", "de-1", "de-2", "de-3", "us-1"),
        FilterCase("gateway:Acme", "gw-1"), FilterCase("gateway:*", "gw-1"),
        FilterCase("entry:ch", "ca-1", "ch-1"), FilterCase("exit:CA", "ca-1"),
        FilterCase("city:\"New York\"", "us-1"), FilterCase("city:Berlin", "de-2", "de-3"),
        FilterCase("city:Koln", "de-1"), FilterCase("city:köln", "de-1"), FilterCase("city:KÖLN"),
        FilterCase("city:\"Nowy Jork\"", "us-1"), FilterCase("city=Köln", "de-1"),
        FilterCase("city=Koln"),
        FilterCase("tier:0", "us-1"), FilterCase("maxtier:1", "de-2", "us-1"),
        FilterCase("feature:p2p,streaming", "de-2"), FilterCase("p2p restricted", "gw-1"),
        FilterCase("P2P -streaming -restricted", "de-1"), FilterCase("tor", "ch-1"),
        FilterCase("without:p2p,tor,secureCore", "de-3", "us-1"),
        FilterCase("online country:DE", "de-1", "de-2"), FilterCase("online:yes tier:1", "de-2"),
        FilterCase("protocol:ikev2 city:Köln", "de-1"),
        FilterCase("wireGuardTLS country:DE", "de-2", "de-3"),
        FilterCase("id:de-2", "de-2"), FilterCase("endpoint:end-ch-1", "ch-1"),
        FilterCase("name:DE#9", "de-2"), FilterCase("koln", "de-1"),
        FilterCase("nowy jork", "us-1"),
        FilterCase("de#", "de-1", "de-2", "de-3"), FilterCase("acme", "gw-1"),
        FilterCase("name:nobody"), FilterCase("country:QQ"), FilterCase("zürich tor", "ch-1"),
        FilterCase("", "ca-1", "ch-1", "de-1", "de-2", "de-3", "gw-1", "us-1"),
    ]

    @Test func everyFilterAppliesBeforeGrouping() async throws {
        let pane = try await PaneSession(path, device: nil)
        for test in Self.filters {
            #expect(try await servers(pane, test.filter) == test.servers, "\(test.filter)")
            let counts = try await counts(pane, test.filter).values.compactMap { Int($0) }
            #expect(counts.reduce(0, +) == test.servers.count, "\(test.filter)")
        }
        await pane.close()
    }

    @Test func invalidFilterReportsItsPosition() async throws {
        let pane = try await PaneSession(path, device: nil)
        for filter in [
            "tier:x", "tier:", "maxtier:2.5", "feature:wings", "without:p2p,wings",
            "protocol:pigeon", "online:no",
        ] {
            let error = await #expect(throws: FilterError.self, "\(filter)") {
                _ = try await pane.names(.servers, "p2p " + filter)
            }
            #expect(error?.range == 4..<4 + filter.utf8.count, "\(filter)")
        }
        await pane.close()
    }

    @Test func everyOfferedFilterFieldIsAccepted() async throws {
        let pane = try await PaneSession(path, device: nil)
        let fields = try pane.source(.servers).filterFields
        #expect(!fields.isEmpty)
        for field in fields {
            #expect(field.example.hasPrefix(field.name))
            _ = try await pane.names(.servers, field.example)
        }
        await pane.close()
    }

    @Test func serversCanBeSortedByEveryColumn() async throws {
        let pane = try await PaneSession(path, device: nil)
        let germany = try #require(
            try await pane.source(.servers).open(RowID("country DE"), at: nil))
        #expect(germany.title == "DE")
        func order(_ column: String?, _ isDescending: Bool = false) async throws -> [String] {
            let sort = column.map { RowQuery.Sort(column: $0, isDescending: isDescending) }
            let request = WindowRequest(query: RowQuery(sort: sort), count: 9)
            return try await germany.window(request).rows.map(\.id.name)
        }
        #expect(try await order(nil) == ["de-3", "de-2", "de-1"], "2, 9, 10")
        #expect(try await order("name") == ["de-3", "de-2", "de-1"])
        #expect(try await order("name", true) == ["de-1", "de-2", "de-3"])
        #expect(try await order("load") == ["de-2", "de-1", "de-3"], "maintenance last")
        #expect(try await order("load", true) == ["de-1", "de-2", "de-3"])
        #expect(try await order("score").prefix(2) == ["de-2", "de-1"])
        #expect(try await order("city") == ["de-3", "de-2", "de-1"])
        #expect(try await order("tier").first == "de-2")
        await pane.close()
    }

    @Test func serversShowLoadBadgesAndMaintenance() async throws {
        let pane = try await PaneSession(path, device: nil)
        let germany = try #require(
            try await pane.source(.servers).open(RowID("country DE"), at: nil))
        let rows = try await germany.window(WindowRequest(count: 9)).rows
        #expect(rows.map { $0.cells[1].text } == ["maintenance", "░░░░░░░░ 9%", "██████░░ 80%"])
        #expect(rows.map(\.isDimmed) == [true, false, false])
        #expect(rows[1].cells[4].text == "p2p tv")
        #expect(rows[1].cells[5].text == "tls")
        let gateway = try #require(
            try await pane.source(.servers).open(RowID("gateway DE Acme"), at: nil))
        #expect(gateway.title == "Acme")
        #expect(try await gateway.window(WindowRequest(count: 9)).rows.map(\.id.name) == ["gw-1"])
        #expect(try await pane.source(.servers).open(RowID("country QQ"), at: nil) == nil)
        #expect(try await germany.open(RowID("de-1"), at: nil) == nil)
        await pane.close()
    }

    @Test func detailsShowAllPropertiesOfGroupsAndServers() async throws {
        let pane = try await PaneSession(path, device: nil)
        let group = try await pane.detail(.servers, "country DE")
        let lines = group.lines("All servers")
        for line in [
            "servers 3", "cities 2", "tiers 1 to 2", "some have p2p, streaming", "all have none",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        // With a filter, the details cover the same servers as the row of the list.
        let query = RowQuery(filter: "tier:2 country:DE")
        let rows = try await pane.rows(.servers, query)
        let row = try #require(rows.first { $0.id == RowID("country DE") })
        let filtered = try await pane.source(.servers).detail(of: row.id, in: query)
        let left = try #require(filtered).lines("Filtered servers")
        #expect(row.cells[2].text != "3" && row.cells[4].text == "2")
        #expect(left.contains("servers \(row.cells[2].text)") && left.contains("tiers 2"))
        #expect(try await pane.source(.servers).detail(of: RowID("country QQ"), at: nil) == nil)
        let germany = try #require(
            try await pane.source(.servers).open(RowID("country DE"), at: nil))
        let server = try #require(try await germany.detail(of: RowID("de-2"), at: nil))
        #expect(server.title == "DE#9")
        #expect(server.lines("Server").contains("city Berlin"))
        #expect(server.lines("Server").contains("load ░░░░░░░░ 9%"))
        #expect(
            server.lines("Endpoint end-de-2") == [
                "entry 192.0.2.1", "exit 192.0.2.2", "domain node-de-2.example.net",
                "protocols wireGuardTLS", "label 1", "key key",
                "WireGuardTLS same address ports 443, 8443",
            ])
        let down = try #require(try await germany.detail(of: RowID("de-3"), at: nil))
        #expect(down.lines("Server").contains("status in maintenance"))
        #expect(try await germany.detail(of: RowID("gone"), at: nil) == nil)
        #expect(
            try await germany.copyForms(of: RowID("de-2"), at: nil).map(\.text).dropLast()
                == ["DE#9", "de-2.example.net", "de-2", "192.0.2.1"])
        await pane.close()
    }

    @Test func groupDetailsMatchTheFilteredList() async throws {
        let pane = try await PaneSession(path, device: nil)
        let source = try pane.source(.servers)
        let row = RowID("country DE")
        // The palette searches for names with such a filter.
        _ = try await pane.rows(.servers, RowQuery(filter: "name:\"*#9*\""))
        let whole = try #require(try await source.detail(of: row, at: nil))
        #expect(whole.lines("All servers").contains("servers 3"))
        await pane.close()
    }

    @Test func cityWithOnlyATranslatedNameIsShown() async throws {
        let catalog = try CatalogDatabase.open(path: path)
        try catalog.upsert(servers: [
            CatalogSamples.server("jp-1", "JP#1", "JP", [], translated: "Tokio")
        ])
        let pane = try await PaneSession(path, device: nil)
        let group = try #require(
            try await pane.source(.servers).open(RowID("country JP"), at: nil))
        #expect(try await group.window(WindowRequest(count: 9)).rows[0].cells[2].text == "Tokio")
        let detail = try #require(try await group.detail(of: RowID("jp-1"), at: nil))
        #expect(detail.lines("Server").contains("city Tokio"))
        let states = try #require(
            try await pane.source(.servers).open(RowID("country US"), at: nil))
        let both = try #require(try await states.detail(of: RowID("us-1"), at: nil))
        #expect(both.lines("Server").contains("city New York (Nowy Jork)"))
        await pane.close()
    }

    @Test func serversPaneIsReadOnly() async throws {
        let pane = try await PaneSession(path, device: "desk")
        #expect(try pane.source(.servers).edits.isEmpty)
        await #expect(throws: EditError.self) {
            try await pane.perform(.remove([RowID("country DE")], field: nil), in: .servers)
        }
        await pane.close()
    }

    @Test func scoresHaveTheSameNumberOfDecimals() async throws {
        let pane = try await PaneSession(path, device: nil)
        let group = try #require(
            try await pane.source(.servers).open(RowID("country DE"), at: nil))
        let texts = try await group.texts()
        #expect(texts.compactMap(\.last).sorted() == ["1.00", "3.00", "5.00"])
        await pane.close()
    }
}
