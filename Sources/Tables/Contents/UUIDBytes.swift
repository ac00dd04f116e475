import Foundation

/// A UUID as 16 bytes.
enum UUIDBytes {
    /// Returns the UUID in its usual form; `nil` for any other number of bytes.
    static func text(_ data: Data) -> String? {
        let bytes = [UInt8](data)
        guard bytes.count == 16 else { return nil }
        let digits = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
        return parts.joined(separator: "-").uppercased()
    }

    /// Returns whether 16 bytes have the version and variant bits of an RFC 9562 UUID.
    static func isLikely(_ data: Data) -> Bool {
        let bytes = [UInt8](data)
        return bytes.count == 16 && (1...8).contains(bytes[6] >> 4) && bytes[8] >> 6 == 2
    }
}
