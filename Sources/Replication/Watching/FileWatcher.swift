import Foundation
import Glibc

/// Tells when one file may have changed, its replacement by renaming included.
///
/// It watches the folder that the file is in by the kernel's events, on a thread that sleeps when
/// nothing happens. Where the kernel has none to give (a network file system, no more watches), the
/// file is looked at from time to time instead.
public final class FileWatcher: Sendable {
    private let signal: WakeUp

    /// Begins to watch. What happens after this returns is told.
    ///
    /// - Parameters:
    ///   - isDatabase: Whether what SQLite writes beside the file counts as well.
    ///   - window: The least time from one call of the handler to the next; what happens meanwhile
    ///     is told by one call after it.
    ///   - pollInterval: How often to look where there are no events.
    ///   - polls: Whether to look even where there are events.
    ///   - handler: Called on the watcher's own thread.
    /// - Throws: ``ReplicationError`` where too many files are open.
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

    /// A call of the handler that has begun goes on; another does not follow.
    deinit { signal.send() }
}

/// What the watcher's thread does.
private final class FileWatchLoop: Sendable {
    /// `nil` where there are no events.
    private let events: Events?
    private let path: String
    private let names: [String]
    private let window: Duration
    private let pollInterval: Duration
    private let signal: WakeUp
    private let handler: @Sendable () -> Void
    /// How the file was when watching began, where it is looked at.
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
        // A stamp tells of what SQLite writes beside the file as well.
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
            // What comes in this time is there when the next events are read.
            guard wait(for: [], window) else { return }
        }
    }

    private func look() {
        var known = first
        while wait(for: [], pollInterval) {
            let found = try? FileStamp(ofFileAt: path)
            // Two writes in one tick of the file system's clock may look like one.
            if found != known || found?.isFresh == true { handler() }
            known = found
        }
    }

    /// Sleeps until there is something to read, or for that long.
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

    /// `nil` where the system gives none.
    init?(of folder: String) {
        guard !FileSystemKind.raisesNoEvents(at: folder), let inotify = Inotify(),
            inotify.add(folder, Inotify.contents, followsLinks: true) >= 0
        else { return nil }
        self.inotify = inotify
    }
}
