import Foundation
import Glibc

/// The folders of a package that are watched, and what an event in each of them means.
final class WatchTree {
    private enum Role {
        /// A folder that the package's folder is in.
        case ancestor
        case package
        /// `Devices/` or `devices/`.
        case devices
        case device(DeviceID)
        /// `Blobs/`, or a folder in it, with its path from there.
        case blobs(String)
    }

    private let package: StorePackage
    private let inotify: Inotify
    /// Which folder the package is; `nil` while it is gone.
    private var inode: UInt64?
    private let watchLimit: Int
    private var watches: [Int32: (role: Role, path: String)] = [:]
    private var numbers: [Name: Int32] = [:]
    /// Whether every folder that is there could be watched.
    private(set) var isComplete = true

    var descriptor: Int32 { inotify.descriptor }

    /// `nil` where the system gives no file events.
    init?(_ package: StorePackage, watchLimit: Int, hasOwnQueue: Bool) {
        guard let inotify = hasOwnQueue ? Inotify(InotifyInstance()) : Inotify() else { return nil }
        self.package = package
        self.inotify = inotify
        self.watchLimit = watchLimit
        inode = Self.inode(of: package.path)
        watchAncestors()
        watchAll()
    }

    /// Reads the events that wait and notes what they mean.
    func collect(into pending: inout PendingChange) {
        let now = ContinuousClock.now
        for event in inotify.events() { apply(event, at: now, &pending) }
    }

    // MARK: Gone and back

    /// Watches the folders above the package: for their own end, and while the package is gone for
    /// what comes into them as well.
    private func watchAncestors() {
        var path = package.path
        while let slash = path.lastIndex(of: "/") {
            path = String(path[..<slash])
            add(path.isEmpty ? "/" : path, .ancestor)
        }
    }

    /// Lets go of all that was watched, and waits for a package at that path.
    private func leave() {
        inode = nil
        for (number, watch) in watches {
            inotify.remove(number)
            numbers[watch.path] = nil
        }
        watches = [:]
        isComplete = true
        watchAncestors()
        // Without `Devices/` it is still there, to come into.
        add(package.path, .package)
    }

    /// Whether the package is gone, and waited for.
    var isAway: Bool { inode == nil }

    /// Begins anew where a package is there again.
    /// - Returns: Whether there is one.
    @discardableResult
    func comeBack() -> Bool {
        guard package.isThere, let found = Self.inode(of: package.path) else {
            // Folders between may have come, where the next one will.
            watchAncestors()
            add(package.path, .package)
            return false
        }
        inode = found
        watchAncestors()
        watchAll()
        return true
    }

    // MARK: Watching

    private func watchAll() {
        isComplete = true
        add(package.path, .package)
        for root in StorePackage.deviceRoots { watchDevices("\(package.path)/\(root)") }
        for root in ["Blobs", "blobs"] { watchBlobs("\(package.path)/\(root)", relative: "") }
    }

    private func watchDevices(_ path: String) {
        guard add(path, .devices), let names = try? Descriptor(folder: path).names(path) else {
            return
        }
        for name in names {
            guard let id = try? DeviceID(name) else { continue }
            add("\(path)/\(name)", .device(id))
        }
    }

    private func watchBlobs(_ path: String, relative: String, depth: Int = 0) {
        guard depth <= 64, add(path, .blobs(relative)),
            let folder = try? Descriptor(folder: path), let names = try? folder.names(path)
        else { return }
        for name in names where name.utf8.first != UInt8(ascii: ".") {
            let full = "\(path)/\(name)"
            let status = try? FileStatus.of(name, in: folder, path: full)
            guard let status, status.isFolder else { continue }
            let inner = relative.isEmpty ? name : "\(relative)/\(name)"
            watchBlobs(full, relative: inner, depth: depth + 1)
        }
    }

    @discardableResult
    private func add(_ path: String, _ role: Role) -> Bool {
        let isAncestor = if case .ancestor = role { true } else { false }
        let isPackage = if case .package = role { true } else { false }
        let above = isAway ? Inotify.arrivals : Inotify.itself
        let number =
            watches.count >= watchLimit && numbers[path] == nil
            ? -ENOSPC
            : inotify.add(
                path, isAncestor ? above : Inotify.contents,
                followsLinks: isAncestor || isPackage)
        guard number >= 0 else {
            // Nothing is there, or a file or a symbolic link: nothing to watch.
            if !isAncestor || isAway, ![-ENOENT, -ENOTDIR, -ELOOP].contains(number) {
                isComplete = false
            }
            return false
        }
        watches[number] = (role, path)
        numbers[path] = number
        return true
    }

