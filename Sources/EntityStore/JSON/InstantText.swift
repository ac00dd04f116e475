import Replication

/// Instants as interchange files have them.
enum InstantText {
    /// ISO 8601 in UTC; six digits of a second's fraction, or none where there is none, as the
    /// original writes and expects it.
    static func write(_ instant: Timestamp) -> String {
        let text = instant.iso8601
        return text.hasSuffix(".000000Z") ? text.dropLast(8) + "Z" : text
    }

    /// `nil` for what is not ISO 8601, and for an instant that is not a whole number of
    /// microseconds, which could not be kept.
    static func read(_ text: String) -> Timestamp? {
        guard Int64(text) == nil, let instant = try? Timestamp(parsing: text) else { return nil }
        if let point = text.utf8.firstIndex(where: { $0 == 0x2E || $0 == 0x2C }) {
            let digits = text.utf8[point...].dropFirst().prefix { (0x30...0x39).contains($0) }
            guard digits.dropFirst(6).allSatisfy({ $0 == 0x30 }) else { return nil }
        }
        return instant
    }
}
