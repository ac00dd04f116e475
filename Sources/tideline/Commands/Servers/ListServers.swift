import ArgumentParser
import ServerCatalog
import ServerCatalogGRDB
import TidelineCore

struct ListServers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List servers.",
        discussion: """
            Servers without an endpoint are left out; --without-endpoints lists only those.

            Example: tideline servers list Catalog.db --country CH --max-tier 0 --json
            """)

    @OptionGroup var catalog: CatalogToRead
    @OptionGroup var filter: FilterOptions

    @Option(help: "The order of the servers.")
    var order = ServerOrderOption.name

    @Option(help: "The maximum number of servers.")
    var limit: Int?

    @OptionGroup var json: JSONFlag

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() throws {
        try catalog.read { catalog in
            var table = Table(
                "NAME", "COUNTRY", "CITY", "TIER", "LOAD", "FEATURES", "ID", isJSON: json.json)
            try catalog.forEachServer(
                filteredBy: filter.filters, orderedBy: order.order, limit: limit
            ) { server in
                table.add(
                    server.logical.name, server.logical.countries,
                    server.logical.shownCity ?? "", String(server.logical.tier),
                    server.isUnderMaintenance ? "down" : "\(server.logical.status.load)%",
                    server.logical.features.names.joined(separator: " "), server.id,
                    json: server.json)
            }
            table.print()
        }
    }
}

extension Logical {
    /// `CH`, or `CH→US` if the entry is in another country.
    var countries: String {
        entryCountryCode == exitCountryCode
            ? exitCountryCode : "\(entryCountryCode)→\(exitCountryCode)"
    }
}
