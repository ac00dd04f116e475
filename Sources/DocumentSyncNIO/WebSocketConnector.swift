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
                .invalidAddress, "\(address.quoted) is not the address of a server",
                suggestion: "Write it as ws://localhost:3030 or wss://sync.example.org.")
        }
        self.address = address
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

    public func connect() async throws(SyncError) -> any MessageConnection {
        let first = FirstError()
        do {
            let upgrade: EventLoopFuture<WebSocketConnection?> =
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(TimeAmount(limits.joinTime))
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try prepare(channel, first) }
                }
            guard let connection = try await upgrade.get() else {
                throw SyncError(
                    .unsupported, "\(address): the server doesn't support WebSocket")
            }
            return connection
        } catch let error as SyncError {
            throw error
        } catch {
            throw SyncError(
                .cannotConnect,
                "\(address): \(NetworkFailure.explanation(first.error ?? error))", cause: error)
        }
    }

    private func prepare(
        _ channel: any Channel, _ first: FirstError
    ) throws -> EventLoopFuture<WebSocketConnection?> {
        let pipeline = channel.pipeline.syncOperations
        if let tls {
            // The TLS extension for server names doesn't allow IP addresses.
            let name = (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
            try pipeline.addHandler(
                NIOSSLClientHandler(context: tls, serverHostname: name), name: Self.tlsName)
        }
        try pipeline.addHandler(ErrorRecorder(first))
        let (address, limits) = (address, limits)
        let upgrader = NIOTypedWebSocketClientUpgrader<WebSocketConnection?>(
            maxFrameSize: min(limits.messageBytes, Int(UInt32.max)),
            enableAutomaticErrorHandling: false,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try WebSocketConnection(
                        channel, address: address, limits: limits,
                        budget: ByteBudget(limit: limits.pendingBytes), isClient: true)
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
                    channel.close().recover { _ in }.map { nil }
                }))
        configuration.leftOverBytesStrategy = .forwardBytes
        let future = try pipeline.configureUpgradableHTTPClientPipeline(
            configuration: configuration)
        future.whenComplete { _ in deadline.cancel() }
        return future
    }
}

/// The first error of a channel, which is more specific than the errors that follow from it.
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
