import Foundation
import Glibc
import Synchronization

/// Accepts connections of other stores at a Unix-domain or TCP socket.
public final class StreamListener: Sendable {
    /// The address of the listener. If port 0 was requested, it contains the port chosen by the
    /// system.
    public let address: StreamAddress
    private let socket: StreamSocket
    private let incoming: AsyncStream<StreamSocket>
    private let output: AsyncStream<StreamSocket>.Continuation
    private let isClosed = Atomic(false)

    /// Starts to listen.
    ///
    /// A Unix-domain socket is accessible only to its owner. A leftover socket of a terminated
    /// program is replaced.
    ///
    /// - Throws: `SyncError` with code `.cannotListen` or `.invalidAddress`.
    public init(at address: StreamAddress) throws(SyncError) {
        let (socket, port) = try Self.listening(at: address)
        self.socket = socket
        if case .tcp(let host, _) = address {
            self.address = .tcp(host: host, port: port)
        } else {
            self.address = address
        }
        (incoming, output) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16))
        let thread = Thread { [socket, output, isClosed = WeakFlag(self)] in
            Self.accept(socket, output, until: isClosed)
        }
        thread.name = "tideline-listen"
        thread.stackSize = 1 << 19
        thread.start()
    }

    deinit { close() }

    /// Stops listening and removes the socket's file. Open connections continue.
    public func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if case .unix(let path) = address { unlink(path) }
        socket.shutDown()
        output.finish()
    }

    /// Runs an exchange on all incoming connections, until the task is canceled or the listener is
    /// closed.
    public func run(_ exchange: DocumentExchange) async {
        exchange.note(.listening(address.description))
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await socket in incoming {
                    let connection = StreamConnection(socket, address: address.description)
                    group.addTask {
                        // If a peer had joined, an event reports why the connection ended.
                        try? await exchange.run(connection, as: .server)
                    }
                }
                group.cancelAll()
            }
        } onCancel: {
            close()
        }
    }

    private struct WeakFlag: @unchecked Sendable {
        // The runtime synchronizes accesses to weak references.
        private weak var listener: StreamListener?
        init(_ listener: StreamListener) { self.listener = listener }
        var isSet: Bool { listener?.isClosed.load(ordering: .acquiring) ?? true }
    }

    private static func accept(
        _ socket: StreamSocket, _ output: AsyncStream<StreamSocket>.Continuation,
        until end: WeakFlag
    ) {
        while !end.isSet {
            let number = Glibc.accept(socket.descriptor, nil, nil)
            if number >= 0 {
                // A socket that the stream drops is released and thereby closed.
                output.yield(StreamSocket(number))
            } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
                // The limit of descriptors or memory is reached. Accepting is retried after a
                // pause.
                usleep(100_000)
            } else if ![EINTR, ECONNABORTED, EPROTO].contains(errno) {
                return output.finish()
            }
        }
    }

    private static func listening(
        at address: StreamAddress
    ) throws(SyncError) -> (StreamSocket, port: Int) {
        if case .unix(let path) = address { try clear(path, address) }
        var reason: Int32 = 0
        let socket = try address.first(listening: true) {
            (family, system, length) -> StreamSocket? in
            let number = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
            guard number >= 0 else {
                reason = errno
                return nil
            }
            let socket = StreamSocket(number)
            var yes: Int32 = 1
            setsockopt(
                number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            guard bind(number, system, length) == 0 else {
                reason = errno
                return nil
            }
            // The permissions are set before the socket listens, so no other user can connect.
            if case .unix(let path) = address { chmod(path, 0o600) }
            guard listen(number, 64) == 0 else {
                reason = errno
                return nil
            }
            return socket
        }
        guard let socket else {
            throw SyncError(
                .cannotListen, "\(address): \(StreamSocket.systemReason(reason))")
        }
        return (socket, boundPort(socket))
    }

    /// Removes a socket at which no program listens.
    private static func clear(_ path: String, _ address: StreamAddress) throws(SyncError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SyncError(.cannotListen, "\(address): the path exists and is not a socket")
        }
        guard (try? StreamSocket.connecting(to: address, patience: 1_000)) == nil else {
            throw SyncError(.cannotListen, "another program is listening at \(address)")
        }
        unlink(path)
    }

    private static func boundPort(_ socket: StreamSocket) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(socket.descriptor, address, &length) == 0 else { return 0 }
                // The port is at the same offset in both forms of address.
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int(UInt16(bigEndian: $0.pointee.sin_port))
                }
            }
        }
    }
}
