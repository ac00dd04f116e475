import Foundation
import Glibc

/// Reports that one file may have changed, including its replacement by renaming.
///
/// It watches the file's folder through kernel events, on a thread that sleeps while nothing
/// happens. If events aren't available (network file system, no watches left), it polls the file
/// instead.
public final class FileWatcher: Sendable {
    private let signal: WakeUp

    /// Starts watching. All changes after this returns are reported.
    ///
    /// - Parameters:
    ///   - isDatabase: Whether changes of SQLite's journals next to the file count as well.
    ///   - window: The minimum time between two calls of the handler. Changes in between are
    ///     reported by one call.
    ///   - pollInterval: The polling interval if there are no events.
    ///   - polls: Whether to poll even if there are events.
    ///   - handler: Called on the watcher's own thread.
    /// - Throws: ``ReplicationError`` if too many files are open.
    public init(
        _ path: String, isDatabase: Bool = false, window: Duration = .milliseconds(5),
        pollInterval: Duration = .seconds(1), polls: Bool = false,
        handler: @escaping @Sendable () -> Void
    ) throws(ReplicationError) {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        signal = try WakeUp()
        let suffixes = isDatabase ? ["", "-wal", "-journal"] : [""]
        let loop = FileWatchLoop(
            file: url, names: suffixes.map { url.lastPathComponent + $0 }, window: window,
            pollInterval: pollInterval, polls: polls, signal: signal, handler: handler)
        let thread = Thread { loop.run() }
        thread.name = "tideline-file"
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// A running call of the handler finishes, and no further call follows.
    deinit { signal.send() }
}

/// The loop of the watcher's thread.
private final class FileWatchLoop: Sendable {
    /// The event source, or `nil` if the file is polled.
    private let events: Events?
    private let path: String
    private let names: [String]
    private let window: Duration
    private let pollInterval: Duration
    private let signal: WakeUp
    private let handler: @Sendable () -> Void
    /// The state of the file at the start, for polling.
    private let first: FileStamp?

    init(
        file: URL, names: [String], window: Duration, pollInterval: Duration, polls: Bool,
        signal: WakeUp, handler: @escaping @Sendable () -> Void
    ) {
        path = file.path
        self.names = names
        self.window = window
        self.pollInterval = pollInterval
        self.signal = signal
        self.handler = handler
        events = polls ? nil : Events(of: file.deletingLastPathComponent().path)
        // A stamp also covers SQLite's journals next to the file.
        first = events == nil ? try? FileStamp(ofFileAt: file.path) : nil
    }

    func run() {
        if let events { follow(events) } else { look() }
    }

    private func follow(_ events: Events) {
        while wait(for: [events.inotify.descriptor], nil) {
            let concerns = events.inotify.events().contains {
                $0.has(Int32(IN_Q_OVERFLOW)) || names.contains($0.name)
            }
            guard concerns else { continue }
            handler()
            // Events that arrive during this wait are read with the next ones.
            guard wait(for: [], window) else { return }
        }
    }

    private func look() {
        var known = first
        while wait(for: [], pollInterval) {
            let found = try? FileStamp(ofFileAt: path)
            // Two writes in one tick of the file system's clock may look the same.
            if found != known || found?.isFresh == true { handler() }
            known = found
        }
    }

    /// Sleeps until there is something to read or the time is over.
    ///
    /// - Returns: `false` if watching has ended.
    private func wait(for descriptors: [Int32], _ time: Duration?) -> Bool {
        var waiting = ([signal.descriptor] + descriptors).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let milliseconds = time.map { Int32(max(1, min($0 / .milliseconds(1), 3_600_000))) } ?? -1
        _ = poll(&waiting, nfds_t(waiting.count), milliseconds)
        return waiting[0].revents == 0
    }
}

/// The kernel's events of one folder.
private final class Events: Sendable {
    let inotify: Inotify

    /// Returns `nil` if events aren't available.
    init?(of folder: String) {
        guard !FileSystemKind.raisesNoEvents(at: folder), let inotify = Inotify(),
            inotify.add(folder, Inotify.contents, followsLinks: true) >= 0
        else { return nil }
        self.inotify = inotify
    }
}
