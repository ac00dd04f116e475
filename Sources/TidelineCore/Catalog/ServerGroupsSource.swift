import Replication
import ServerCatalog
import ServerCatalogGRDB

/// The list of a catalog's groups: gateways first, then countries by name.
final class ServerGroupsSource: RowSource {
    let context: CatalogContext
    private let found = ResultCache<Int, [ListedGroup]>()

    private var catalog: CatalogConnection { context.catalog }

    init(_ context: CatalogContext) { self.context = context }

    var info: ListInfo {
        var info = ListInfo(
            "Servers", owner: context.owner, columns: ListedGroup.schema.columns,
            filterFields: CatalogFilter.fields + CatalogFilter.groupFields,
            innerFields: CatalogFilter.fields, hasPast: false,
            whyNoAlert: context.isOwnShown
                ? "this is the device's own catalog; no other device writes it" : nil)
        info.commands = context.offers
        return info
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        // The filter has already been applied.
        try await ItemList(groups(request.query.filter), ListedGroup.schema)
            .sorted(by: request.query.sort).window(request)
    }

    private func groups(_ filter: String) throws -> [ListedGroup] {
        let wanted = try CatalogFilter(filter, hasGroups: true)
        return try found.answer(to: RowQuery(filter: filter), in: catalog) { catalog in
            let names = catalog.names
            return try catalog.groups(passing: wanted).map {
                ListedGroup(group: $0, names: names)
            }
        }
    }

    func values(of field: FilterField, in query: RowQuery) async throws -> [String] {
        try catalog.values(
            of: field, passing: try CatalogFilter(query.filter, hasGroups: true))
    }

    /// Counts the values of a column in the groups.
    ///
    /// Filters apply to servers before grouping, so for most columns no filter selects the groups
    /// with a value.
    func frequencies(
        of column: String, in query: RowQuery, limit: Int
    ) async throws -> ValueFrequencies? {
        guard var counter = ValueFrequencies.Counter(column, of: info) else { return nil }
        var groupsByName: [String: ListedGroup] = [:]
        for group in try groups(query.filter) {
            counter.add(ListedGroup.schema.row(group))
            groupsByName[group.name] = group
        }
        var counted = counter.frequencies(limit: limit)
        for index in counted.items.indices {
            let text = counted.items[index].cell.text
            switch column {
            case "name": counted.items[index].filter = groupsByName[text]?.filter
            case "code": counted.items[index].filter = Self.term("exit", equalTo: text)
            case "servers", "cities": break
            default: counted.items[index].filter = nil
            }
        }
        return counted
    }

    /// Returns the term that selects servers by a field.
    fileprivate static func term(_ field: String, equalTo text: String) -> String? {
        FilterField.named(field, in: CatalogFilter.fields)?.term(equalTo: text)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        try await detail(of: row, in: RowQuery(instant: instant))
    }

    func detail(of row: RowID, in query: RowQuery) async throws -> Detail? {
        let shown = query.filter.isEmpty ? nil : try group(row, passing: query.filter)
        guard let listed = try shown ?? group(row) else { return nil }
        let (group, names) = (listed.group, listed.names)
        var lines = [
            Detail.Line("country", "\(names.name(of: group.countryCode)) (\(group.countryCode))"),
            Detail.Line("servers", Counted.grouped(group.serverCount), .number),
            Detail.Line("cities", Counted.grouped(group.cityCount), .number),
            Detail.Line("tiers", listed.tiers(separator: " to ")),
            .names("some have", group.featureUnion.names, .badge),
            .names("all have", group.featureIntersection.names, .badge),
            .names("protocols", group.protocolSupport.names),
            Detail.Line("location", "\(group.latitude), \(group.longitude)", .dim),
        ]
        if group.isUnderMaintenance {
            lines.append(Detail.Line("", "all in maintenance", .problem))
        }
        if group.isVirtual { lines.append(Detail.Line("", "hosted in another country", .dim)) }
        let heading = shown == nil ? "All servers" : "Filtered servers"
        return Detail(title: listed.name, sections: [Detail.Section(heading, lines)])
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let listed = try group(row) else { return nil }
        return ServersSource(catalog, group: listed.group.kind, whyNoAlert: info.whyNoAlert)
    }

