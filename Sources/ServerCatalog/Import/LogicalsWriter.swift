public import Foundation
import LosslessJSON

/// Functions that write files in the format of the service's responses, which an import can read.
public enum LogicalsWriter {
    /// Returns a logicals file with one line per server.
    ///
    /// - Complexity: O(*n*) in the size of the file, which is built in memory.
    public static func logicals(_ servers: [VPNServer]) -> Data {
        file(servers) { server, writer in
            writer.object { write(server, to: &$0) }
        }
    }

    /// Returns a loads file with the status of each server.
    ///
    /// - Complexity: O(*n*) in the size of the file, which is built in memory.
    public static func loads(_ servers: [VPNServer]) -> Data {
        file(servers) { server, writer in
            writer.object { writer in
                writer.member("ID", server.id)
                write(server.logical.status, to: &writer)
            }
        }
    }

    private static func file(
        _ servers: [VPNServer], _ record: (VPNServer, inout JSONWriter) -> Void
    ) -> Data {
        var result = Data("{\"Code\":1000,\"LogicalServers\":[\n".utf8)
        for (index, server) in servers.enumerated() {
            var writer = JSONWriter()
            record(server, &writer)
            if index > 0 { result.append(contentsOf: ",\n".utf8) }
            result.append(contentsOf: writer.bytes)
        }
        result.append(contentsOf: "\n]}\n".utf8)
        return result
    }

    private static func write(_ status: LogicalStatus, to writer: inout JSONWriter) {
        writer.member("Load", status.load)
        writer.member("Score", status.score)
        writer.member("Status", status.status)
    }

    private static func write(_ server: VPNServer, to writer: inout JSONWriter) {
        let logical = server.logical
        writer.member("ID", logical.id)
        writer.member("Name", logical.name)
        writer.member("Domain", logical.domain)
        writer.member("EntryCountry", logical.entryCountryCode)
        writer.member("ExitCountry", logical.exitCountryCode)
        writer.member("HostCountry", logical.hostCountry)
        writer.member("City", logical.city)
        writer.member("GatewayName", logical.gatewayName)
        writer.member("Tier", logical.tier)
        writer.member("Features", logical.features.rawValue)
        write(logical.status, to: &writer)
        writer.key("Location")
        writer.object { writer in
            writer.member("Lat", logical.latitude)
            writer.member("Long", logical.longitude)
        }
        if let city = logical.translatedCity {
            writer.key("Translations")
            writer.object { $0.member("City", city) }
        }
        writer.key("Servers")
        writer.array { writer in
            for endpoint in server.endpoints {
                writer.object { write(endpoint, to: &$0) }
            }
        }
    }

    private static func write(_ endpoint: ServerEndpoint, to writer: inout JSONWriter) {
        writer.member("ID", endpoint.id)
        writer.member("EntryIP", endpoint.entryIP)
        writer.member("ExitIP", endpoint.exitIP)
        writer.member("Domain", endpoint.domain)
        writer.member("Status", endpoint.status ?? 1)
        writer.member("Label", endpoint.label)
        writer.member("X25519PublicKey", endpoint.x25519PublicKey)
        if let overrides = endpoint.overrides {
            writer.key("EntryPerProtocol")
            overrides.write(to: &writer)
        }
    }
}

extension JSONWriter {
    /// Writes a member, unless the text is `nil`.
    mutating func member(_ key: String, _ text: String?) {
        guard let text else { return }
        self.key(key)
        string(text)
    }

    mutating func member(_ key: String, _ number: Int) {
        self.key(key)
        integer(number)
    }

    /// Writes a number, or zero if it isn't finite.
    mutating func member(_ key: String, _ number: Double) {
        self.key(key)
        real(number.isFinite ? number : 0)
    }
}
