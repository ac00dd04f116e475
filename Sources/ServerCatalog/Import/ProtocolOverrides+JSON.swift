import LosslessJSON

extension ProtocolOverrides {
    /// The overrides as the service writes them: an object by protocol, keys sorted.
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

    /// Overrides from the text that ``json`` makes; `nil` where it is something else.
    public init?(json: String) {
        guard let value = try? RecordDecoder.parse(Array(json.utf8)),
            let overrides = try? ProtocolOverrides(RecordDecoder(value))
        else { return nil }
        self = overrides
    }
}
