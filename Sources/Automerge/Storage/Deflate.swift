import CLibdeflate
import CZlib

/// Raw DEFLATE streams: read by zlib, which can stop at a limit, and written by libdeflate.
enum Deflate {
    /// Inflates a stream and appends the result to `out`.
    ///
    /// - Throws: `FormatError` with code `.tooLarge` as soon as the result exceeds `limit` bytes,
    ///   or `.badCompression` if the stream is invalid or continues after its end.
    static func inflate(
        _ bytes: UnsafeBufferPointer<UInt8>, into out: inout ByteWriter, limit: Int
    ) throws(FormatError) {
        var stream = z_stream()
        guard tl_inflateInitRaw(&stream) == Z_OK else {
            throw FormatError(.badCompression, "zlib ran out of memory")
        }
        defer { inflateEnd(&stream) }
        guard let start = bytes.baseAddress, bytes.count < Int(UInt32.max) else {
            throw FormatError(.badCompression, "a compressed column is empty or over 4 GiB")
        }
        stream.next_in = UnsafeMutablePointer(mutating: start)
        stream.avail_in = UInt32(bytes.count)
        var total = 0
        var room = Swift.max(256, bytes.count * 4)
        while true {
            room = Swift.min(room, 1 << 20, limit - total + 1)
            let status = out.withSpace(room) { space in
                stream.next_out = space
                stream.avail_out = UInt32(room)
                let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                let written = room - Int(stream.avail_out)
                total += written
                return (status, written)
            }
            guard total <= limit else {
                throw FormatError(.tooLarge, "a compressed column inflates beyond its limit")
            }
            if status == Z_STREAM_END {
                guard stream.avail_in == 0 else {
                    throw FormatError(.badCompression, "bytes follow a compressed column")
                }
                return
            }
            guard status == Z_OK, stream.avail_out == 0 else {
                throw FormatError(.badCompression, "a compressed column is broken")
            }
            room *= 2
        }
    }

    /// Compresses `bytes` and appends the result to `out`. The result is never longer than with
    /// zlib's default level.
    ///
    /// libdeflate's level 7 compresses better than zlib's default level in half the time. For short
    /// or highly repetitive input, its result can be a few bytes longer. In these cases, zlib is
    /// fast, so both methods are tried and the shorter result is used.
    static func deflate(_ bytes: UnsafeBufferPointer<UInt8>, into out: inout ByteWriter) {
        let start = out.count
        guard let compressor = libdeflate_alloc_compressor(7) else {
            preconditionFailure("libdeflate ran out of memory")
        }
        let bound = libdeflate_deflate_compress_bound(compressor, bytes.count)
        out.withSpace(bound) { space in
            (
                (),
                libdeflate_deflate_compress(
                    compressor, bytes.baseAddress, bytes.count, space, bound)
            )
        }
        libdeflate_free_compressor(compressor)
        let length = out.count - start
        guard bytes.count <= little || length < bytes.count / 8, bytes.count < Int(UInt32.max)
        else { return }
        var usual = ByteWriter()
        deflateUsually(bytes, into: &usual)
        guard usual.count < length else { return }
        out.truncate(to: start)
        out.bytes(usual.buffer)
    }

    /// The maximum number of input bytes for which both methods are always tried.
    private static let little = 1 << 13

    /// Compresses with zlib's default level.
    static func deflateUsually(
        _ bytes: UnsafeBufferPointer<UInt8>, into out: inout ByteWriter
    ) {
        var stream = z_stream()
        guard tl_deflateInitRaw(&stream, Z_DEFAULT_COMPRESSION) == Z_OK else {
            preconditionFailure("zlib ran out of memory")
        }
        defer { deflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.avail_in = UInt32(bytes.count)
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        out.withSpace(bound) { space in
            stream.next_out = space
            stream.avail_out = UInt32(bound)
            _ = CZlib.deflate(&stream, Z_FINISH)
            return ((), bound - Int(stream.avail_out))
        }
    }
}

extension ByteWriter {
    /// Calls `body` with room for `room` bytes. `body` returns its result and the number of bytes
    /// that it wrote.
    mutating func withSpace<Result>(
        _ room: Int, _ body: (UnsafeMutablePointer<UInt8>) -> (Result, Int)
    ) -> Result {
        reserve(room)
        let (result, written) = body(base + count)
        advance(written)
        return result
    }
}
