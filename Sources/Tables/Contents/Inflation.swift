import CZlib
package import Foundation

/// Decompression of the beginning of zlib, gzip and raw deflate data.
package enum Inflation {
    /// Returns whether data starts with a zlib header (RFC 1950).
    package static func isZlib(_ data: Data) -> Bool {
        let head = [UInt8](data.prefix(2))
        guard head.count == 2, head[0] & 15 == 8, head[0] >> 4 <= 7, head[1] & 32 == 0 else {
            return false
        }
        return (Int(head[0]) << 8 | Int(head[1])) % 31 == 0
    }

    /// Inflates zlib or gzip data, up to `limit` bytes.
    ///
    /// - Parameter isRaw: Whether the data is a deflate stream without a header (RFC 1951).
    /// - Returns: `nil` for data that is damaged from the start. `isWhole` is `true` if the result
    ///   contains all of the data.
    package static func inflate(
        _ data: Data, limit: Int, isRaw: Bool = false
    ) -> (data: Data, isWhole: Bool)? {
        var stream = z_stream()
        // 15 is the size of the window in bits. Adding 32 detects either header; a negative value
        // means no header.
        guard
            inflateInit2_(
                &stream, isRaw ? -15 : 15 + 32, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
                == Z_OK
        else { return nil }
        defer { inflateEnd(&stream) }
        var result = Data()
        var input = [UInt8](data)
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var status = Z_OK
        input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            while status == Z_OK, result.count < limit {
                let produced = piece.withUnsafeMutableBufferPointer { piece -> Int in
                    stream.next_out = piece.baseAddress
                    stream.avail_out = UInt32(piece.count)
                    status = CZlib.inflate(&stream, Z_NO_FLUSH)
                    return piece.count - Int(stream.avail_out)
                }
                result.append(contentsOf: piece.prefix(min(produced, limit - result.count)))
                if produced == 0, status == Z_OK { break }
            }
        }
        guard !result.isEmpty || status == Z_STREAM_END else { return nil }
        return (result, status == Z_STREAM_END && stream.avail_in == 0)
    }
}
