import ArgumentParser
import CommandSupport
import Replication
import ServerCatalog
import ServerCatalogGRDB
import TidelineCore

struct ShowServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a server with its endpoints.",
        discussion: "Example: tideline servers show Catalog.db 'k3Jx…==' --json",
        helpNames: .long)

    @OptionGroup var catalog: CatalogToRead
    @OptionGroup var identifier: LastArguments<IdentifierName>
    @OptionGroup var json: JSONFlag

    private var id: String { identifier.text }

    func run() throws {
        try catalog.read { catalog in
            guard let server = try catalog.server(withID: id) else {
                try Failure.refuseEmpty(id, to: "show", "identifier")
                throw Failure(.noSuchItem, "show \(id)", "no such server")
            }
            server.print(json: json.json, names: catalog.names)
        }
    }
}

struct FirstServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "first",
        abstract: "Show the first server that matches, with its endpoints.",
        discussion: """
            Example: tideline servers first Catalog.db --country CH --order fastest --json
            """)

    @OptionGroup var catalog: CatalogToRead
    @OptionGroup var filter: FilterOptions

    @Option(help: "The order of the servers.")
    var order = ServerOrderOption.fastest

    @OptionGroup var json: JSONFlag

    func run() throws {
        try catalog.read { catalog in
            let server = try catalog.firstServer(
                filteredBy: filter.filters, orderedBy: order.order)
            guard let server else {
                throw Failure(.noSuchItem, "find a server", "no server matches")
            }
            server.print(json: json.json, names: catalog.names)
        }
    }
}

extension VPNServer {
    fileprivate func print(json isJSON: Bool, names: CountryNames) {
        guard !isJSON else {
            Output.json(json)
            return
        }
        func line(_ label: String, _ text: String?) {
            guard let text, !text.isEmpty else { return }
            let padding = String(repeating: " ", count: max(1, 12 - label.count))
            Output.text(Printable.line(label + padding + text))
        }
        func country(_ code: String) -> String { "\(code) \(names.name(of: code))" }
        line("name", logical.name)
        line("id", logical.id)
        line("domain", logical.domain)
        if logical.entryCountryCode != logical.exitCountryCode {
            line("entry", country(logical.entryCountryCode))
        }
        line("country", country(logical.exitCountryCode))
        if logical.isVirtual { line("machine in", logical.hostCountry.map(country)) }
        line("city", logical.cityInFull)
        line("gateway", logical.gatewayName)
        line("tier", String(logical.tier))
        line("features", logical.features.names.joined(separator: " "))
        line("status", logical.status.status == 0 ? "in maintenance" : "up")
        line("load", "\(logical.status.load)%")
        line("score", String(logical.status.score))
        if endpoints.isEmpty { line("endpoints", "none: clients can't connect to it") }
        for endpoint in endpoints {
            Output.text("")
            line("endpoint", endpoint.id + (endpoint.isUnderMaintenance ? "  in maintenance" : ""))
            line("  entry", endpoint.entryIP)
            line("  exit", endpoint.exitIP)
            line("  domain", endpoint.domain)
            line("  label", endpoint.label)
            line("  key", endpoint.x25519PublicKey)
            line("  protocols", endpoint.protocolSupport.names.joined(separator: " "))
            line("  overrides", endpoint.overrides?.json)
        }
    }
}
