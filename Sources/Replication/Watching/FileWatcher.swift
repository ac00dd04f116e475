import Foundation
import Glibc

/// A watcher that reports that one file may have changed, including its replacement by renaming.
///
/// It watches the file's folder through kernel events. If events aren't available (network file
/// system, no watches left), it polls the file instead. While nothing happens, a watcher needs no
/// thread.
public final class FileWatcher: Sendable {
    private let queue: WatchQueue

    /// Starts watching. Every change made after this method returns is reported.
    ///
    /// - Parameters:
    ///   - isDatabase: Whether changes of SQLite's journals next to the file count as well.
    ///   - window: The minimum time between two calls of the handler. One call reports all changes
    ///     in between.
    ///   - pollInterval: The polling interval if there are no events.
    ///   - polls: Whether to poll even if there are events.
    ///   - handler: Called on the watcher's own queue. A running call finishes even if the watcher
    ///     is released.
    public init(
        _ path: String, isDatabase: Bool = false, window: Duration = .milliseconds(5),
        pollInterval: Duration = .seconds(1), polls: Bool = false,
        handler: @escaping @Sendable () -> Void
    ) {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let suffixes = isDatabase ? ["", "-wal", "-journal"] : [""]
        queue = WatchQueue(
            "tideline-file",
            FileTurns(
                file: url, names: suffixes.map { url.lastPathComponent + $0 }, window: window,
                pollInterval: pollInterval, polls: polls, handler: handler))
    }
}

/// The work of a file's watcher.
private struct FileTurns: WatchTurns {
    /// The event source, or `nil` if the file is polled.
    private let inotify: Inotify?
    private let path: String
    private let names: [String]
    private let pollInterval: Duration
    private var pace: WatchPace
    /// The state of the file at the last poll.
    private var known: FileStamp?
    /// The time of the next poll; `nil` if there are events.
    private var nextPoll: Instant?

    init(
        file: URL, names: [String], window: Duration, pollInterval: Duration, polls: Bool,
        handler: @escaping @Sendable () -> Void
    ) {
        path = file.path
        self.names = names
        self.pollInterval = pollInterval
        pace = WatchPace(window: window, handler: handler)
        inotify = polls ? nil : Self.events(of: file.deletingLastPathComponent().path)
        guard inotify == nil else { return }
        // A stamp also covers SQLite's journals next to the file.
        known = try? FileStamp(ofFileAt: file.path)
        nextPoll = .now + pollInterval
    }

    var descriptor: Int32? { inotify?.descriptor }

    var nextTurn: Instant? { nextPoll ?? pace.nextCall }

    mutating func turn() {
        if let inotify {
            let concerns = inotify.events().contains {
                $0.has(Int32(IN_Q_OVERFLOW)) || names.contains($0.name)
            }
            return pace.turn(hasChanges: concerns)
        }
        let found = try? FileStamp(ofFileAt: path)
        // If two writes happen within one tick of the file system's clock, the stamps after both
        // writes may be the same.
        pace.turn(hasChanges: found != known || found?.isFresh == true)
        known = found
        nextPoll = .now + pollInterval
    }

    private static func events(of folder: String) -> Inotify? {
        guard !FileSystemKind.raisesNoEvents(at: folder), let inotify = Inotify(),
            inotify.add(folder, Inotify.contents, followsLinks: true) >= 0
        else { return nil }
        return inotify
    }
}
