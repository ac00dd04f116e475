import CZlib

/// Raw DEFLATE streams, by zlib.
enum Deflate {
    /// Inflates a stream behind what `out` holds.
    ///
    /// - Throws: `FormatError` with code `.tooLarge` as soon as more than `limit` bytes come out,
    ///   and `.badCompression` for a stream that is broken or goes on behind its end.
    static func inflate(
        _ bytes: UnsafeBufferPointer<UInt8>, into out: inout ByteWriter, limit: Int
    ) throws(FormatError) {
        var stream = z_stream()
        guard tl_inflateInitRaw(&stream) == Z_OK else {
            throw FormatError(.badCompression, "zlib has no memory")
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

    /// How hard is tried with a column.
    ///
    /// Numbers hardly come out shorter for the time that more than level 4 takes, and the bytes
    /// of values not much for more than a short search: half a percent, for a third of the time.
    /// Strings, of which many are alike, are worth the usual level.
    enum Effort {
        case numbers
        case values
        case strings
    }

    /// Compresses `bytes` behind what `out` holds.
    ///
    /// What comes out very short is tried once more with the usual level: long repeats cost that
    /// level little time, and a short search finds much less of them.
    static func deflate(
        _ bytes: UnsafeBufferPointer<UInt8>, into out: inout ByteWriter,
        effort: Effort = .strings
    ) {
        var first = ByteWriter()
        compress(bytes, into: &first, effort)
        shorten(&first, of: bytes, effort)
        out.bytes(first.buffer)
    }

    /// Puts something shorter in place of what a column was compressed to, where it is of much the
    /// same.
    static func shorten(
        _ compressed: inout ByteWriter, of bytes: UnsafeBufferPointer<UInt8>, _ effort: Effort
    ) {
        guard effort != .strings, compressed.count < bytes.count / 16 else { return }
        var again = ByteWriter()
        compress(bytes, into: &again, .strings)
        if again.count < compressed.count { compressed = again }
    }

    /// Compresses in one go, as hard as is said.
    static func compress(
        _ bytes: UnsafeBufferPointer<UInt8>, into out: inout ByteWriter, _ effort: Effort
    ) {
        let stream = begin(effort)
        defer {
            deflateEnd(stream)
            stream.deallocate()
        }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        let bound = Int(deflateBound(stream, UInt(bytes.count)))
        _ = out.withSpace(bound) { space in
            stream.pointee.next_out = space
            stream.pointee.avail_out = UInt32(bound)
            let status = CZlib.deflate(stream, Z_FINISH)
            return (status, bound - Int(stream.pointee.avail_out))
        }
    }

    /// A stream to compress into; whoever asks for it ends it and gives back its memory.
    static func begin(_ effort: Effort) -> UnsafeMutablePointer<z_stream> {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard tl_deflateInitRaw(stream, effort == .numbers ? 4 : 6) == Z_OK else {
            preconditionFailure("zlib has no memory")
        }
        if effort == .values { deflateTune(stream, 8, 16, 32, 48) }
        return stream
    }
}

extension ByteWriter {
    /// Lets `body` write up to `room` bytes and say how many it wrote, beside its result.
    mutating func withSpace<Result>(
        _ room: Int, _ body: (UnsafeMutablePointer<UInt8>) -> (Result, Int)
    ) -> Result {
        reserve(room)
        let (result, written) = body(base + count)
        advance(written)
        return result
    }
}