    private func remove(_ path: String) {
        let inner = numbers.keys.filter { $0 == Name(path) || $0.hasPrefix(path + "/") }
        for path in inner {
            guard let number = numbers.removeValue(forKey: path) else { continue }
            watches[number] = nil
            inotify.remove(number)
        }
    }

    // MARK: Events

    private func apply(
        _ event: Inotify.Event, at now: ContinuousClock.Instant, _ pending: inout PendingChange
    ) {
        if isAway {
            if !event.has(Int32(IN_IGNORED)), comeBack() { pending.back(at: now) }
            return
        }
        if event.has(Int32(IN_Q_OVERFLOW)) {
            // Its end may be among what was lost.
            guard isThere else {
                end(at: now, &pending)
                return
            }
            watchAll()
            pending.rescan(at: now)
            pending.add(blob: "", at: now)
            return
        }
        guard let (role, path) = watches[event.watch] else { return }
        if event.has(Int32(IN_IGNORED)) {
            watches[event.watch] = nil
            if numbers[path] == event.watch { numbers[path] = nil }
        }
        switch role {
        case .ancestor, .package:
            guard isThere else {
                end(at: now, &pending)
                return
            }
            guard case .package = role else { return }
            let isRoot = ["Devices", "devices", "Blobs", "blobs"].contains(event.name)
            guard isRoot, !event.has(Int32(IN_MODIFY), Int32(IN_CLOSE_WRITE)) else { return }
            if event.has(Int32(IN_MOVED_FROM)) { remove("\(path)/\(event.name)") }
            watchAll()
            pending.rescan(at: now)
            // What was put into it before it was watched raised no event.
            if event.name.lowercased() == "blobs" { pending.add(blob: "", at: now) }
        case .devices:
            guard let id = try? DeviceID(event.name), event.isFolder else { return }
            pending.add(device: id, at: now)
            let folder = "\(path)/\(event.name)"
            if event.has(Int32(IN_MOVED_FROM), Int32(IN_DELETE)) { remove(folder) }
            noteAllFiles(of: id, folder, at: now, &pending)
        case .device(let id):
            guard !event.name.isEmpty else {
                pending.add(device: id, at: now)
                return
            }
            note(event, of: id, path, at: now, &pending)
        case .blobs(let relative):
            guard let first = event.name.utf8.first, first != UInt8(ascii: "."),
                !SyncServiceFile.isTransfer(event.name)
            else { return }
            let inner = relative.isEmpty ? event.name : "\(relative)/\(event.name)"
            pending.add(blob: inner, at: now)
            guard event.isFolder else { return }
            let folder = "\(path)/\(event.name)"
            if event.has(Int32(IN_MOVED_FROM), Int32(IN_DELETE)) { remove(folder) }
            if event.has(Int32(IN_CREATE), Int32(IN_MOVED_TO), Int32(IN_ATTRIB)) {
                watchBlobs(folder, relative: inner)
            }
        }
    }

    private func end(at now: ContinuousClock.Instant, _ pending: inout PendingChange) {
        leave()
        pending.gone(at: now)
        // It may have come back before it was waited for.
        if comeBack() { pending.back(at: now) }
    }

    /// A device's folder came or went. What was put into it before it was watched raised no event,
    /// so all files that are there count as changed, and those that were.
    private func noteAllFiles(
        of id: DeviceID, _ path: String, at now: ContinuousClock.Instant,
        _ pending: inout PendingChange
    ) {
        add(path, .device(id))
        for kind in DatabaseKind.allCases {
            pending.add(DeviceFile(id, kind), path: "\(path)/\(kind.fileName)", at: now)
        }
    }

    private func note(
        _ event: Inotify.Event, of id: DeviceID, _ path: String, at now: ContinuousClock.Instant,
        _ pending: inout PendingChange
    ) {
        var name = event.name
        for suffix in ["-journal", "-wal"] where name.hasSuffix(suffix) {
            name.removeLast(suffix.count)
        }
        if let kind = DatabaseKind(fileName: name) {
            pending.add(DeviceFile(id, kind), path: "\(path)/\(name)", at: now)
            if event.has(
                Int32(IN_CREATE), Int32(IN_DELETE), Int32(IN_MOVED_FROM), Int32(IN_MOVED_TO)),
                name == event.name
            {
                pending.add(device: id, at: now)
            }
        } else if !event.has(Int32(IN_MODIFY), Int32(IN_CLOSE_WRITE), Int32(IN_ATTRIB)),
            SyncServiceFile(name: event.name) != nil
        {
            pending.add(device: id, at: now)
        }
    }

    private var isThere: Bool {
        guard let inode, Self.inode(of: package.path) == inode else { return false }
        return package.isThere
    }

    private static func inode(of path: String) -> UInt64? {
        var raw = stat()
        return stat(path, &raw) == 0 ? FileStatus(raw).inode : nil
    }
}
