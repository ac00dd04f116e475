import Replication

/// The format of instants in interchange files.
enum InstantText {
    /// Formats ISO 8601 in UTC. The fraction of a second has six digits, or is omitted if zero, as
    /// the original writes and expects it.
    static func write(_ instant: Timestamp) -> String {
        let text = instant.iso8601
        return text.hasSuffix(".000000Z") ? text.dropLast(8) + "Z" : text
    }

    /// Parses ISO 8601. Returns `nil` for other text and for instants that aren't whole
    /// microseconds, which could not be stored.
    static func read(_ text: String) -> Timestamp? {
        guard Int64(text) == nil, let instant = try? Timestamp(parsing: text) else { return nil }
        if let point = text.utf8.firstIndex(where: { $0 == 0x2E || $0 == 0x2C }) {
            let digits = text.utf8[point...].dropFirst().prefix { (0x30...0x39).contains($0) }
            guard digits.dropFirst(6).allSatisfy({ $0 == 0x30 }) else { return nil }
        }
        return instant
    }
}
