import Foundation
import Glibc
import Replication

/// Tells when one file may have changed, its replacement by renaming included.
///
/// It watches the folder that the file is in by the kernel's events, on a thread that sleeps when
/// nothing happens. Where the kernel has no events to give, nothing is told, and the file is read
/// anew when a person asks for it.
final class FileWatch: Sendable {
    private let events: Int32
    private let wakeUp: Int32
    private let wakeUpReader: Int32

    /// - Parameter handler: Called on the watch's own thread.
    init?(_ path: String, handler: @escaping @Sendable () -> Void) {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let events = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard events >= 0 else { return nil }
        let mask =
            UInt32(IN_CLOSE_WRITE) | UInt32(IN_MODIFY) | UInt32(IN_MOVED_TO)
            | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE) | UInt32(IN_ONLYDIR)
        var ends: [Int32] = [-1, -1]
        guard inotify_add_watch(events, url.deletingLastPathComponent().path, mask) >= 0,
            pipe(&ends) == 0
        else {
            close(events)
            return nil
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (wakeUpReader, wakeUp) = (ends[0], ends[1])
        self.events = events
        let name = Array(url.lastPathComponent.utf8)
        let stop = ends[0]
        let thread = Thread { Self.run(events, stop, name, handler) }
        thread.name = "tideline-file"
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Ends watching. A call of the handler that has begun goes on; another does not follow.
    deinit {
        // The thread closes its descriptors when the pipe ends.
        close(wakeUp)
    }

    private static func run(
        _ events: Int32, _ stop: Int32, _ name: [UInt8], _ handler: @Sendable () -> Void
    ) {
        defer {
            close(events)
            close(stop)
        }
        var sources = [
            pollfd(fd: events, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            guard poll(&sources, 2, -1) >= 0 || errno == EINTR else { return }
            if sources[1].revents != 0 { return }
            var isConcerned = false
            while true {
                let count = buffer.withUnsafeMutableBytes { read(events, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                if concerns(name, buffer[..<count]) { isConcerned = true }
            }
            if isConcerned { handler() }
        }
    }

    /// Whether an event is about the file of a name, or tells that events were lost.
    private static func concerns(_ file: [UInt8], _ events: ArraySlice<UInt8>) -> Bool {
        events.withUnsafeBytes { bytes in
            // Each is a watch, a mask, a cookie, a length (32 bits each), and a name of that
            // length, padded with zeros.
            var offset = 0
            while offset + 16 <= bytes.count {
                let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                guard length <= bytes.count - offset - 16 else { return true }
                let name = bytes[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
                if mask & UInt32(IN_Q_OVERFLOW) != 0 || name.elementsEqual(file) { return true }
                offset += 16 + length
            }
            return false
        }
    }
}
