import ArgumentParser
import CommandSupport
import ServerCatalog
import ServerCatalogGRDB
import TidelineCore

struct ServerGroups: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "List countries and gateways with the common properties of their servers.",
        discussion: "Example: tideline servers groups Catalog.db --features p2p --order name --json"
    )

    enum Grouping: String, ExpressibleByArgument, CaseIterable {
        case country, city
    }

    enum Order: String, ExpressibleByArgument, CaseIterable {
        case code, name
    }

    @OptionGroup var catalog: CatalogToRead
    @OptionGroup var filter: FilterOptions

    @Option(help: "Group by country (and gateway) or by city.")
    var by = Grouping.country

    @Option(help: "Sort by code, or by name in your language.")
    var order = Order.name

    @OptionGroup var json: JSONFlag

    func run() throws {
        try catalog.read { catalog in
            let groups = try catalog.groups(
                filteredBy: filter.filters, groupedBy: by == .city ? .city : .country,
                orderedBy: order == .code
                    ? .exitCountryCodeAscending : .localizedCountryNameAscending)
            if json.json {
                for group in groups { Output.json(group.json(names: catalog.names)) }
                return
            }
            var table = Table("CODE", "NAME", "SERVERS", "CITIES", "TIERS", "FEATURES", "")
            for group in groups {
                table.add(
                    group.countryCode, name(of: group, catalog.names), String(group.serverCount),
                    String(group.cityCount),
                    group.minTier == group.maxTier
                        ? "\(group.minTier)" : "\(group.minTier)-\(group.maxTier)",
                    group.featureUnion.names.joined(separator: " "),
                    group.isUnderMaintenance ? "down" : group.isVirtual ? "virtual" : "")
            }
            table.print()
        }
    }

    private func name(of group: ServerGroupInfo, _ names: CountryNames) -> String {
        switch group.kind {
        case .country(let code): names.name(of: code)
        case .gateway(let name, let code): "\(name) (\(names.name(of: code)))"
        case .city(let name, let code): "\(name ?? "-") (\(names.name(of: code)))"
        }
    }
}
