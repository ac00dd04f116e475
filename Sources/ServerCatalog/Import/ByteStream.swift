public import Foundation

/// Bytes of a file, read a piece at a time, so that its size does not matter.
public struct ByteStream {
    private let readMore: () throws -> Data
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// Bytes that `readMore` returns until it returns none.
    ///
    /// - Parameter readMore: Called when more bytes are needed. What it throws, whoever reads gets
    ///   as ``ServerCatalogError``, `.unreadableFile`.
    public init(readMore: @escaping () throws -> Data) { self.readMore = readMore }

    /// The bytes of `data`.
    public init(_ data: Data) {
        var rest: Data? = data
        self.init {
            defer { rest = nil }
            return rest ?? Data()
        }
    }

    /// The bytes of an open file, from where it stands; the handle is not closed.
    public init(_ handle: FileHandle) {
        self.init { try handle.read(upToCount: Self.pieceByteCount) ?? Data() }
    }

    private static let pieceByteCount = 256 * 1024

    /// The next byte, left where it is; `nil` at the end.
    @inline(__always)
    mutating func peek() throws -> UInt8? {
        if position < buffer.count { return buffer[position] }
        return try refill()
    }

    /// Steps over the byte that ``peek()`` returned.
    @inline(__always)
    mutating func advance() { position += 1 }

    /// What the system says of a failed read.
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
                .unreadableFile, "the file cannot be read: \(Self.reason(error))", cause: error)
        }
        buffer = Array(piece)
        position = 0
        isAtEnd = buffer.isEmpty
        return buffer.first
    }
}
