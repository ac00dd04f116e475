public import DocumentSync
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Replication
import Synchronization

/// A connector to an automerge-repo server at an address such as `wss://sync.example.org`.
///
/// Certificates of `wss` servers are checked against the system's trusted certificates.
public struct WebSocketConnector: MessageConnector {
    /// The address of the server without its query, which can contain a token.
    public let address: String
    private let host: String
    private let port: Int
    private let target: String
    private let tls: NIOSSLContext?
    private let limits: SyncLimits

    static let tlsName = "tls"

    /// Creates a connector to a server.
    ///
    /// - Parameters:
    ///   - address: `ws://HOST[:PORT][/PATH]` or `wss://…`.
    ///   - trustedCertificates: A PEM file with the certificates to trust instead of the system's.
    /// - Throws: `SyncError` with code `.invalidAddress`, or `.cannotConnect` if the certificates
    ///   can't be read.
    public init(
        _ address: String, limits: SyncLimits = SyncLimits(), trustedCertificates: String? = nil
    ) throws(SyncError) {
        guard let url = URLComponents(string: address), let scheme = url.scheme?.lowercased(),
            ["ws", "wss"].contains(scheme), let host = url.host, !host.isEmpty,
            url.user == nil, url.password == nil, url.fragment == nil,
            (1...65_535).contains(url.port ?? 1)
        else {
            throw SyncError(
                .invalidAddress,
                "\(Self.withoutSecrets(address).quoted) is not the address of a server",
                suggestion: "write it as ws://localhost:3030 or wss://sync.example.org")
        }
        self.address = Self.withoutSecrets(address)
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = url.port ?? (scheme == "ws" ? 80 : 443)
        target =
            (url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath)
            + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
        self.limits = limits
        guard scheme == "wss" else {
            tls = nil
            return
        }
        do {
            var configuration = TLSConfiguration.makeClientConfiguration()
            // The default also allows TLS 1.0 and 1.1.
            configuration.minimumTLSVersion = .tlsv12
            if let trustedCertificates {
                configuration.trustRoots = .file(trustedCertificates)
            }
            tls = try NIOSSLContext(configuration: configuration)
        } catch {
            throw SyncError(
                .cannotConnect,
                trustedCertificates.map { "\($0): contains no readable PEM certificates" }
                    ?? "certificates can't be read: \(NetworkFailure.explanation(error))",
                cause: error)
        }
    }

    /// Returns an address without the parts that can contain a token or a password: its query and
    /// its user.
    private static func withoutSecrets(_ address: String) -> String {
        let text = String(address.prefix { $0 != "?" })
        guard let start = text.range(of: "://")?.upperBound,
            let at = text[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@")
        else { return text }
        return String(text[..<start]) + String(text[text.index(after: at)...])
    }

    /// Opens a connection to the server, and upgrades it to a WebSocket.
    public func connect() async throws(SyncError) -> any MessageConnection {
        let first = FirstError()
        do {
            let upgrade: EventLoopFuture<Answer> =
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(TimeAmount(limits.joinTime))
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try prepare(channel, first) }
                }
            switch try await upgrade.get() {
            case .connection(let connection): return connection
            case .response(let status): throw refusal(try await status.get())
            }
        } catch let error as SyncError {
            throw error
        } catch {
            throw SyncError(
                .cannotConnect,
                "\(address): \(NetworkFailure.explanation(first.error ?? error))", cause: error)
        }
    }

    /// Returns the error for a server that responds without opening a WebSocket.
    private func refusal(_ status: HTTPResponseStatus) -> SyncError {
        let response = "HTTP \(status.code) \(status.reasonPhrase)"
        switch status {
        case .unauthorized:
            return SyncError(
                .refused, "\(address): the server requires a valid token (\(response))",
                suggestion: "add the token to the address: ?token=TOKEN")
        case .forbidden:
            return SyncError(
                .refused, "\(address): the server refused the connection (\(response))")
        default:
            return SyncError(
                .unsupported, "\(address): the server doesn't support WebSocket (\(response))")
        }
    }

    private func prepare(
        _ channel: any Channel, _ first: FirstError
    ) throws -> EventLoopFuture<Answer> {
        let pipeline = channel.pipeline.syncOperations
        if let tls {
            // The TLS extension for server names doesn't allow IP addresses.
            let name = (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
            try pipeline.addHandler(
                NIOSSLClientHandler(context: tls, serverHostname: name), name: Self.tlsName)
        }
        try pipeline.addHandler(ErrorRecorder(first))
        let (address, limits) = (address, limits)
        let upgrader = NIOTypedWebSocketClientUpgrader<Answer>(
            maxFrameSize: min(limits.messageBytes, Int(UInt32.max)),
            enableAutomaticErrorHandling: false,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    Answer.connection(
                        try WebSocketConnection(
                            channel, address: address, limits: limits,
                            budget: ByteBudget(limit: limits.pendingBytes), isClient: true))
                }
            })
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target)
        let name = host.contains(":") ? "[\(host)]" : host
        head.headers.add(
            name: "Host", value: port == (tls == nil ? 80 : 443) ? name : "\(name):\(port)")
        head.headers.add(name: "User-Agent", value: "tideline")
        // A server that answers slowly is treated like one that doesn't answer.
        let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.joinTime)) {
            first.note(ChannelError.connectTimeout(TimeAmount(limits.joinTime)))
            channel.close(promise: nil)
        }
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: head, upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    let status = channel.eventLoop.makePromise(of: HTTPResponseStatus.self)
                    do {
                        try channel.pipeline.syncOperations.addHandler(StatusReader(status))
                    } catch {
                        status.fail(error)
                    }
                    return channel.eventLoop.makeSucceededFuture(
                        Answer.response(status.futureResult))
                }))
        configuration.leftOverBytesStrategy = .forwardBytes
        let future = try pipeline.configureUpgradableHTTPClientPipeline(
            configuration: configuration)
        future.whenComplete { _ in deadline.cancel() }
        return future
    }
}

/// A server's answer to the request for a WebSocket.
private enum Answer: Sendable {
    case connection(WebSocketConnection)
    /// An HTTP response instead of a WebSocket.
    case response(EventLoopFuture<HTTPResponseStatus>)
}

/// Reads the status of a response and closes the connection.
private final class StatusReader: ChannelInboundHandler, Sendable {
    typealias InboundIn = HTTPClientResponsePart
    private let status: EventLoopPromise<HTTPResponseStatus>

    init(_ status: EventLoopPromise<HTTPResponseStatus>) { self.status = status }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        status.succeed(head.status)
        context.close(promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) { status.fail(ChannelError.eof) }
}

/// The first error of a channel, which is more specific than the resulting errors.
private final class FirstError: Sendable {
    private let state = Mutex<(any Error)?>(nil)
    var error: (any Error)? { state.withLock { $0 } }
    func note(_ error: any Error) { state.withLock { $0 = $0 ?? error } }
}

private final class ErrorRecorder: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny
    private let first: FirstError

    init(_ first: FirstError) { self.first = first }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        first.note(error)
        context.fireErrorCaught(error)
    }
}
