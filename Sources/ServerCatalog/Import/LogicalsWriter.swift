public import Foundation

/// Writes the files that the service answers with: what an import reads.
public enum LogicalsWriter {
    /// A logicals file of `servers`, a line each.
    public static func logicals(_ servers: [VPNServer]) -> Data {
        file(servers) { server, text in
            text.object { write(server, to: &$0) }
        }
    }

    /// A loads file with the status of each of `servers`.
    public static func loads(_ servers: [VPNServer]) -> Data {
        file(servers) { server, text in
            text.object { text in
                text.member("ID", server.id)
                write(server.logical.status, to: &text)
            }
        }
    }

    private static func file(
        _ servers: [VPNServer], _ record: (VPNServer, inout JSONText) -> Void
    ) -> Data {
        var result = Data("{\"Code\":1000,\"LogicalServers\":[\n".utf8)
        for (index, server) in servers.enumerated() {
            var text = JSONText()
            record(server, &text)
            if index > 0 { result.append(contentsOf: ",\n".utf8) }
            result.append(contentsOf: text.bytes)
        }
        result.append(contentsOf: "\n]}\n".utf8)
        return result
    }

    private static func write(_ status: LogicalStatus, to text: inout JSONText) {
        text.member("Load", status.load)
        text.member("Score", status.score)
        text.member("Status", status.status)
    }

    private static func write(_ server: VPNServer, to text: inout JSONText) {
        let logical = server.logical
        text.member("ID", logical.id)
        text.member("Name", logical.name)
        text.member("Domain", logical.domain)
        text.member("EntryCountry", logical.entryCountryCode)
        text.member("ExitCountry", logical.exitCountryCode)
        text.member("HostCountry", logical.hostCountry)
        text.member("City", logical.city)
        text.member("GatewayName", logical.gatewayName)
        text.member("Tier", logical.tier)
        text.member("Features", logical.features.rawValue)
        write(logical.status, to: &text)
        text.key("Location")
        text.object { text in
            text.member("Lat", logical.latitude)
            text.member("Long", logical.longitude)
        }
        if let city = logical.translatedCity {
            text.key("Translations")
            text.object { $0.member("City", city) }
        }
        text.key("Servers")
        text.array { text in
            for endpoint in server.endpoints {
                text.separate()
                text.object { write(endpoint, to: &$0) }
            }
        }
    }

    private static func write(_ endpoint: ServerEndpoint, to text: inout JSONText) {
        text.member("ID", endpoint.id)
        text.member("EntryIP", endpoint.entryIP)
        text.member("ExitIP", endpoint.exitIP)
        text.member("Domain", endpoint.domain)
        text.member("Status", endpoint.status ?? 1)
        text.member("Label", endpoint.label)
        text.member("X25519PublicKey", endpoint.x25519PublicKey)
        if let overrides = endpoint.overrides {
            text.key("EntryPerProtocol")
            overrides.write(to: &text)
        }
    }
}
