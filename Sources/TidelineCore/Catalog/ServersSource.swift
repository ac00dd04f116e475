import Foundation
import Replication
import ServerCatalog
import ServerCatalogGRDB

/// The list of a group's servers.
final class ServersSource: RowSource {
    let info: ListInfo
    private let catalog: CatalogConnection
    private let group: VPNServerFilter
    private let found = ResultCache<Int, ItemList<ListedServer>>()

    init(_ catalog: CatalogConnection, group: ServerGroupInfo.Kind, whyNoAlert: String? = nil) {
        self.catalog = catalog
        let title =
            switch group {
            case .country(let code), .city(_, let code): code
            case .gateway(let name, _): name
            }
        info = ListInfo(
            title, columns: ListedServer.schema.columns, filterFields: CatalogFilter.fields,
            hasPast: false, whyNoAlert: whyNoAlert)
        self.group = group.filter
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let query = RowQuery(filter: request.query.filter, sort: request.query.sort)
        let filter = try CatalogFilter(query.filter, hasGroups: false)
        let servers = try found.answer(to: query, in: catalog) { catalog in
            try self.servers(filter, query.sort, catalog)
        }
        return try await servers.window(request)
    }

    /// Returns the sorted servers. SQL sorts them by name, load or score.
    private func servers(
        _ filter: CatalogFilter, _ sort: RowQuery.Sort?, _ catalog: CatalogDatabase
    ) throws -> ItemList<ListedServer> {
        let order: VPNServerOrder? =
            switch sort?.column {
            case "name", nil: .nameAscending
            case "load": .loadAscending
            case "score": .fastest
            default: nil
            }
        let names = catalog.names
        var servers = try catalog.servers(
            passing: filter, among: [group], orderedBy: order ?? .nameAscending
        ).map { ListedServer(server: $0, names: names) }
        guard order != nil else {
            return ItemList(servers, ListedServer.schema).sorted(by: sort)
        }
        if sort?.isDescending == true { servers.reverse() }
        // A server in maintenance has no load.
        if sort?.column == "load" {
            servers =
                servers.filter { !$0.server.isUnderMaintenance }
                + servers.filter(\.server.isUnderMaintenance)
        }
        return ItemList(servers, ListedServer.schema)
    }

    func values(of field: FilterField, in query: RowQuery) async throws -> [String] {
        if field.name == "name" {
            let window = try await window(WindowRequest(query: query, count: 1_000))
            return FilterField.values(in: 0, of: window.rows)
        }
        let filter = try CatalogFilter(query.filter, hasGroups: false)
        return try catalog.values(of: field, passing: filter, among: [group])
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        let (found, names) = try catalog.read {
            (try $0.server(withID: row.name), $0.names)
        }
        guard let server = found else { return nil }
        let logical = server.logical
        var lines = [
            Detail.Line("id", logical.id, .dim), Detail.Line("domain", logical.domain),
            Detail.Line("exit", place(logical.exitCountryCode, names)),
            Detail.Line("entry", place(logical.entryCountryCode, names)),
        ]
        if let host = logical.hostCountry { lines.append(Detail.Line("host", place(host, names))) }
        if let city = logical.cityInFull { lines.append(Detail.Line("city", city)) }
        if let gateway = logical.gatewayName { lines.append(Detail.Line("gateway", gateway)) }
        lines += [
            Detail.Line("tier", String(logical.tier), .number),
            .names("features", logical.features.names, .badge),
            Detail.Line(
                "load", "\(ServerBadges.bar(logical.status.load)) \(logical.status.load)%", .number),
            Detail.Line("score", String(logical.status.score), .number),
            logical.status.status == 0
                ? Detail.Line("status", "in maintenance", .problem)
                : Detail.Line("status", "up"),
        ]
        if server.endpoints.isEmpty {
            lines.append(Detail.Line("endpoints", "none: clients can't connect to it", .problem))
        }
        let endpoints = server.endpoints.map { Detail.Section("Endpoint \($0.id)", Self.lines($0)) }
        return Detail(title: logical.name, sections: [Detail.Section("Server", lines)] + endpoints)
    }

    private func place(_ code: String, _ names: CountryNames) -> String {
        "\(names.name(of: code)) (\(code))"
    }

    private static func lines(_ endpoint: ServerEndpoint) -> [Detail.Line] {
        var lines = [
            Detail.Line("entry", endpoint.entryIP ?? "depends on the protocol"),
            Detail.Line("exit", endpoint.exitIP), Detail.Line("domain", endpoint.domain),
            .names("protocols", endpoint.protocolSupport.names),
        ]
        if let label = endpoint.label, !label.isEmpty { lines.append(Detail.Line("label", label)) }
        if let key = endpoint.x25519PublicKey { lines.append(Detail.Line("key", key, .data)) }
        if endpoint.isUnderMaintenance {
            lines.append(Detail.Line("status", "in maintenance", .problem))
        }
        for (name, entry) in (endpoint.overrides?.entries ?? [:]).sorted(by: { $0.key < $1.key }) {
            let ports = entry.ports.map { " ports " + $0.map(String.init).joined(separator: ", ") }
            lines.append(
                Detail.Line(name, (entry.ipv4 ?? "same address") + (ports ?? ""), depth: 1))
        }
        return lines
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        let server = try catalog.read { try $0.server(withID: row.name) }
        guard let server else { return [] }
        let address = server.endpoints.lazy.compactMap { $0.entryIP }.first
        return [
            CopyForm("name", server.logical.name), CopyForm("domain", server.logical.domain),
            CopyForm("id", server.id), address.map { CopyForm("address", $0) },
            CopyForm("JSON", server.json.line),
        ].compactMap(\.self)
    }
}

