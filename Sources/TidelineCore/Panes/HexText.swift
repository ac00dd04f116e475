import Foundation

/// Formats bytes as hexadecimal digits and characters: `0d a6 41  ..A`.
public enum HexText {
    /// Returns the width of a line with this many bytes.
    public static func columns(ofByteCount count: Int) -> Int { count * 4 }

    /// Returns one line of bytes, padded to the width of `byteCount` bytes.
    public static func line(_ bytes: some Collection<UInt8>, byteCount: Int) -> String {
        var text = ""
        for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) + " " }
        text += String(repeating: " ", count: max(0, byteCount - bytes.count) * 3)
        for byte in bytes {
            text.unicodeScalars.append((32..<127).contains(byte) ? Unicode.Scalar(byte) : ".")
        }
        return text
    }

    /// Returns the label of a line: the offset of its first byte.
    public static func label(_ offset: Int) -> String {
        let digits = String(offset, radix: 16)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}

extension Detail.Line {
    /// The maximum number of bytes that a detail shows.
    static let longestHex = 64 << 10

    /// Returns data as lines of 16 bytes each, up to the first 64 KiB.
    ///
    /// - Parameter first: The offset of the first byte to show.
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
            lines.append(.omission(ByteCount.text(data.count - longestHex), depth: depth))
        }
        return lines
    }
}
