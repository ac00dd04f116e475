import NIOCore
import NIOHTTP1
import Testing

@testable import DocumentSyncNIO

/// Access control of the server: origins, hosts and tokens.
@Suite struct ServerAccessTests {
    private static let elsewhere = try? SocketAddress(ipAddress: "192.0.2.7", port: 1)
    private static let here = try? SocketAddress(ipAddress: "127.0.0.1", port: 1)

    private static func request(
        _ headers: [(String, String)], uri: String = "/"
    ) -> HTTPRequestHead {
        HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: HTTPHeaders(headers))
    }

    @Test(
        arguments: [
            ([], nil), (["https://evil.example"], .forbidden), (["null"], .forbidden),
            (["https://Good.example"], nil), (["https://good.example:443"], nil),
            (["http://good.example"], .forbidden), (["https://good.example.evil"], .forbidden),
            (["https://good.example", "https://evil.example"], .forbidden),
            (["http://localhost:8080"], nil),
        ] as [([String], HTTPResponseStatus?)])
    func onlyAllowedOriginsMayConnect(_ origins: [String], _ status: HTTPResponseStatus?) {
        let access = ServerAccess(origins: ["https://good.example/", "http://localhost:8080"])
        let request = Self.request(origins.map { ("Origin", $0) })
        #expect(access.refusal(of: request, from: Self.here) == status)
    }

    @Test(
        arguments: [
            ("/", nil, .unauthorized), ("/?token=s%20cret", nil, nil),
            ("/?a=b&token=s%20cret", nil, nil),
            ("/?token=other", nil, .unauthorized), ("/", "Bearer s cret", nil),
            ("/", "bearer s cret", nil), ("/", "Basic s cret", .unauthorized),
            ("/?token=", "Bearer ", .unauthorized),
        ] as [(String, String?, HTTPResponseStatus?)])
    func peersOnOtherMachinesNeedTheToken(
        _ uri: String, _ authorization: String?, _ status: HTTPResponseStatus?
    ) {
        let access = ServerAccess(token: "s cret")
        let request = Self.request(
            authorization.map { [("Authorization", $0)] } ?? [], uri: uri)
        #expect(access.refusal(of: request, from: Self.elsewhere) == status)
        #expect(access.refusal(of: request, from: Self.here) == nil)
        #expect(ServerAccess().refusal(of: request, from: Self.elsewhere) == nil)
    }

    @Test(arguments: [
        ("https://example.org", true), ("http://localhost:8080/", true), ("https://[::1]:3", true),
        ("chrome-extension://abc", true), ("", false), ("x", false), ("*", false), ("null", false),
        ("https://", false), ("https://*.example.org", false), ("https://a/b", false),
        ("https://a?b", false), ("https://u@a", false), ("https://a:0", false),
        ("https://m\u{FC}nchen.de", false), ("https://a b", false),
    ])
    func originHasOnlyASchemeHostAndPort(_ text: String, _ isOrigin: Bool) {
        #expect(ServerAccess.isOrigin(text) == isOrigin)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("::1", true), ("localhost", true), ("::ffff:127.0.0.1", true),
        ("0.0.0.0", false), ("::", false), ("192.0.2.1", false),
    ])
    func hostsOfThisMachineAreLoopback(_ host: String, _ isLoopback: Bool) {
        #expect(ServerAccess.isLoopback(host) == isLoopback)
    }
}
