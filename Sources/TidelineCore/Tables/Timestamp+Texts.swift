import Replication

extension Timestamp {
    /// Parses the date at the start of a text, as programs write it to databases: `2026-11-21`,
    /// `2026-11-21 09:15`, `2026-11-21T09:15:00Z`, `2026-11-21 09:15:00 +0200 CEST`.
    ///
    /// A missing time is midnight, and a missing offset is UTC. The rest of the text is ignored.
    init?(dateAtStartOf text: String) {
        let bytes = text.utf8.prefix(64)
        let day = bytes.prefix(10)
        var rest = bytes.dropFirst(10)
        var forms = [Self.text(day)]
        if let separator = rest.first, "Tt ".utf8.contains(separator) {
            let time = rest.dropFirst().prefix { "0123456789:.,".utf8.contains($0) }
            rest = rest.dropFirst(1 + time.count).drop { $0 == UInt8(ascii: " ") }
            let offset = rest.prefix { "+-:0123456789".utf8.contains($0) }
            forms.append("\(Self.text(day))T\(Self.text(time))")
            if !offset.isEmpty { forms.append("\(forms[1])\(Self.text(offset))") }
        }
        for form in forms.reversed() where form.utf8.contains(UInt8(ascii: "-")) {
            guard let instant = try? Timestamp(parsing: form) else { continue }
            self = instant
            return
        }
        return nil
    }

    private static func text(_ bytes: Substring.UTF8View) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