struct ListedServer: Sendable {
    let server: ServerInfo
    let names: CountryNames

    private var logical: Logical { server.logical }

    static let schema = ListSchema<ListedServer>(
        fields + columns, id: { RowID($0.server.id) }, words: { $0.contains(where: $1) },
        mark: { $0.isDimmed = $1.server.isUnderMaintenance })

    private static let columns: [ListColumn<ListedServer>] = [
        ListColumn("name", "SERVER", minimumWidth: 10, width: 16) {
            RowCell($0.logical.name, .title)
        },
        ListColumn("load", "LOAD", width: 13) {
            let load = $0.logical.status.load
            return $0.server.isUnderMaintenance
                ? RowCell("maintenance", .problem, value: .json(.null))
                : RowCell(
                    "\(ServerBadges.bar(load)) \(load)%", value: .json(.integer(Int64(load))))
        },
        ListColumn("city", "CITY", minimumWidth: 8) { RowCell($0.logical.shownCity ?? "") },
        .number("tier", "TIER", width: 4, isIdentifier: true) { $0.logical.tier },
        ListColumn("features", "FEATURES", minimumWidth: 10, isSortable: false) {
            ServerBadges.features($0.logical.features)
        },
        ListColumn("protocols", "PROTOCOLS", minimumWidth: 8, isSortable: false) {
            ServerBadges.protocols($0.server.protocolSupport)
        },
        ListColumn("score", "SCORE", width: 7, alignment: .trailing) {
            let score = $0.logical.status.score
            return RowCell(String(format: "%.2f", score), .number, value: .json(.real(score)))
        },
    ]

    // MARK: Filters

    private static let fields: [ListColumn<ListedServer>] = [
        .field("country", .name, example: "country:CH", aliases: ["code"]) {
            .texts($0.logical.gatewayName == nil ? $0.exit : [])
        },
        .field("entry", .name, example: "entry:SE") { .texts($0.entry) },
        .field("exit", .name, example: "exit:CH") { .texts($0.exit) },
        .field("city", example: "city:\"New York\"") { .texts($0.cities) },
        .field("gateway", example: "gateway:*") {
            .texts($0.logical.gatewayName.map { [$0] } ?? [])
        },
        .field("tier", .number, example: "tier:0", aliases: ["tiers"]) {
            .number(Double($0.logical.tier))
        },
        .field("maxtier", .number, example: "maxtier:2") { .number(Double($0.logical.tier)) },
        .field(
            "feature", .choice(ServerFeature.named.map(\.name)), example: "feature:p2p,tor",
            aliases: ["features"]
        ) { .texts($0.logical.features.names.map { $0.lowercased() }) },
        .field(
            "without", .choice(ServerFeature.named.map(\.name)), example: "without:secureCore"
        ) { server in
            let features = server.logical.features.names
            return .texts(
                ServerFeature.named.map(\.name).filter { !features.contains($0) }
                    .map { $0.lowercased() })
        },
        .field(
            "protocol", .choice(ProtocolSupport.named.map(\.name)),
            example: "protocol:wireGuardTLS", aliases: ["protocols"]
        ) { .texts($0.server.protocolSupport.names.map { $0.lowercased() }) },
        .field("online", .choice(["yes"]), example: "online:yes") {
            .texts($0.server.isUnderMaintenance ? [] : ["yes"])
        },
        .field("load", .number, example: "load<30") {
            // A server in maintenance has no load.
            .number($0.server.isUnderMaintenance ? nil : Double($0.logical.status.load))
        },
        .field("score", .number, example: "score<2.5") { .number($0.logical.status.score) },
        .field("id", example: "id:XYZ") { .texts([$0.logical.id]) },
        // Listed servers are loaded without endpoints, so the catalog compares this field with SQL.
        .field("endpoint", example: "endpoint:XYZ") { _ in .texts([]) },
        .field("endpoints", .choice(["none"]), example: "endpoints:none") { _ in .texts([]) },
        .field("name", example: "name:CH#1", aliases: ["server"]) { .texts([$0.logical.name]) },
    ]

    private var entry: [String] { country(logical.entryCountryCode) }
    private var exit: [String] { country(logical.exitCountryCode) }
    private var cities: [String] { [logical.city, logical.translatedCity].compactMap { $0 } }

    private func country(_ code: String) -> [String] { [code, names.name(of: code)] }

    private func contains(where test: (String) -> Bool) -> Bool {
        test(logical.name) || cities.contains(where: test) || test(logical.gatewayName ?? "")
            || exit.contains(where: test) || entry.contains(where: test)
    }
}

extension Detail.Line {
    /// Creates a line that lists names, such as those of features.
    static func names(_ label: String, _ names: [String], _ role: TextRole = .plain) -> Self {
        names.isEmpty
            ? Self(label, "none", .dim) : Self(label, names.joined(separator: ", "), role)
    }
}
