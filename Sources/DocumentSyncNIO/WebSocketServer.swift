public import DocumentSync
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Replication
import Synchronization

/// A server for automerge-repo's protocol. It accepts WebSockets at any path of one port, without
/// encryption, like automerge-repo's own server. Before you open it to other machines, put it
/// behind a proxy with TLS, and require a token with ``ServerAccess/token``.
public final class WebSocketServer: Sendable {
    /// The address of the server. If port 0 was requested, it contains the port chosen by the
    /// system.
    public let address: String
    /// The port of the server.
    public let port: Int
    private let channel: NIOAsyncChannel<EventLoopFuture<WebSocketConnection?>, Never>

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - host: A name or address of this machine, or `0.0.0.0` or `::` for all addresses.
    ///   - port: The port, or 0 for a free one.
    ///   - access: The rules for connections. By default, web pages aren't allowed to connect.
    /// - Throws: `SyncError` with code `.cannotListen`.
    public init(
        host: String = "127.0.0.1", port: Int, access: ServerAccess = ServerAccess(),
        limits: SyncLimits = SyncLimits()
    ) async throws(SyncError) {
        let intake = Intake(limits, access)
        do {
            channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 128)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try intake.prepare(channel) }
                }
        } catch {
            throw SyncError(
                .cannotListen, "port \(port) of \(host): \(NetworkFailure.explanation(error))",
                suggestion: NetworkFailure.isAboutHost(error)
                    ? "choose a name or an address of this machine"
                    : "choose another port, or 0 for a free one",
                cause: error)
        }
        self.port = channel.channel.localAddress?.port ?? port
        address = "ws://\(host.contains(":") ? "[\(host)]" : host):\(self.port)"
    }

    /// Runs an exchange on all incoming connections, until the task is canceled.
    ///
    /// - Throws: `SyncError` if the server fails as a whole.
    public func run(_ exchange: DocumentExchange) async throws(SyncError) {
        exchange.note(.listening(address))
        do {
            try await channel.executeThenClose { incoming in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await upgrade in incoming {
                        group.addTask {
                            guard let connection = try? await upgrade.get() else { return }
                            // If a peer had joined, an event reports why the connection ended.
                            try? await exchange.run(connection, as: .server)
                        }
                    }
                    group.cancelAll()
                }
            }
        } catch is CancellationError {
            return
        } catch {
            throw SyncError(.disconnected, NetworkFailure.explanation(error), cause: error)
        }
    }
}

/// A converter of incoming sockets to connections.
private final class Intake: Sendable {
    private let limits: SyncLimits
    private let access: ServerAccess
    private let budget: ByteBudget
    private let limiter: ConnectionLimiter

    init(_ limits: SyncLimits, _ access: ServerAccess) {
        self.limits = limits
        self.access = access
        budget = ByteBudget(limit: limits.pendingBytes)
        limiter = ConnectionLimiter(limits)
    }

    private static func text(of address: SocketAddress?) -> String {
        guard let host = address?.ipAddress, let port = address?.port else {
            return "an unknown address"
        }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    func prepare(_ channel: any Channel) throws -> EventLoopFuture<WebSocketConnection?> {
        guard let number = limiter.admit(channel) else {
            return channel.close().recover { _ in }.map { nil }
        }
        channel.closeFuture.whenComplete { [limiter] _ in limiter.remove(number) }
        let (limits, budget, access, limiter) = (limits, budget, access, limiter)
        let refusal = Refusal()
        let upgrader = NIOTypedWebSocketServerUpgrader<WebSocketConnection?>(
            maxFrameSize: min(limits.messageBytes, Int(UInt32.max)),
            enableAutomaticErrorHandling: false,
            shouldUpgrade: { channel, request in
                let status = access.refusal(of: request, from: channel.remoteAddress)
                refusal.status.withLock { $0 = status }
                return channel.eventLoop.makeSucceededFuture(status == nil ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, _ in
                limiter.noteWebSocket(number)
                return channel.eventLoop.makeCompletedFuture {
                    try WebSocketConnection(
                        channel,
                        address: Self.text(of: channel.remoteAddress),
                        limits: limits, budget: budget, isClient: false,
                        onSend: { limiter.noteJoined(number) })
                }
            })
        let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.joinTime)) {
            channel.close(promise: nil)
        }
        let future = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
            configuration: NIOUpgradableHTTPServerPipelineConfiguration(
                upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                    upgraders: [upgrader],
                    notUpgradingCompletionHandler: { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(Greeting(refusal))
                            return nil
                        }
                    })))
        future.whenSuccess { connection in if connection != nil { deadline.cancel() } }
        return future
    }
}

/// The status of a refused WebSocket, for the response.
private final class Refusal: Sendable {
    let status = Mutex<HTTPResponseStatus?>(nil)
}

/// Answers plain HTTP requests and refused WebSockets, and closes the connection.
private final class Greeting: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let refusal: Refusal
    /// The method of the request; `nil` if the request asked for an upgrade, because NIO discards
    /// the head of that request.
    private var method: HTTPMethod?
    private var hasAnswered = false

    init(_ refusal: Refusal) { self.refusal = refusal }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request): method = request.method
        case .body: break
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard !hasAnswered else { return }
        hasAnswered = true
        let (status, text) = response
        var headers = HTTPHeaders([
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Length", String(text.utf8.count)), ("Connection", "close"),
        ])
        switch status {
        case .unauthorized: headers.add(name: "WWW-Authenticate", value: "Bearer")
        case .upgradeRequired:
            headers.replaceOrAdd(name: "Connection", value: "close, upgrade")
            headers.add(name: "Upgrade", value: "websocket")
            headers.add(name: "Sec-WebSocket-Version", value: "13")
        default: break
        }
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if method != .HEAD {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }

    private var response: (HTTPResponseStatus, String) {
        let status = refusal.status.withLock { $0 }
        switch (status, method) {
        case (.forbidden?, _):
            return (.forbidden, "This server doesn't accept the origin of this page.\n")
        case (let status?, _): return (status, "This server needs a token.\n")
        case (nil, nil):
            return (.upgradeRequired, "This server accepts WebSockets of version 13.\n")
        case (nil, let method?):
            return (
                method == .GET || method == .HEAD ? .ok : .methodNotAllowed,
                "This server syncs documents by automerge-repo's protocol over WebSocket.\n"
            )
        }
    }
}

@available(*, unavailable)
extension Greeting: Sendable {}
