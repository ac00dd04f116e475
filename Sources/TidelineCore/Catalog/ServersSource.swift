import Foundation
import Replication
import ServerCatalog
import ServerCatalogGRDB

/// The list of a group's servers.
final class ServersSource: RowSource {
    let info: ListInfo
    private static let columns = [
        Column("name", "SERVER", minimumWidth: 10, width: 16, isSortable: true),
        Column("load", "LOAD", width: 13, isSortable: true),
        Column("city", "CITY", minimumWidth: 8, isSortable: true),
        Column("tier", "TIER", width: 4, alignment: .trailing, isSortable: true),
        Column("features", "FEATURES", minimumWidth: 10),
        Column("protocols", "PROTOCOLS", minimumWidth: 8),
        Column("score", "SCORE", width: 7, alignment: .trailing, isSortable: true),
    ]
    private let catalog: CatalogFile
    private let group: VPNServerFilter
    private let found = KeptAnswers<Int, RowList>()

    init(_ catalog: CatalogFile, group: ServerGroupInfo.Kind, whyNoAlert: String? = nil) {
        self.catalog = catalog
        let title =
            switch group {
            case .country(let code), .city(_, let code): code
            case .gateway(let name, _): name
            }
        info = ListInfo(
            title, columns: Self.columns, filterFields: CatalogFilter.fields, hasPast: false,
            whyNoAlert: whyNoAlert)
        self.group = group.filter
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let query = RowQuery(filter: request.query.filter, sort: request.query.sort)
        let filter = try CatalogFilter(query.filter, hasGroups: false)
        let rows = try found.answer(to: query, in: catalog) { catalog in
            try self.rows(filter, query.sort, catalog)
        }
        return try await rows.window(request)
    }

    /// Returns the servers in order. The catalog itself sorts names, loads and scores, because
    /// their texts don't sort correctly.
    private func rows(
        _ filter: CatalogFilter, _ sort: RowQuery.Sort?, _ catalog: CatalogDatabase
    ) throws -> RowList {
        let order: VPNServerOrder? =
            switch sort?.column {
            case "name", nil: .nameAscending
            case "load": .loadAscending
            case "score": .fastest
            default: nil
            }
        let servers = try catalog.servers(
            passing: filter, among: [group], orderedBy: order ?? .nameAscending)
        guard order != nil else {
            return try RowList(servers.map(Self.row)).arranged(
                RowQuery(sort: sort), by: info)
        }
        var rows = servers.map(Self.row)
        if sort?.isDescending == true { rows.reverse() }
        // A server in maintenance has no load.
        if sort?.column == "load" {
            rows = rows.filter { !$0.isDimmed } + rows.filter(\.isDimmed)
        }
        return RowList(rows)
    }

    private static func row(_ server: ServerInfo) -> Row {
        let logical = server.logical
        let load =
            server.isUnderMaintenance
            ? RowCell("maintenance", .problem, value: .json(.null))
            : RowCell(
                "\(ServerBadges.bar(logical.status.load)) \(logical.status.load)%",
                value: .json(.integer(Int64(logical.status.load))))
        return Row(
            id: RowID(server.id),
            cells: [
                RowCell(logical.name, .title), load,
                RowCell(logical.shownCity ?? ""),
                RowCell(String(logical.tier), .number),
                RowCell(
                    ServerBadges.features(logical.features), .badge,
                    value: .names(logical.features.names)),
                RowCell(
                    ServerBadges.protocols(server.protocolSupport), .dim,
                    value: .names(server.protocolSupport.names)),
                RowCell(
                    String(format: "%.2f", logical.status.score), .number,
                    value: .json(.real(logical.status.score))),
            ], isDimmed: server.isUnderMaintenance)
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
            Detail.Line("features", logical.features.names.joined(separator: ", "), .badge),
            Detail.Line(
                "load", "\(ServerBadges.bar(logical.status.load)) \(logical.status.load)%", .number),
            Detail.Line("score", String(logical.status.score), .number),
            logical.status.status == 0
                ? Detail.Line("status", "in maintenance", .problem)
                : Detail.Line("status", "up"),
        ]
        if server.endpoints.isEmpty {
            lines.append(Detail.Line("endpoints", "none: it can't be connected to", .problem))
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
            Detail.Line("protocols", endpoint.protocolSupport.names.joined(separator: ", ")),
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
        return [
            CopyForm("name", server.logical.name), CopyForm("domain", server.logical.domain),
            CopyForm("id", server.id),
        ] + server.endpoints.compactMap { $0.entryIP }.prefix(1).map { CopyForm("address", $0) }
    }
}
