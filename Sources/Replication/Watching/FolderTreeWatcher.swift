import Glibc

/// A watcher that reports that an item in a folder or its subfolders may have changed.
///
/// It uses kernel events. If events aren't available (network file system, no watches left), and
/// while the folder is missing, it reports a possible change at regular intervals. While nothing
/// happens, a watcher needs no thread.
package final class FolderTreeWatcher: Sendable {
    private let queue: WatchQueue

    /// Starts watching. Every change made after this method returns is reported.
    ///
    /// - Parameters:
    ///   - depth: The number of folder levels below `path` to watch.
    ///   - window: The minimum time between two calls of the handler.
    ///   - handler: Called on the watcher's own queue. A running call finishes even if the watcher
    ///     is released.
    package init(
        _ path: String, depth: Int, window: Duration = .milliseconds(5),
        handler: @escaping @Sendable () -> Void
    ) {
        queue = WatchQueue(
            "tideline-tree",
            TreeTurns(
                tree: FileSystemKind.raisesNoEvents(at: path) ? nil : Tree(path, depth),
                pace: WatchPace(window: window, handler: handler)))
    }
}

/// The work of a tree's watcher.
private struct TreeTurns: WatchTurns {
    /// The watched folders; `nil` if there are no events.
    private let tree: Tree?
    private var pace: WatchPace
    /// The interval of reports if there are no events.
    private static let pollInterval: Duration = .seconds(5)
    /// The time of the next report that doesn't need an event; `nil` if all folders are watched.
    private var nextPoll: Instant?

    init(tree: Tree?, pace: WatchPace) {
        self.tree = tree
        self.pace = pace
        planPoll()
    }

    var descriptor: Int32? { tree?.inotify.descriptor }

    var nextTurn: Instant? { [pace.nextCall, nextPoll].compactMap(\.self).min() }

    mutating func turn() {
        let hasEvents = tree?.collect() ?? false
        let isDue = nextPoll.map { .now >= $0 } ?? false
        pace.turn(hasChanges: hasEvents || isDue)
        if isDue || nextPoll == nil { planPoll() }
    }

    private mutating func planPoll() {
        nextPoll = tree?.isComplete == true ? nil : .now + Self.pollInterval
    }
}

/// The watched folders of a tree.
private final class Tree {
    let inotify: Inotify
    private let root: String
    private let depth: Int
    private var folders: [Int32: (path: String, level: Int)] = [:]
    /// Whether a folder could not be watched.
    private var isPartial = false
    /// The watch of the root; `nil` while it is missing.
    private var rootWatch: Int32?
    /// The watches of the folders above the root. If one of these folders is renamed, the path can
    /// lead to another root.
    private var ancestors: Set<Int32> = []
    /// Whether all folders are watched.
    var isComplete: Bool { !isPartial && rootWatch != nil }

    init?(_ path: String, _ depth: Int) {
        guard let inotify = Inotify() else { return nil }
        self.inotify = inotify
        root = path
        self.depth = depth
        guard addRoot() else { return nil }
    }

    private func addRoot() -> Bool {
        ancestors = []
        var path = root
        while let slash = path.lastIndex(of: "/") {
            path = String(path[..<slash])
            let folder = path.isEmpty ? "/" : path
            let watch = inotify.add(folder, Inotify.itself, followsLinks: true)
            if watch >= 0 { ancestors.insert(watch) }
        }
        // Add the root last. If its path ends with a slash, the loop has also added it, but for
        // fewer events.
        return add(root, 0)
    }

    @discardableResult
    private func add(_ path: String, _ level: Int) -> Bool {
        let watch = inotify.add(path, Inotify.contents, followsLinks: level == 0)
        guard watch >= 0 else {
            isPartial = isPartial || watch != -ENOENT
            return false
        }
        if level == 0 { rootWatch = watch }
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

    /// Reads the waiting events, and watches new folders. If the root was missing, tries to watch
    /// it again.
    ///
    /// - Returns: Whether there were events.
    func collect() -> Bool {
        let events = inotify.events()
        for event in events {
            if event.has(Int32(IN_Q_OVERFLOW)) { add(root, 0) }
            if event.has(Int32(IN_IGNORED)) { folders[event.watch] = nil }
            if event.watch == rootWatch || ancestors.contains(event.watch),
                event.has(Int32(IN_IGNORED), Int32(IN_MOVE_SELF))
            {
                rootWatch = nil
            }
            guard event.isFolder, event.has(Int32(IN_CREATE), Int32(IN_MOVED_TO)),
                let parent = folders[event.watch], parent.level < depth
            else { continue }
            add("\(parent.path)/\(event.name)", parent.level + 1)
        }
        return rootWatch == nil && addRoot() || !events.isEmpty
    }
}
