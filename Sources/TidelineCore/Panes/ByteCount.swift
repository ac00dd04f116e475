/// Formats byte counts for users.
package enum ByteCount {
    /// Returns a number of bytes with its unit: `400 B`, `3.1 kB`, `2.0 MB`.
    package static func text(_ byteCount: Int) -> String {
        switch byteCount {
        case ..<1000: "\(byteCount) B"
        case ..<1_000_000: "\((Double(byteCount) / 100).rounded() / 10) kB"
        default: "\((Double(byteCount) / 100_000).rounded() / 10) MB"
        }
    }
}
