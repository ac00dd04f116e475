import Foundation
import NIOCore
import NIOHTTP1

/// The rules for connections to a ``WebSocketServer``.
public struct ServerAccess: Sendable {
    /// The origins of web pages that may connect.
    ///
    /// Browsers allow every page to open a WebSocket to this machine, and send the page's origin.
    /// Other programs don't send an origin and don't need to be listed.
    public var origins: Set<String>
    /// The token that peers on other machines must send, or `nil` if they don't need one. They send
    /// it as `Authorization: Bearer TOKEN`, or as `?token=TOKEN` in the address, because browsers
    /// can't set the header.
    public var token: String?

    /// Creates rules for connections.
    ///
    /// - Parameter origins: Origins such as `https://example.org`. Paths and default ports are
    ///   ignored.
    public init(origins: some Sequence<String> = [], token: String? = nil) {
        self.origins = Set(origins.map(Self.normalized))
        self.token = token
    }

    /// Returns the HTTP status with which to refuse a WebSocket; `nil` if the WebSocket is
    /// accepted.
    func refusal(of request: HTTPRequestHead, from address: SocketAddress?) -> HTTPResponseStatus? {
        let allowed = request.headers["Origin"].allSatisfy {
            origins.contains(Self.normalized($0))
        }
        guard allowed else { return .forbidden }
        guard let token, !Self.isLoopback(address) else { return nil }
        return Self.tokens(in: request).contains { Self.isEqual($0, token) } ? nil : .unauthorized
    }

    private static func tokens(in request: HTTPRequestHead) -> [String] {
        var tokens: [String] = []
        for value in request.headers["Authorization"]
        where value.lowercased().hasPrefix("bearer ") {
            tokens.append(String(value.dropFirst(7)))
        }
        let query = request.uri.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        for item in query.split(separator: "&") where item.hasPrefix("token=") {
            let text = item.dropFirst(6)
            tokens.append(text.removingPercentEncoding ?? String(text))
        }
        return tokens
    }

    /// Compares texts in a time that doesn't depend on where the texts differ.
    private static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Returns whether an address belongs to this machine. Unix-domain sockets do.
    static func isLoopback(_ address: SocketAddress?) -> Bool {
        guard let address else { return false }
        guard let text = address.ipAddress else { return true }
        return isLoopback(text)
    }

    /// Returns whether a host can only be reached from this machine.
    public static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
            || host.hasPrefix("::ffff:127.")
    }

    /// Returns whether a text is an origin that a browser can send, such as `https://example.org`.
    /// `null` isn't an origin, because every page can send it.
    public static func isOrigin(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URLComponents(string: text), url.scheme?.isEmpty == false,
            let host = url.host, !host.isEmpty, !host.contains("*"),
            url.user == nil, url.password == nil, url.query == nil, url.fragment == nil
        else { return false }
        return ["", "/"].contains(url.path) && (1...65_535).contains(url.port ?? 1)
    }

    /// Returns an origin in the form that browsers write: in lower case, without a path or a
    /// default port.
    private static func normalized(_ origin: String) -> String {
        let text = origin.lowercased()
        guard let scheme = text.range(of: "://") else { return text }
        let authority = text[scheme.upperBound...].prefix { $0 != "/" }
        let start = String(text[..<scheme.upperBound])
        for (name, port) in [("http://", ":80"), ("https://", ":443")]
        where start == name && authority.hasSuffix(port) {
            return start + String(authority.dropLast(port.count))
        }
        return start + String(authority)
    }
}
