/// Formats byte counts for users.
package enum ByteCount {
    /// Returns a number of bytes with its unit: `400 B`, `3.1 kB`, `2.0 MB`, `4.2 GB`.
    package static func text(_ byteCount: some BinaryInteger) -> String {
        guard byteCount >= 1000 else { return "\(byteCount) B" }
        var amount = Double(byteCount) / 1000
        var units = ["kB", "MB", "GB", "TB"][...]
        // 999,950 bytes are 1.0 MB, not 1000.0 kB.
        while amount >= 999.95, units.count > 1 {
            amount /= 1000
            units.removeFirst()
        }
        return "\((amount * 10).rounded() / 10) \(units[units.startIndex])"
    }

    /// Returns a number of bytes with its unit and, if that is rounded, the exact number:
    /// `400 B`, `41.0 kB (40,960 bytes)`.
    package static func exactText(_ byteCount: some BinaryInteger) -> String {
        let rounded = text(byteCount)
        return byteCount < 1000 ? rounded : "\(rounded) (\(Counted.grouped(byteCount)) bytes)"
    }
}
