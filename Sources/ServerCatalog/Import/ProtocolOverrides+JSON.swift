extension ProtocolOverrides {
    /// The overrides as the service writes them: an object by protocol, keys sorted.
    public var json: String {
        var text = JSONText()
        write(to: &text)
        return text.string
    }

    func write(to text: inout JSONText) {
        text.object { text in
            for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
                text.key(name)
                text.object { text in
                    text.member("IPv4", entry.ipv4)
                    guard let ports = entry.ports else { return }
                    text.key("Ports")
                    text.array { text in
                        for port in ports {
                            text.separate()
                            text.value(port)
                        }
                    }
                }
            }
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
