import Foundation

/// Bytes as digits and characters: `0d a6 41  ..A`.
public enum HexText {
    /// The columns that so many bytes take.
    public static func columns(ofByteCount count: Int) -> Int { count * 4 }

    /// One line of bytes, filled up to the digits of so many.
    public static func line(_ bytes: some Collection<UInt8>, byteCount: Int) -> String {
        var text = ""
        for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) + " " }
        text += String(repeating: " ", count: max(0, byteCount - bytes.count) * 3)
        for byte in bytes {
            text.unicodeScalars.append((32..<127).contains(byte) ? Unicode.Scalar(byte) : ".")
        }
        return text
    }

    /// The place of a byte, as the label of its line.
    public static func label(_ offset: Int) -> String {
        let digits = String(offset, radix: 16)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}

extension Detail.Line {
    /// Bytes in the lines of a detail are shown as far as this.
    static let longestHex = 64 << 10

    /// Bytes as lines of digits and characters, sixteen in each, the first 64 KiB of them.
    ///
    /// - Parameter first: The place of the first byte that is wanted.
    static func hex(_ data: Data, from first: Int = 0, depth: Int = 0) -> [Self] {
        let bytes = data.dropFirst(first).prefix(max(0, longestHex - first))
        var lines = stride(from: 0, to: bytes.count, by: 16).map { start in
            let row = Data(bytes.dropFirst(start).prefix(16))
            var line = Self(
                HexText.label(first + start), HexText.line(row, byteCount: 16), .data, depth: depth)
            line.bytes = row
            return line
        }
        if data.count > longestHex {
            let rest = ByteCount.text(data.count - longestHex)
            lines.append(Self("", "… \(rest) more", .dim, depth: depth))
        }
        return lines
    }
}
