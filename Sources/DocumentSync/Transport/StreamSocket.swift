import Glibc

/// A socket descriptor, which is closed with the last reference to the object.
final class StreamSocket: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Shuts down both directions, which wakes waiting calls.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Waits for bytes and reads them.
    ///
    /// - Returns: The number of bytes read, 0 at the end, or `nil` if the connection failed.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            if errno != EINTR { return nil }
        }
    }

    /// Writes all bytes, waiting for room.
    ///
    /// - Parameter patience: The maximum time in milliseconds to wait for room, before each write.
    /// - Returns: Whether all bytes were written.
    func write(_ bytes: [UInt8], patience: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                let status = poll(&waiting, 1, patience)
                if status < 0, errno == EINTR { continue }
                guard status > 0 else { return false }
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                let count = Glibc.send(
                    descriptor, rest.baseAddress, rest.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                if count > 0 {
                    done += count
                } else if ![EINTR, EAGAIN].contains(errno) {
                    return false
                }
            }
            return true
        }
    }

    /// Connects to an address.
    ///
    /// - Parameter patience: The maximum time to wait, in milliseconds.
    /// - Throws: `SyncError` with code `.cannotConnect`.
    static func connecting(
        to address: StreamAddress, patience: Int32
    ) throws(SyncError) -> StreamSocket {
        var reason: Int32 = 0
        let socket = try address.first(listening: false) {
            (family, address, length) -> StreamSocket? in
            let number = Glibc.socket(
                family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            guard number >= 0 else {
                reason = errno
                return nil
            }
            let socket = StreamSocket(number)
            if connect(number, address, length) != 0 {
                reason = errno
                guard reason == EINPROGRESS else { return nil }
                var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                var length = socklen_t(MemoryLayout<Int32>.size)
                reason = ETIMEDOUT
                guard poll(&waiting, 1, patience) == 1,
                    getsockopt(number, SOL_SOCKET, SO_ERROR, &reason, &length) == 0, reason == 0
                else { return nil }
            }
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK)
            return socket
        }
        guard let socket else {
            throw SyncError(.cannotConnect, "\(address): \(systemReason(reason))")
        }
        return socket
    }

    static func systemReason(_ number: Int32) -> String {
        String(cString: strerror(number)).lowercased()
    }
}
