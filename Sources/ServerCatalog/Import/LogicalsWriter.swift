public import Foundation

/// Writes the files that the service answers with: what an import reads.
public enum LogicalsWriter {
    /// A logicals file of `servers`.
    public static func logicals(_ servers: [VPNServer]) -> Data {
        file(servers.map { serialize(object($0)) })
    }

    /// A loads file with the status of each of `servers`.
    public static func loads(_ servers: [VPNServer]) -> Data {
        file(
            servers.map { server in
                var object = object(server.logical.status)
                object["ID"] = server.id
                return serialize(object)
            })
    }

    private static func file(_ records: [Data]) -> Data {
        var result = Data("{\"Code\":1000,\"LogicalServers\":[\n".utf8)
        for (index, record) in records.enumerated() {
            if index > 0 { result += Data(",\n".utf8) }
            result += record
        }
        result += Data("\n]}\n".utf8)
        return result
    }

    static func serialize(_ object: [String: Any]) -> Data {
        // The objects are made here, of strings, numbers and their arrays; a real that is no
        // number is the one thing that could fail, and `object` leaves it out.
        (try? JSONSerialization.data(
            withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]))
            ?? Data("{}".utf8)
    }

    private static func object(_ status: LogicalStatus) -> [String: Any] {
        [
            "Load": status.load, "Status": status.status,
            "Score": status.score.isFinite ? status.score : 0,
        ]
    }

    private static func object(_ server: VPNServer) -> [String: Any] {
        let logical = server.logical
        var object = object(logical.status)
        object["ID"] = logical.id
        object["Name"] = logical.name
        object["Domain"] = logical.domain
        object["EntryCountry"] = logical.entryCountryCode
        object["ExitCountry"] = logical.exitCountryCode
        object["HostCountry"] = logical.hostCountry
        object["City"] = logical.city
        object["GatewayName"] = logical.gatewayName
        object["Tier"] = logical.tier
        object["Features"] = logical.features.rawValue
        object["Location"] = [
            "Lat": logical.latitude.isFinite ? logical.latitude : 0,
            "Long": logical.longitude.isFinite ? logical.longitude : 0,
        ]
        if let city = logical.translatedCity { object["Translations"] = ["City": city] }
        object["Servers"] = server.endpoints.map(Self.object)
        return object
    }

    private static func object(_ endpoint: ServerEndpoint) -> [String: Any] {
        var object: [String: Any] = [:]
        object["ID"] = endpoint.id
        object["EntryIP"] = endpoint.entryIP
        object["ExitIP"] = endpoint.exitIP
        object["Domain"] = endpoint.domain
        object["Status"] = endpoint.status ?? 1
        object["Label"] = endpoint.label
        object["X25519PublicKey"] = endpoint.x25519PublicKey
        object["EntryPerProtocol"] = endpoint.overrides?.jsonObject
        return object
    }
}
