import Foundation
import Glibc

/// Bytes sent to a server on a plain socket, and the server's answers.
enum RawExchange {
    /// A request for a WebSocket.
    static func upgrade(_ headers: String..., version: Int = 13) -> String {
        let lines =
            [
                "GET / HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Version: \(version)",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ] + headers
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Sends the bytes from a separate thread and reads until the server closes the connection.
    ///
    /// - Returns: All bytes from the server, or `nil` if it doesn't close the connection.
    static func response(to bytes: [UInt8], port: Int) async -> [UInt8]? {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                defer { close(socket) }
                var patience = timeval(tv_sec: 600, tv_usec: 0)
                let size = socklen_t(MemoryLayout<timeval>.size)
                setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
                let connected = withLoopback(port) { connect(socket, $0, $1) }
                guard connected == 0 else { return done.resume(returning: nil) }
                _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                var received: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4_096)
                var count = 1
                while count > 0 {
                    count = recv(socket, &buffer, buffer.count, 0)
                    received += buffer.prefix(max(0, count))
                }
                // The connection was closed or reset; the receive timeout doesn't count.
                let isClosed = count == 0 || errno == ECONNRESET
                done.resume(returning: isClosed ? received : nil)
            }
        }
    }

    /// Starts a server that answers the first request with a fixed text.
    ///
    /// - Returns: Its port.
    static func answering(_ text: String) -> Int? {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withLoopback(0) { bind(listener, $0, $1) } == 0 && listen(listener, 1) == 0
        let isNamed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(listener, $0, &length)
            }
        }
        guard isBound, isNamed == 0 else {
            close(listener)
            return nil
        }
        Thread.detachNewThread {
            let socket = accept(listener, nil, nil)
            close(listener)
            defer { close(socket) }
            var request: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            var count = 1
            while count > 0, !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                count = recv(socket, &buffer, buffer.count, 0)
                request += buffer.prefix(max(0, count))
            }
            let bytes = Array(text.utf8)
            _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            shutdown(socket, Int32(SHUT_WR))
            while recv(socket, &buffer, buffer.count, 0) > 0 {}
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Calls `body` with the address of a port of this machine.
    private static func withLoopback(
        _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// An IPv4 address of this machine that is not on the loopback, if it has one.
    static let ownAddress: String? = {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr,
                address.pointee.sa_family == sa_family_t(AF_INET)
            else { continue }
            var name = [CChar](repeating: 0, count: 64)
            let status = getnameinfo(
                address, socklen_t(MemoryLayout<sockaddr_in>.size), &name,
                socklen_t(name.count), nil, 0, NI_NUMERICHOST)
            guard status == 0 else { continue }
            let text = String(
                decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if !text.hasPrefix("127.") { return text }
        }
        return nil
    }()
}