    private func group(_ row: RowID, passing filter: String = "") throws -> ListedGroup? {
        try groups(filter).first { $0.id == row }
    }

    func preview(_ edit: Edit) async throws -> EditPreview { try context.preview(edit) }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit { try context.apply(preview) }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let listed = try group(row) else { return [] }
        return [
            CopyForm("name", listed.plainName), CopyForm("code", listed.group.countryCode),
            CopyForm("JSON", listed.group.json(names: listed.names).line),
        ]
    }
}

/// A group of servers in the list.
struct ListedGroup: Sendable {
    let group: ServerGroupInfo
    let names: CountryNames

    static let schema = ListSchema<ListedGroup>(
        [
            ListColumn("name", "COUNTRY", minimumWidth: 12, order: .asListed) {
                RowCell($0.name, .title)
            },
            ListColumn("code", "CODE", width: 4) { RowCell($0.group.countryCode, .dim) },
            .number("servers", "SERVERS", width: 7, example: "servers>100") {
                $0.group.serverCount
            },
            .number("cities", "CITIES", width: 6, example: "cities>5") { $0.group.cityCount },
            ListColumn("tiers", "TIERS", width: 5, isSortable: false) {
                RowCell($0.tiers(separator: "-"), .dim)
            },
            ListColumn("features", "FEATURES", minimumWidth: 10, isSortable: false) {
                ServerBadges.features($0.group.featureUnion)
            },
            ListColumn("protocols", "PROTOCOLS", minimumWidth: 10, isSortable: false) {
                ServerBadges.protocols($0.group.protocolSupport)
            },
        ], id: \.id, mark: { $0.isDimmed = $1.group.isUnderMaintenance })

    var id: RowID { Self.id(of: group.kind) }

    var name: String {
        if case .gateway = group.kind { "⇄ \(plainName)" } else { plainName }
    }

    /// The name without the sign of a gateway.
    var plainName: String {
        switch group.kind {
        case .gateway(let gateway, _): gateway
        case .country(let code), .city(_, let code): names.name(of: code)
        }
    }

    /// The filter that selects the servers of groups with this name; `nil` if no filter can.
    fileprivate var filter: String? {
        switch group.kind {
        case .gateway(let gateway, _): ServerGroupsSource.term("gateway", equalTo: gateway)
        case .country(let code), .city(_, let code):
            ServerGroupsSource.term("country", equalTo: code)
        }
    }

    func tiers(separator: String) -> String {
        group.minTier == group.maxTier
            ? "\(group.minTier)" : "\(group.minTier)\(separator)\(group.maxTier)"
    }

    static func id(of group: ServerGroupInfo.Kind) -> RowID {
        switch group {
        case .gateway(let gateway, let code): RowID("gateway \(code) \(gateway)")
        case .country(let code), .city(_, let code): RowID("country \(code)")
        }
    }
}

/// Cells of features and protocols, in a few letters each.
enum ServerBadges {
    static func features(_ features: ServerFeature) -> RowCell {
        let letters: [(ServerFeature, String)] = [
            (.secureCore, "core"), (.tor, "tor"), (.p2p, "p2p"), (.streaming, "tv"), (.ipv6, "v6"),
            (.restricted, "restr"),
        ]
        let text = letters.filter { features.contains($0.0) }.map(\.1).joined(separator: " ")
        return RowCell(text, .badge, value: .json(.names(features.names)))
    }

    static func protocols(_ support: ProtocolSupport) -> RowCell {
        let letters: [(ProtocolSupport, String)] = [
            (.ikev2, "ike"), (.wireGuardUDP, "wg"), (.wireGuardTCP, "wg-tcp"),
            (.wireGuardTLS, "tls"), (.openVPNUDP, "ovpn"), (.openVPNTCP, "ovpn-tcp"),
        ]
        let text = letters.filter { support.contains($0.0) }.map(\.1).joined(separator: " ")
        return RowCell(
            support == .all ? "all" : text, .dim, value: .json(.names(support.names)))
    }

    /// Returns a bar of eight cells for the load.
    static func bar(_ load: Int) -> String {
        let eighths = max(0, min(load, 100)) * 8 / 100
        return String(repeating: "█", count: eighths) + String(repeating: "░", count: 8 - eighths)
    }
}
