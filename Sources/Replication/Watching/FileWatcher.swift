import Foundation
import Glibc

/// Tells when one file may have changed, its replacement by renaming included.
///
/// It watches the folder that the file is in by the kernel's events, on a thread that sleeps when
/// nothing happens. Where the kernel has no events to give, nothing is told.
public final class FileWatcher: Sendable {
    private let signal: WakeUp

    /// Begins to watch. What happens after this returns is told.
    ///
    /// - Parameters:
    ///   - isDatabase: Whether what SQLite writes beside the file counts as well.
    ///   - window: The least time from one call of the handler to the next; what happens meanwhile
    ///     is told by one call after it.
    ///   - handler: Called on the watcher's own thread.
    public init?(
        _ path: String, isDatabase: Bool = false, window: Duration = .milliseconds(5),
        handler: @escaping @Sendable () -> Void
    ) {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        guard let inotify = Inotify(), let signal = try? WakeUp(),
            inotify.add(
                url.deletingLastPathComponent().path, Inotify.contents, followsLinks: true) >= 0
        else { return nil }
        self.signal = signal
        let file = url.lastPathComponent
        let names = Set(isDatabase ? [file, file + "-wal", file + "-journal"] : [file])
        let loop = FileWatchLoop(inotify, names, window, signal, handler)
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
    private let inotify: Inotify
    private let names: Set<String>
    private let window: Duration
    private let signal: WakeUp
    private let handler: @Sendable () -> Void

    init(
        _ inotify: consuming Inotify, _ names: Set<String>, _ window: Duration, _ signal: WakeUp,
        _ handler: @escaping @Sendable () -> Void
    ) {
        self.inotify = inotify
        self.names = names
        self.window = window
        self.signal = signal
        self.handler = handler
    }

    func run() {
        while wait(for: [inotify.descriptor], -1) {
            let concerns = inotify.events().contains {
                $0.has(Int32(IN_Q_OVERFLOW)) || names.contains($0.name)
            }
            guard concerns else { continue }
            handler()
            // What comes in this time is there when the next events are read.
            guard wait(for: [], Int32(window / .milliseconds(1))) else { return }
        }
    }

    /// Sleeps until there is something to read, or for that many milliseconds.
    /// - Returns: `false` if watching has ended.
    private func wait(for descriptors: [Int32], _ milliseconds: Int32) -> Bool {
        var waiting = ([signal.descriptor] + descriptors).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        _ = poll(&waiting, nfds_t(waiting.count), milliseconds)
        return waiting[0].revents == 0
    }
}
