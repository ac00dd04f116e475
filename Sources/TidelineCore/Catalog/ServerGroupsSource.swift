import Replication
import ServerCatalog
import ServerCatalogGRDB

/// The list of a catalog's groups: gateways first, then countries by name.
final class ServerGroupsSource: RowSource {
    let info: ListInfo
    private static let columns = [
        Column("name", "COUNTRY", minimumWidth: 12, isSortable: true),
        Column("code", "CODE", width: 4, isSortable: true),
        Column("servers", "SERVERS", width: 7, alignment: .trailing, isSortable: true),
        Column("cities", "CITIES", width: 6, alignment: .trailing, isSortable: true),
        Column("tiers", "TIERS", width: 5),
        Column("features", "FEATURES", minimumWidth: 10),
        Column("protocols", "PROTOCOLS", minimumWidth: 10),
    ]
    private let catalog: CatalogFile
    private let found = KeptAnswers<Int, Groups>()

    /// The groups that match a filter, with the country names.
    private struct Groups {
        let list: [(group: ServerGroupInfo, row: Row)]
        let names: CountryNames
    }

    /// - Parameters:
    ///   - owner: The owner of the catalog, if the user could mistake it.
    ///   - isOwn: Whether it is the catalog of the writing device.
    init(_ catalog: CatalogFile, owner: DeviceID? = nil, isOwn: Bool = false) {
        self.catalog = catalog
        info = ListInfo(
            "Servers", owner: owner, columns: Self.columns,
            filterFields: CatalogFilter.fields + CatalogFilter.groupFields,
            innerFields: CatalogFilter.fields, hasPast: false,
            whyNoAlert: isOwn ? "this is the device's own catalog; no other device writes it" : nil)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let rows = try groups(request.query.filter).list.map(\.row)
        let sort = request.query.sort
        // The groups are already sorted by localized name.
        guard sort?.column != "name" else {
            return try await RowList(sort?.isDescending == true ? rows.reversed() : rows)
                .window(request)
        }
        // The filter has already been applied.
        return try await RowList(rows).arranged(RowQuery(sort: sort), by: info)
            .window(request)
    }

    private func groups(_ filter: String) throws -> Groups {
        let wanted = try CatalogFilter(filter, hasGroups: true)
        return try found.answer(to: RowQuery(filter: filter), in: catalog) { catalog in
            let groups = try catalog.groups(passing: wanted)
            return Groups(
                list: groups.map { ($0, Self.row($0, names: catalog.names)) },
                names: catalog.names)
        }
    }

    private static func row(_ group: ServerGroupInfo, names: CountryNames) -> Row {
        let name =
            switch group.kind {
            case .gateway(let gateway, _): "⇄ \(gateway)"
            case .country(let code), .city(_, let code): names.name(of: code)
            }
        return Row(
            id: id(of: group.kind),
            cells: [
                RowCell(name, .title), RowCell(group.countryCode, .dim),
                RowCell(String(group.serverCount), .number),
                RowCell(String(group.cityCount), .number),
                RowCell(tiers(of: group, separator: "-"), .dim),
                RowCell(
                    ServerBadges.features(group.featureUnion), .badge,
                    value: .names(group.featureUnion.names)),
                RowCell(
                    ServerBadges.protocols(group.protocolSupport), .dim,
                    value: .names(group.protocolSupport.names)),
            ], isDimmed: group.isUnderMaintenance)
    }

    /// Returns the row of a group.
    static func id(of group: ServerGroupInfo.Kind) -> RowID {
        switch group {
        case .gateway(let gateway, let code): RowID("gateway \(code) \(gateway)")
        case .country(let code), .city(_, let code): RowID("country \(code)")
        }
    }

    private static func tiers(of group: ServerGroupInfo, separator: String) -> String {
        group.minTier == group.maxTier
            ? "\(group.minTier)" : "\(group.minTier)\(separator)\(group.maxTier)"
    }

    func values(of field: FilterField, in query: RowQuery) async throws -> [String] {
        try catalog.values(
            of: field, passing: try CatalogFilter(query.filter, hasGroups: true))
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        try await detail(of: row, in: RowQuery(instant: instant))
    }

    func detail(of row: RowID, in query: RowQuery) async throws -> Detail? {
        let shown = query.filter.isEmpty ? nil : try group(row, passing: query.filter)
        guard let (group, names) = try shown ?? group(row) else { return nil }
        var lines = [
            Detail.Line("country", "\(names.name(of: group.countryCode)) (\(group.countryCode))"),
            Detail.Line("servers", Counted.grouped(group.serverCount), .number),
            Detail.Line("cities", Counted.grouped(group.cityCount), .number),
            Detail.Line("tiers", Self.tiers(of: group, separator: " to ")),
            Detail.Line("some have", group.featureUnion.names.joined(separator: ", "), .badge),
            Detail.Line(
                "all have", group.featureIntersection.names.joined(separator: ", "), .badge),
            Detail.Line("protocols", group.protocolSupport.names.joined(separator: ", ")),
            Detail.Line("location", "\(group.latitude), \(group.longitude)", .dim),
        ]
        if group.isUnderMaintenance {
            lines.append(Detail.Line("", "all in maintenance", .problem))
        }
        if group.isVirtual { lines.append(Detail.Line("", "hosted in another country", .dim)) }
        let title = Self.row(group, names: names).cells[0].text
        return Detail(
            title: title,
            sections: [
                Detail.Section(
                    shown == nil ? "All servers" : "Filtered servers", lines)
            ])
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let (group, _) = try group(row) else { return nil }
        return ServersSource(catalog, group: group.kind, whyNoAlert: info.whyNoAlert)
    }

    private func group(
        _ row: RowID, passing filter: String = ""
    ) throws -> (ServerGroupInfo, CountryNames)? {
        let groups = try groups(filter)
        return groups.list.first { $0.row.id == row }.map { ($0.group, groups.names) }
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let (group, _) = try group(row) else { return [] }
        return [CopyForm("code", group.countryCode)]
    }
}

/// Features and protocols in a few letters each.
enum ServerBadges {
    static func features(_ features: ServerFeature) -> String {
        let letters: [(ServerFeature, String)] = [
            (.secureCore, "core"), (.tor, "tor"), (.p2p, "p2p"), (.streaming, "tv"), (.ipv6, "v6"),
            (.restricted, "restr"),
        ]
        return letters.filter { features.contains($0.0) }.map(\.1).joined(separator: " ")
    }

    static func protocols(_ support: ProtocolSupport) -> String {
        if support == .all { return "all" }
        let letters: [(ProtocolSupport, String)] = [
            (.ikev2, "ike"), (.wireGuardUDP, "wg"), (.wireGuardTCP, "wg-tcp"),
            (.wireGuardTLS, "tls"), (.openVPNUDP, "ovpn"), (.openVPNTCP, "ovpn-tcp"),
        ]
        return letters.filter { support.contains($0.0) }.map(\.1).joined(separator: " ")
    }

    /// Returns a bar of eight cells for the load.
    static func bar(_ load: Int) -> String {
        let eighths = max(0, min(load, 100)) * 8 / 100
        return String(repeating: "█", count: eighths) + String(repeating: "░", count: 8 - eighths)
    }
}

extension CellValue {
    static func names(_ names: [String]) -> CellValue { .json(.array(names.map { .string($0) })) }
}
