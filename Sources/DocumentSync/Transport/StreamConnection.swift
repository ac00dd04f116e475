import Dispatch
import Foundation
import Synchronization

/// A connection over a Unix-domain or TCP socket. Each message is preceded by its length in four
/// bytes.
///
/// Use this for stores on one machine, or on machines that trust their network. Nothing is
/// encrypted, and every program that reaches a TCP port is accepted as a peer. A Unix-domain socket
/// is accessible only to its owner.
public final class StreamConnection: MessageConnection {
    /// The address of the other side.
    public let address: String
    private let socket: StreamSocket
    private let messages = MessageQueue(capacity: 2)
    /// Signaled for each requested message, and at the end.
    private let demand = DispatchSemaphore(value: 0)
    private let limit = Atomic(0)
    private let isClosed = Atomic(false)
    private let writing = DispatchQueue(label: "tideline-stream-write")
    /// The maximum time in milliseconds for a peer to accept a byte.
    private static let patience: Int32 = 60_000

    init(_ socket: StreamSocket, address: String) {
        self.socket = socket
        self.address = address
        let reader = Reader(
            socket: socket, messages: messages, demand: demand,
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
        // If the current message is written soon, the last message follows it.
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

/// A reader of messages with its own thread, which sleeps in the kernel.
private struct Reader: Sendable {
    let socket: StreamSocket
    let messages: MessageQueue
    let demand: DispatchSemaphore
    let limit: @Sendable () -> Int?

    func run() {
        var frames = FrameReader()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        do throws(SyncError) {
            while true {
                demand.wait()
                // The limit is `nil` once the connection has been released.
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

/// A connector to a socket at which another store listens.
public struct StreamConnector: MessageConnector {
    private let target: StreamAddress

    /// Creates a connector to an address.
    public init(_ address: StreamAddress) { target = address }

    /// The address to connect to.
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
