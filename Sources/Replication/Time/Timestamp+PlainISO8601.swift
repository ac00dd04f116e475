extension Timestamp {
    /// ISO 8601 in UTC. The fraction of a second has six digits, or is omitted if zero.
    package var plainISO8601: String {
        let text = iso8601
        return text.hasSuffix(".000000Z") ? text.dropLast(8) + "Z" : text
    }

    /// Parses ISO 8601. Returns `nil` for other text and for instants that aren't whole
    /// microseconds, which can't be represented exactly.
    package init?(exactly text: String) {
        guard Int64(text) == nil, let instant = try? Timestamp(parsing: text) else { return nil }
        if let point = text.utf8.firstIndex(where: { $0 == 0x2E || $0 == 0x2C }) {
            let digits = text.utf8[point...].dropFirst().prefix { (0x30...0x39).contains($0) }
            guard digits.dropFirst(6).allSatisfy({ $0 == 0x30 }) else { return nil }
        }
        self = instant
    }
}
