import NIOCore
import Synchronization

/// How many bytes are under way from all peers of a server together.
final class ByteBudget: Sendable {
    let limit: Int
    private let used = Atomic(0)

    init(limit: Int) { self.limit = limit }

    /// Counts bytes; does not where they would be too many.
    func add(_ count: Int) -> Bool {
        let (_, sum) = used.add(count, ordering: .relaxed)
        guard sum > limit else { return true }
        used.subtract(count, ordering: .relaxed)
        return false
    }

    func remove(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// Tells the handler of messages how many bytes come, before anything is made of them.
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
