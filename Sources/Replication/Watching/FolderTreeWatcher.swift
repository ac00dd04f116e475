import Foundation
import Glibc

/// Reports that an item in a folder or its subfolders may have changed.
///
/// It uses kernel events, on a thread that sleeps while nothing happens. If events aren't available
/// (network file system, no watches left), it reports a possible change at regular intervals.
package final class FolderTreeWatcher: Sendable {
    private let signal: WakeUp

    /// Starts watching. All changes after this returns are reported.
    ///
    /// - Parameters:
    ///   - depth: The number of folder levels below `path` to watch.
    ///   - window: The minimum time between two calls of the handler.
    ///   - pollInterval: The interval of reports if there are no events.
    ///   - handler: Called on the watcher's own thread.
    /// - Throws: ``ReplicationError`` if too many files are open.
    package init(
        _ path: String, depth: Int, window: Duration = .milliseconds(5),
        pollInterval: Duration = .seconds(5), handler: @escaping @Sendable () -> Void
    ) throws(ReplicationError) {
        let signal = try WakeUp()
        self.signal = signal
        let tree = FileSystemKind.raisesNoEvents(at: path) ? nil : Tree(path, depth)
        let thread = Thread {
            if let tree {
                tree.run(signal, window, pollInterval, handler)
            } else {
                while Self.wait(signal, nil, pollInterval) { handler() }
            }
        }
        thread.name = "tideline-tree"
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// A running call of the handler finishes, and no further call follows.
    deinit { signal.send() }

    /// Sleeps until there is something to read or the time is over.
    ///
    /// - Returns: `false` if watching has ended.
    fileprivate static func wait(
        _ signal: WakeUp, _ descriptor: Int32?, _ time: Duration?
    ) -> Bool {
        var waiting = ([signal.descriptor] + [descriptor].compactMap { $0 }).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let milliseconds = time.map { Int32(max(1, min($0 / .milliseconds(1), 3_600_000))) } ?? -1
        _ = poll(&waiting, nfds_t(waiting.count), milliseconds)
        return waiting[0].revents == 0
    }
}

/// `@unchecked`: after its creation, only one thread uses it.
private final class Tree: @unchecked Sendable {
    private let inotify: Inotify
    private let root: String
    private let depth: Int
    private var folders: [Int32: (path: String, level: Int)] = [:]
    /// Whether a folder could not be watched.
    private var isPartial = false

    init?(_ path: String, _ depth: Int) {
        guard let inotify = Inotify() else { return nil }
        self.inotify = inotify
        root = path
        self.depth = depth
        guard add(path, 0) else { return nil }
    }

    @discardableResult
    private func add(_ path: String, _ level: Int) -> Bool {
        let watch = inotify.add(path, Inotify.contents, followsLinks: level == 0)
        guard watch >= 0 else {
            isPartial = isPartial || watch != -ENOENT
            return false
        }
        folders[watch] = (path, level)
        guard level < depth, let folder = try? Descriptor(folder: path),
            let names = try? folder.names(path)
        else { return true }
        for name in names where (try? FileStatus.of(name, in: folder, path: path))?.isFolder == true
        {
            add("\(path)/\(name)", level + 1)
        }
        return true
    }

    func run(
        _ signal: WakeUp, _ window: Duration, _ pollInterval: Duration,
        _ handler: () -> Void
    ) {
        while FolderTreeWatcher.wait(signal, inotify.descriptor, isPartial ? pollInterval : nil) {
            for event in inotify.events() {
                if event.has(Int32(IN_Q_OVERFLOW)) { add(root, 0) }
                if event.has(Int32(IN_IGNORED)) { folders[event.watch] = nil }
                guard event.isFolder, event.has(Int32(IN_CREATE), Int32(IN_MOVED_TO)),
                    let parent = folders[event.watch], parent.level < depth
                else { continue }
                add("\(parent.path)/\(event.name)", parent.level + 1)
            }
            handler()
            guard FolderTreeWatcher.wait(signal, nil, window) else { return }
        }
    }
}
