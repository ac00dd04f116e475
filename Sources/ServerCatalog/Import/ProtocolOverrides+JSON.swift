import LosslessJSON

extension ProtocolOverrides {
    /// The overrides in the service's format: an object with one sorted member per protocol.
    public var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
                writer.key(name)
                writer.object { writer in
                    writer.member("IPv4", entry.ipv4)
                    guard let ports = entry.ports else { return }
                    writer.key("Ports")
                    writer.array { for port in ports { $0.integer(port) } }
                }
            }
        }
    }

    /// Creates overrides from the format of ``json``; `nil` for any other text.
    public init?(json: String) {
        guard let value = try? RecordDecoder.parse(Array(json.utf8)),
            let overrides = try? ProtocolOverrides(RecordDecoder(value))
        else { return nil }
        self = overrides
    }
}
