import Foundation

extension ProtocolOverrides {
    /// The overrides as the service writes them: an object by protocol, keys sorted.
    public var json: String {
        String(decoding: LogicalsWriter.serialize(jsonObject), as: UTF8.self)
    }

    var jsonObject: [String: Any] {
        entries.mapValues { entry in
            var object: [String: Any] = [:]
            object["IPv4"] = entry.ipv4
            object["Ports"] = entry.ports
            return object
        }
    }

    /// Overrides from the text that ``json`` makes; `nil` where it is something else.
    public init?(json: String) {
        guard let value = try? LenientJSON(parsing: Array(json.utf8)),
            let overrides = try? ProtocolOverrides(RecordDecoder(value))
        else { return nil }
        self = overrides
    }
}
