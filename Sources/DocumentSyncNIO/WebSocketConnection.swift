public import DocumentSync
import NIOCore
import NIOWebSocket

/// A connection over a WebSocket. Each message is sent in one or more binary frames.
public final class WebSocketConnection: MessageConnection {
    /// The address of the peer.
    public let address: String
    private let channel: any Channel
    private let handler: NIOLoopBound<MessageHandler>
    private let isClient: Bool
    private let sendTime: Duration
    /// Called for each sent message. A server doesn't send messages before its peer has joined.
    private let onSend: @Sendable () -> Void

    /// Takes over a channel with decoded frames. Must be called on its event loop.
    init(
        _ channel: any Channel, address: String, limits: SyncLimits, budget: ByteBudget,
        isClient: Bool, onSend: @escaping @Sendable () -> Void = {}
    ) throws {
        self.channel = channel
        self.address = address
        self.isClient = isClient
        self.onSend = onSend
        sendTime = limits.sendTime
        let handler = MessageHandler(limits: limits, budget: budget, isClient: isClient)
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        let pipeline = channel.pipeline.syncOperations
        // The counter goes after TLS and before the frame decoder.
        if let tls = try? pipeline.context(name: WebSocketConnector.tlsName) {
            try pipeline.addHandler(ByteCounter(handler), position: .after(tls.handler))
        } else {
            try pipeline.addHandler(ByteCounter(handler), position: .first)
        }
        try pipeline.addHandler(handler)
        try channel.syncOptions?.setOption(.autoRead, value: false)
    }

    /// Returns the next message, or `nil` at the end of the connection.
    public func receive(limit: Int) async throws(SyncError) -> [UInt8]? {
        let (handler, loop) = (handler, channel.eventLoop)
        do {
            return try await loop.flatSubmit { handler.value.next(limit: limit, on: loop) }.get()
        } catch {
            throw Self.failure(error)
        }
    }

    /// Sends a message as one binary frame.
    public func send(_ message: [UInt8]) async throws(SyncError) {
        onSend()
        let frame = WebSocketFrame(
            fin: true, opcode: .binary, maskKey: isClient ? .random() : nil,
            data: ByteBuffer(bytes: message))
        let channel = channel
        let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(sendTime)) {
            channel.close(promise: nil)
        }
        defer { deadline.cancel() }
        do {
            try await channel.writeAndFlush(frame)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Sends a last message, if any, and closes the connection.
    public func close(_ last: [UInt8]?) {
        let handler = handler
        let last = last.map { ByteBuffer(bytes: $0) }
        channel.eventLoop.execute { handler.value.close(last, code: .normalClosure) }
    }

    private static func failure(_ error: any Error) -> SyncError {
        error as? SyncError
            ?? SyncError(.disconnected, NetworkFailure.explanation(error), cause: error)
    }
}
