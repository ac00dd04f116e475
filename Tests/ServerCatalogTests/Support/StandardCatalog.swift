import Foundation

/// A small catalog with a known result for every query, as the service's JSON.
///
/// Its groups by localized name: a gateway, Canada, Germany, Japan, Poland, Switzerland, United
/// Arab Emirates, United States.
enum StandardCatalog {
    /// One line per server, including commas that JSON doesn't allow.
    static let logicals = """
        {"Code": 1000, "LogicalServers": [
        \(server("gw-1", "ACME-DE#1", "DE", "DE", tier: 2, features: 32, score: 3, gateway: "Acme")),
        \(server("gw-2", "ACME-DE#2", "DE", "DE", tier: 2, features: 36, score: 4, gateway: "Acme")),
        \(server("de-1", "DE#9", "DE", "DE", tier: 2, features: 4, score: 2, city: "Köln", servers: endpoint("de-1", #""IKEv2": {}"#))),
        \(server("de-2", "DE#10", "DE", "DE", tier: 2, features: 12, score: 2.5, city: "Berlin", servers: endpoint("de-2", #""WireGuardTLS": {"Ports": [443,]}"#))),
        \(server("ca-1", "CH-CA#1", "CH", "CA", tier: 2, features: 1, score: 1.5)),
        \(server("ch-1", "CH#1", "CH", "CH", tier: 2, features: 4, score: 1, city: "Zürich")),
        \(server("ch-2", "CH-FREE#1", "CH", "CH", tier: 0, features: 0, score: 5, city: "Zürich", servers: endpoint("ch-2", #""WireGuardTCP": {"IPv4": "192.0.2.3"}"#))),
        \(server("ae-1", "AE#1", "AE", "AE", tier: 2, features: 0, score: 6, host: "GB")),
        \(server("us-1", "US-NY#61-TOR", "US", "US", tier: 2, features: 2, score: 2, city: "New York", translated: "Nowy Jork")),
        \(server("us-2", "US-FREE#2", "US", "US", tier: 0, features: 0, score: 4, status: 0, city: "New York")),
        \(server("jp-1", "JP-FREE#1", "JP", "JP", tier: 0, features: 0, score: 4.5, status: 0)),
        \(server("pl-1", "PL#1", "PL", "PL", tier: 2, features: 4, score: 3, city: "Łódź", servers: endpoint("pl-1", #""OpenVPNUDP": {}, "OpenVPNTCP": {}"#))),
        ],}
        """

    private static func server(
        _ id: String, _ name: String, _ entry: String, _ exit: String, tier: Int, features: Int,
        score: Double, status: Int = 1, city: String? = nil, translated: String? = nil,
        gateway: String? = nil, host: String? = nil, servers: String? = nil
    ) -> String {
        func text(_ value: String?) -> String { value.map { "\"\($0)\"" } ?? "null" }
        return """
            {"ID": "\(id)", "Name": "\(name)", "Domain": "\(id).example.net", "Region": null,
             "EntryCountry": "\(entry)", "ExitCountry": "\(exit)", "HostCountry": \(text(host)),
             "City": \(text(city)), "Translations": {"City": \(text(translated)),},
             "GatewayName": \(text(gateway)), "Tier": \(tier), "Features": \(features),
             "Score": \(score), "Load": 10, "Status": \(status),
             "Location": {"Lat": 1.5, "Long": 2.5},
             "Servers": [\(servers ?? endpoint(id))]}
            """
    }

    private static func endpoint(_ id: String, _ overrides: String? = nil) -> String {
        """
        {"ID": "\(id)-a", "EntryIP": "192.0.2.1", "ExitIP": "192.0.2.2", "Domain": "d",
         "Status": 1, "Label": "0", "X25519PublicKey": "key=",
         "EntryPerProtocol": {\(overrides ?? "")}}
        """
    }
}
