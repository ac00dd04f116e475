import Foundation
import Glibc

/// The address of a stream connection: a Unix-domain socket or a TCP port.
public enum StreamAddress: Hashable, Sendable, CustomStringConvertible {
    case unix(path: String)
    case tcp(host: String, port: Int)

    /// Parses `unix:PATH` or `tcp:HOST:PORT`.
    ///
    /// - Returns: `nil` for all other texts.
    public init?(_ text: String) {
        if text.hasPrefix("unix:"), text.utf8.count > 5 {
            self = .unix(path: String(text.dropFirst(5)))
        } else if text.hasPrefix("tcp:"), let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        {
            var host = text.dropFirst(4).prefix(upTo: colon)
            if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
            guard !host.isEmpty else { return nil }
            self = .tcp(host: String(host), port: Int(port))
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port):
            host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        }
    }

    /// Calls `body` with each system address of this address, until `body` returns a value. A host
    /// name may have several system addresses.
    func first<Result>(
        listening: Bool, _ body: (_ family: Int32, UnsafePointer<sockaddr>, socklen_t) -> Result?
    ) throws(SyncError) -> Result? {
        switch self {
        case .unix(let path): try Self.first(unix: path, body)
        case .tcp(let host, let port): try Self.first(host, port, listening, body)
        }
    }

    private static func first<Result>(
        unix path: String, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Result?
    ) throws(SyncError) -> Result? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        let bytes = Array(path.utf8)
        guard bytes.count < room, !bytes.contains(0) else {
            throw SyncError(
                .invalidAddress, "the path of a socket has at most \(room - 1) bytes: \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func first<Result>(
        _ host: String, _ port: Int, _ listening: Bool,
        _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Result?
    ) throws(SyncError) -> Result? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = listening ? AI_PASSIVE : 0
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else {
            throw SyncError(
                .cannotConnect, "\(host): \(String(cString: gai_strerror(status)).lowercased())")
        }
        defer { freeaddrinfo(list) }
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr,
                let result = body(entry.ai_family, address, entry.ai_addrlen)
            {
                return result
            }
            next = entry.ai_next
        }
        return nil
    }
}
