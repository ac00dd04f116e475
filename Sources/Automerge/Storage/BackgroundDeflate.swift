import CZlib
import Dispatch

/// Compresses a column while the rest of it is still being written, on another thread.
///
/// What comes out is what ``Deflate/deflate(_:into:effort:)`` gives for all of it.
///
/// `@unchecked`: the stream and the output are used on the serial queue alone, but for `init`,
/// `deinit`, and the output after ``finish(_:)``, which waits for the queue.
final class BackgroundDeflate: @unchecked Sendable {
    /// The least that is worth handing over.
    static let pieceSize = 1 << 15

    private let queue = DispatchQueue(label: "automerge-deflate", qos: .userInitiated)
    private let stream: UnsafeMutablePointer<z_stream>
    private let effort: Deflate.Effort
    private var out = ByteWriter()

    init(effort: Deflate.Effort) {
        self.effort = effort
        stream = Deflate.begin(effort)
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Takes a copy of the next bytes of the column and compresses it in its turn.
    func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        let piece = Array(bytes)
        queue.async { self.compress(piece, Z_NO_FLUSH) }
    }

    /// Waits for all, with the last bytes of the column.
    ///
    /// - Parameters:
    ///   - bytes: What was not handed over yet.
    ///   - whole: All of the column.
    func finish(
        _ bytes: UnsafeBufferPointer<UInt8>, of whole: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        let piece = Array(bytes)
        queue.sync { self.compress(piece, Z_FINISH) }
        Deflate.shorten(&out, of: whole, effort)
        return out.buffer
    }

    private func compress(_ piece: [UInt8], _ flush: CInt) {
        piece.withUnsafeBufferPointer { piece in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
            stream.pointee.avail_in = UInt32(piece.count)
            repeat {
                let room = Swift.max(1 << 14, Int(deflateBound(stream, UInt(piece.count))))
                out.withSpace(room) { space in
                    stream.pointee.next_out = space
                    stream.pointee.avail_out = UInt32(room)
                    _ = CZlib.deflate(stream, flush)
                    return ((), room - Int(stream.pointee.avail_out))
                }
                // With room left, everything there was has been taken.
            } while stream.pointee.avail_out == 0
        }
    }
}
