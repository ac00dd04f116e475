import Dispatch
import Foundation
import Synchronization

/// A connection over a Unix-domain or TCP socket: each message behind its length in four bytes.
///
/// For stores on one machine, or on machines that trust the network between them: nothing is
/// encrypted, and whoever reaches a TCP port is a peer. A Unix-domain socket is for its owner alone.
public final class StreamConnection: MessageConnection {
    public let address: String
    private let socket: StreamSocket
    private let messages = MessageQueue(capacity: 2)
    /// Signalled for each message that is waited for, and at the end.
    private let demand = DispatchSemaphore(value: 0)
    private let limit = Atomic(0)
    private let isClosed = Atomic(false)
    private let writing = DispatchQueue(label: "tideline-stream-write")
    /// How long a peer may leave no room for a byte, in milliseconds.
    private static let patience: Int32 = 60_000

    init(_ socket: StreamSocket, address: String) {
        self.socket = socket
        self.address = address
        let reader = Reader(
            socket, messages, demand,
            limit: { [weak self] in
                self?.limit.load(ordering: .acquiring)
            })
        let thread = Thread { reader.run() }
        thread.name = "tideline-stream"
        thread.stackSize = 1 << 19
        thread.start()
    }

    deinit { end() }

    public func receive(limit: Int) async throws(SyncError) -> [UInt8]? {
        self.limit.store(limit, ordering: .releasing)
        demand.signal()
        return try await messages.take()
    }

    public func send(_ message: [UInt8]) async throws(SyncError) {
        guard let head = FrameReader.head(of: message) else {
            throw SyncError(.tooLarge, "a message has \(message.count) bytes")
        }
        let isDone = await withCheckedContinuation { continuation in
            writing.async { [socket] in
                continuation.resume(
                    returning: socket.write(head, patience: Self.patience)
                        && socket.write(message, patience: Self.patience))
            }
        }
        guard isDone else {
            close(nil)
            throw SyncError(.disconnected, "the connection has ended")
        }
    }

    public func close(_ last: [UInt8]?) {
        guard let last, let head = FrameReader.head(of: last),
            !isClosed.load(ordering: .acquiring)
        else { return end() }
        // Behind what is being written, if that does not take long.
        writing.async { [socket] in _ = socket.write(head + last, patience: 500) }
        writing.async { [weak self] in self?.end() }
        Self.lateEnds.asyncAfter(deadline: .now() + 1) { [weak self] in self?.end() }
    }

    private static let lateEnds = DispatchQueue(label: "tideline-stream-end")

    private func end() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        socket.shutDown()
        messages.end(dropping: true)
        demand.signal()
    }
}

/// Reads messages on a thread of its own, which sleeps in the kernel.
private struct Reader: Sendable {
    private let socket: StreamSocket
    private let messages: MessageQueue
    private let demand: DispatchSemaphore
    private let limit: @Sendable () -> Int?

    init(
        _ socket: StreamSocket, _ messages: MessageQueue, _ demand: DispatchSemaphore,
        limit: @escaping @Sendable () -> Int?
    ) {
        self.socket = socket
        self.messages = messages
        self.demand = demand
        self.limit = limit
    }

    func run() {
        var frames = FrameReader()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        do throws(SyncError) {
            while true {
                demand.wait()
                // Gone with its connection.
                guard let limit = limit() else { return }
                var message = try frames.next(limit: limit)
                while message == nil {
                    guard let count = socket.read(into: buffer), count > 0 else {
                        return messages.end()
                    }
                    frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    message = try frames.next(limit: limit)
                }
                if let message { messages.offer(message) }
            }
        } catch {
            messages.end(error)
        }
    }
}

/// Connects to a socket that another store listens at.
public struct StreamConnector: MessageConnector {
    private let target: StreamAddress

    /// A connector to that address.
    public init(_ address: StreamAddress) { target = address }

    public var address: String { target.description }

    public func connect() async throws(SyncError) -> any MessageConnection {
        let target = target
        let result: Result<StreamSocket, SyncError> = await withCheckedContinuation { waiting in
            DispatchQueue.global().async {
                do throws(SyncError) {
                    waiting.resume(
                        returning: .success(
                            try StreamSocket.connecting(to: target, patience: 10_000)))
                } catch {
                    waiting.resume(returning: .failure(error))
                }
            }
        }
        return StreamConnection(try result.get(), address: address)
    }
}
