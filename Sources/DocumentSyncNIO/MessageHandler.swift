import DocumentSync
import NIOCore
import NIOWebSocket

/// A handler that assembles messages from frames, and doesn't read more messages than requested. It
/// also handles pings, closing and timeouts. All its methods run on the channel's event loop.
final class MessageHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// If this many messages are queued, reading pauses.
    private static let waitingMessages = 16
    private static let waitingBytes = 4 << 20

    private struct Message {
        var bytes: [UInt8]
        /// The number of bytes that the message took in the stream.
        var wireBytes: Int
    }

    private let limits: SyncLimits
    private let budget: ByteBudget
    private let isClient: Bool

    private var context: ChannelHandlerContext?
    private var messages: [Message] = []
    private var waitingBytes = 0
    private var begun: Message?
    private var reader: EventLoopPromise<[UInt8]?>?
    private var isReading = false
    private var hasTaken = false
    private var isEnded = false
    private var failure: SyncError?
    /// The number of this connection's bytes that count toward the budget.
    private var held = 0
    private var lastHeard = NIODeadline.now()
    private var keepalive: RepeatedTask?

    init(limits: SyncLimits, budget: ByteBudget, isClient: Bool) {
        self.limits = limits
        self.budget = budget
        self.isClient = isClient
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        lastHeard = .now()
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let pause = TimeAmount(limits.silence)
        keepalive = context.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) {
            _ in loopBound.value.checkSilence()
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(nil)
        // Breaks the reference cycle between a handler and its context.
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(nil)
        context.fireChannelInactive()
    }

    // MARK: Taking messages

    /// Returns the next message, or `nil` at the end.
    func next(limit: Int, on loop: any EventLoop) -> EventLoopFuture<[UInt8]?> {
        if !messages.isEmpty {
            let message = messages.removeFirst()
            waitingBytes -= message.bytes.count
            release(message.wireBytes)
            hasTaken = true
            readMore()
            guard message.bytes.count <= limit else {
                return loop.makeFailedFuture(Self.tooLong(message.bytes.count, limit))
            }
            return loop.makeSucceededFuture(message.bytes)
        }
        if let failure { return loop.makeFailedFuture(failure) }
        if isEnded { return loop.makeSucceededFuture(nil) }
        reader?.succeed(nil)
        let promise = loop.makePromise(of: [UInt8]?.self)
        reader = promise
        readMore()
        return promise.futureResult
    }

    private static func tooLong(_ count: Int, _ limit: Int) -> SyncError {
        SyncError(.tooLarge, "a message has \(count) bytes or more; the limit is \(limit)")
    }

    /// Reads from the channel if a caller waits or there is room in the queue.
    private func readMore() {
        guard !isEnded, !isReading, let context else { return }
        let hasRoom = messages.count < Self.waitingMessages && waitingBytes < Self.waitingBytes
        guard reader != nil || hasTaken && hasRoom else { return }
        isReading = true
        context.read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        readMore()
        context.fireChannelReadComplete()
    }

    // MARK: Counting

    /// Counts bytes from the network.
    func note(_ count: Int) {
        lastHeard = .now()
        guard !isEnded else { return }
        held += count
        if !hasTaken, held > limits.firstMessageBytes + 256 {
            // Peers that have not joined may only send a short message.
            fail(Self.tooLong(held, limits.firstMessageBytes), .messageTooLarge)
        } else if !budget.add(count) {
            held -= count
            fail(
                SyncError(
                    .tooLarge, "the unprocessed messages of all peers exceed \(budget.limit) bytes"),
                .unexpectedServerError)
        }
    }

    private func release(_ count: Int) {
        let part = min(count, held)
        held -= part
        budget.remove(part)
    }

    // MARK: Frames

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !isEnded else { return }
        guard frame.reservedBits.isEmpty else {
            return refuse("a frame has reserved bits")
        }
        switch frame.opcode {
        case .binary:
            guard begun == nil else {
                return refuse("a message starts before the previous one has ended")
            }
            append(frame)
        case .continuation:
            guard begun != nil else {
                return refuse("a continued message has no start")
            }
            append(frame)
        case .ping:
            release(Self.wireCount(frame))
            // Pongs are not queued for a peer that doesn't read.
            if context.channel.isWritable { write(.pong, frame.unmaskedData) }
        case .pong: release(Self.wireCount(frame))
        case .connectionClose:
            var code = frame.unmaskedData
            write(.connectionClose, code.readSlice(length: 2) ?? ByteBuffer())
            end(nil)
            context.close(promise: nil)
        case .text:
            refuse("a message is text, not CBOR in a binary frame", .unacceptableData)
        default: refuse("a frame of an unknown kind")
        }
    }

    private func append(_ frame: WebSocketFrame) {
        var message = begun ?? Message(bytes: [], wireBytes: 0)
        let data = frame.unmaskedData
        guard message.bytes.count + data.readableBytes <= limits.messageBytes else {
            return fail(
                Self.tooLong(message.bytes.count + data.readableBytes, limits.messageBytes),
                .messageTooLarge)
        }
        message.bytes.append(contentsOf: data.readableBytesView)
        message.wireBytes += Self.wireCount(frame)
        begun = frame.fin ? nil : message
        guard frame.fin else { return }
        if let reader {
            self.reader = nil
            release(message.wireBytes)
            hasTaken = true
            reader.succeed(message.bytes)
        } else {
            messages.append(message)
            waitingBytes += message.bytes.count
        }
    }

    /// Returns the size of a frame in bytes: two bytes, an extended length if needed, the mask, and
    /// the data.
    private static func wireCount(_ frame: WebSocketFrame) -> Int {
        let count = frame.length
        return 2 + (count < 126 ? 0 : count < 65_536 ? 2 : 8) + (frame.maskKey == nil ? 0 : 4)
            + count
    }

    // MARK: Answering and ending

    /// Returns a frame to send. Clients mask all frames.
    func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
        WebSocketFrame(
            fin: true, opcode: opcode, maskKey: isClient ? .random() : nil, data: data)
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        context?.writeAndFlush(wrapOutboundOut(frame(opcode, data)), promise: nil)
    }

    private func checkSilence() {
        // No data can arrive while reading is paused.
        guard isReading else {
            lastHeard = .now()
            return
        }
        let silence = NIODeadline.now() - lastHeard
        if silence > TimeAmount(limits.silence * 2) {
            end(
                SyncError(
                    .timedOut, "the peer sent nothing for \(limits.silence * 2)"))
            context?.close(promise: nil)
        } else if silence >= TimeAmount(limits.silence / 2) {
            write(.ping, ByteBuffer())
        }
    }

    private func refuse(_ problem: String, _ code: WebSocketErrorCode = .protocolError) {
        fail(SyncError(.badMessage, problem), code)
    }

    private func fail(_ error: SyncError, _ code: WebSocketErrorCode) {
        guard !isEnded else { return }
        end(error)
        close(nil, code: code)
    }

    /// Ends the connection after pending writes, and discards queued messages.
    func close(_ last: ByteBuffer?, code: WebSocketErrorCode) {
        guard let context else { return }
        if let last, context.channel.isWritable { write(.binary, last) }
        var reason = ByteBuffer()
        reason.write(webSocketErrorCode: code)
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(frame(.connectionClose, reason))).whenComplete { _ in
            loopBound.value.close(promise: nil)
        }
        // Closing doesn't wait for a peer that doesn't read.
        context.eventLoop.scheduleTask(in: .seconds(1)) { loopBound.value.close(promise: nil) }
        end(nil)
    }

    private func end(_ error: SyncError?) {
        if failure == nil, !isEnded { failure = error }
        isEnded = true
        keepalive?.cancel()
        keepalive = nil
        budget.remove(held)
        held = 0
        messages = []
        begun = nil
        if let reader {
            self.reader = nil
            if let failure { reader.fail(failure) } else { reader.succeed(nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? NIOWebSocketError {
        case .invalidFrameLength:
            fail(Self.tooLong(limits.messageBytes, limits.messageBytes), .messageTooLarge)
        case nil:
            end(SyncError(.disconnected, NetworkFailure.explanation(error), cause: error))
            context.close(promise: nil)
        default: refuse("a frame is malformed")
        }
    }
}

@available(*, unavailable)
extension MessageHandler: Sendable {}

extension TimeAmount {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        self = .nanoseconds(
            overflow ? Int64.max / 4 : nanoseconds / 2 * 2 + attoseconds / 1_000_000_000)
    }
}
