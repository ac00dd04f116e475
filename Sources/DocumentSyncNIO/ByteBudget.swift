import NIOCore
import Synchronization

/// Limits the number of unprocessed bytes from all peers of a server.
final class ByteBudget: Sendable {
    let limit: Int
    private let used = Atomic(0)

    init(limit: Int) { self.limit = limit }

    /// Counts bytes if the total stays within the limit.
    ///
    /// - Returns: Whether the bytes were counted.
    func add(_ count: Int) -> Bool {
        let (_, sum) = used.add(count, ordering: .relaxed)
        guard sum > limit else { return true }
        used.subtract(count, ordering: .relaxed)
        return false
    }

    func remove(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// A handler that reports the number of incoming bytes to the message handler before they are
/// decoded.
final class ByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let messages: MessageHandler

    init(_ messages: MessageHandler) { self.messages = messages }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        messages.note(unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension ByteCounter: Sendable {}
