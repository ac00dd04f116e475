import DocumentSync
import DocumentSyncNIO
import Replication
import Testing

/// Requests that don't become WebSockets, over real sockets.
@Suite(.timeLimit(.minutes(30))) struct RefusedConnectionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: String
        let status: String

        init(_ name: String, _ request: String, _ status: String) {
            testDescription = name
            self.request = request
            self.status = status
        }
    }

    static let cases = [
        Case(
            "foreign page", RawExchange.upgrade("Origin: https://evil.example"), "403 Forbidden"),
        Case("page without an origin", RawExchange.upgrade("Origin: null"), "403 Forbidden"),
        Case("unknown version", RawExchange.upgrade(version: 12), "426 Upgrade Required"),
        Case(
            "other protocol",
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            "426 Upgrade Required"),
        Case("browser", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "200 OK"),
        Case(
            "upload", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na",
            "405 Method Not Allowed"),
    ]

    /// Runs `body` with a server whose sockets stay open for hours unless they are answered.
    private func serving(
        host: String = "127.0.0.1", _ access: ServerAccess = ServerAccess(),
        _ body: (WebSocketServer) async throws -> Void
    ) async throws {
        var limits = SyncLimits()
        limits.joinTime = .seconds(36_000)
        let server = try await WebSocketServer(host: host, port: 0, access: access, limits: limits)
        let exchange = DocumentExchange(of: MemoryRepository(), policy: .onRequest, limits: limits)
        let running = Task { try? await server.run(exchange) }
        try await body(server)
        running.cancel()
        await running.value
    }

    @Test(arguments: cases) func requestsAreAnsweredAndClosed(_ example: Case) async throws {
        try await serving { server in
            let bytes = await RawExchange.response(
                to: Array(example.request.utf8), port: server.port)
            let text = String(decoding: bytes ?? [], as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 \(example.status)\r\n"))
            #expect(text.hasSuffix(".\n"))
        }
    }

    @Test(.enabled(if: RawExchange.ownAddress != nil))
    func errorForOtherMachinesMentionsTheToken() async throws {
        let host = try #require(RawExchange.ownAddress)
        try await serving(host: host, ServerAccess(token: "s cret")) { server in
            for query in ["", "?token=other"] {
                let error = await #expect(throws: SyncError.self) {
                    try await WebSocketConnector(server.address + "/" + query).connect()
                }
                #expect(error?.code == .refused)
                #expect(error?.message.hasSuffix("(HTTP 401 Unauthorized)") == true)
            }
            try await WebSocketConnector(server.address + "/?token=s%20cret").connect().close(nil)
        }
    }

    @Test(arguments: [
        ("401 Unauthorized", true), ("403 Forbidden", true), ("404 Not Found", false),
    ])
    func clientReportsTheStatusAndDoesNotRetryRefusals(
        _ status: String, _ isRefusal: Bool
    ) async throws {
        let port = try #require(
            RawExchange.answering("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n"))
        let exchange = DocumentExchange(of: MemoryRepository(), policy: .mine)
        let connector = try WebSocketConnector("ws://127.0.0.1:\(port)/?token=sekret")
        let error = await #expect(throws: SyncError.self) {
            try await SyncClient(exchange, to: connector).run(attempts: isRefusal ? nil : 1)
        }
        #expect(error?.code == (isRefusal ? .refused : .unsupported))
        #expect(error?.message.hasPrefix("ws://127.0.0.1:\(port)/: ") == true)
        #expect(error?.message.hasSuffix("(HTTP \(status))") == true)
    }

    @Test(arguments: [
        "ws://localhost/?token=sekret", "ws://anna:sekret@localhost/", "http://localhost?sekret",
    ])
    func secretsOfAddressesAreNotShown(_ address: String) throws {
        do {
            let connector = try WebSocketConnector(address)
            #expect(connector.address == "ws://localhost/")
        } catch {
            #expect(!"\(error)".contains("sekret"))
        }
    }

    @Test func unknownHostsAreReadableErrors() async throws {
        let connecting = await #expect(throws: SyncError.self) {
            try await WebSocketConnector("ws://nowhere.invalid:1").connect()
        }
        let listening = await #expect(throws: SyncError.self) {
            try await WebSocketServer(host: "nowhere.invalid", port: 0)
        }
        for error in [connecting, listening] {
            #expect(error?.message.contains("SocketAddressError") == false)
        }
        #expect(listening?.suggestion?.text.contains("address") == true)
    }
}
