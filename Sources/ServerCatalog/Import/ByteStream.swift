public import Foundation

/// A stream of bytes that reads a file in pieces, so files can be of any size.
public struct ByteStream {
    private let readMore: () throws -> Data
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// Creates a stream of the bytes that `readMore` returns, up to the first empty result.
    ///
    /// - Parameter readMore: Called when more bytes are needed. Readers throw its errors as
    ///   ``ServerCatalogError``, `.unreadableFile`.
    public init(readMore: @escaping () throws -> Data) { self.readMore = readMore }

    /// Creates a stream of the bytes of `data`.
    public init(_ data: Data) {
        var rest: Data? = data
        self.init {
            defer { rest = nil }
            return rest ?? Data()
        }
    }

    /// Creates a stream of an open file from its current offset. The handle is not closed.
    public init(_ handle: FileHandle) {
        self.init { try handle.read(upToCount: Self.pieceByteCount) ?? Data() }
    }

    private static let pieceByteCount = 256 * 1024

    /// Returns the next byte without consuming it; `nil` at the end.
    @inline(__always)
    mutating func peek() throws -> UInt8? {
        if position < buffer.count { return buffer[position] }
        return try refill()
    }

    /// Consumes the byte that ``peek()`` returned.
    @inline(__always)
    mutating func advance() { position += 1 }

    /// Returns the system's reason for a failed read.
    private static func reason(_ error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        guard
            let system = [underlying, error as NSError].compactMap(\.self)
                .first(where: { $0.domain == NSPOSIXErrorDomain })
        else { return "input/output error" }
        return String(cString: strerror(Int32(truncatingIfNeeded: system.code)))
    }

    private mutating func refill() throws -> UInt8? {
        if isAtEnd { return nil }
        let piece: Data
        do {
            piece = try readMore()
        } catch {
            throw ServerCatalogError(
                .unreadableFile, "the file can't be read: \(Self.reason(error))", cause: error)
        }
        buffer = Array(piece)
        position = 0
        isAtEnd = buffer.isEmpty
        return buffer.first
    }
}
