import Foundation
import Glibc

/// The watched folders of a package, and the interpretation of their events.
final class WatchTree {
    private enum Role {
        /// A folder above the package's folder.
        case ancestor
        case package
        /// `Devices/` or `devices/`.
        case devices
        case device(DeviceID)
        /// `Blobs/` or a folder in it, with its path relative to `Blobs/`.
        case blobs(String)
    }

    private let package: StorePackage
    private let inotify: Inotify
    /// The inode of the package's folder; `nil` while it is missing.
    private var inode: UInt64?
    /// The path of the package's folder without symbolic links, when the folder last existed.
    private var target: String
    private let watchLimit: Int
    private var watches: [Int32: (role: Role, path: String)] = [:]
    private var numbers: [Name: Int32] = [:]
    /// Whether all existing folders are watched.
    private(set) var isComplete = true

    var descriptor: Int32 { inotify.descriptor }

    /// Returns `nil` if file events aren't available.
    init?(_ package: StorePackage, watchLimit: Int, hasOwnQueue: Bool) {
        guard let inotify = hasOwnQueue ? Inotify(InotifyInstance()) : Inotify() else { return nil }
        self.package = package
        self.inotify = inotify
        self.watchLimit = watchLimit
        inode = FileStatus(following: package.path)?.inode
        target = Self.target(of: package)
        watchAncestors()
        watchAll()
    }

    private static func target(of package: StorePackage) -> String {
        URL(filePath: package.path).resolvingSymlinksInPath().path
    }

    /// Reads the waiting events and records the changes.
    func collect(into pending: inout PendingChange) {
        let now = ContinuousClock.now
        for event in inotify.events() { apply(event, at: now, &pending) }
    }

    // MARK: Deletion and return

    /// Watches the folders above the package. Reports their deletion and, while the package is
    /// missing, new items in them. If the path leads through symbolic links, the package can
    /// return where they lead.
    private func watchAncestors() {
        for var path in Set([package.path, target]) {
            while let slash = path.lastIndex(of: "/") {
                path = String(path[..<slash])
                add(path.isEmpty ? "/" : path, .ancestor)
            }
        }
    }

    /// Removes all watches and waits for a package at that path.
    private func leave() {
        inode = nil
        for number in watches.keys { inotify.remove(number) }
        watches = [:]
        numbers = [:]
        isComplete = true
        watchAncestors()
        // The folder may still exist, and `Devices/` may reappear in it.
        add(package.path, .package)
    }

    /// Whether the package is missing, so that this object waits for it.
    var isMissing: Bool { inode == nil }

    /// Watches the package again if it exists.
    ///
    /// - Returns: Whether the package exists.
    @discardableResult
    func watchAgain() -> Bool {
        guard package.exists, let found = FileStatus(following: package.path) else {
            // Folders between this folder and the package may have been created. Watch them, too,
            // because the next folder on the path will appear in the deepest of them.
            watchAncestors()
            add(package.path, .package)
            return false
        }
        inode = found.inode
        target = Self.target(of: package)
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
        let above = isMissing ? Inotify.arrivals : Inotify.itself
        let number =
            watches.count >= watchLimit && numbers[path] == nil
            ? -ENOSPC
            : inotify.add(
                path, isAncestor ? above : Inotify.contents,
                followsLinks: isAncestor || isPackage)
        guard number >= 0 else {
            // The item is missing, a file, or a symbolic link, so there is nothing to watch.
            if !isAncestor || isMissing, ![-ENOENT, -ENOTDIR, -ELOOP].contains(number) {
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
        if isMissing {
            if !event.has(Int32(IN_IGNORED)), watchAgain() { pending.noteReturned(at: now) }
            return
        }
        if event.has(Int32(IN_Q_OVERFLOW)) {
            // The deletion of the folder may be among the lost events.
            guard exists else {
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
            guard exists else {
                end(at: now, &pending)
                return
            }
            guard case .package = role else { return }
            let isRoot = ["Devices", "devices", "Blobs", "blobs"].contains(event.name)
            guard isRoot, !event.has(Int32(IN_MODIFY), Int32(IN_CLOSE_WRITE)) else { return }
            if event.has(Int32(IN_MOVED_FROM)) { remove("\(path)/\(event.name)") }
            watchAll()
            pending.rescan(at: now)
            // Items created before the folder was watched raised no event.
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
        pending.noteDeleted(at: now)
        // The package may have come back before the folders above it were watched.
        if watchAgain() { pending.noteReturned(at: now) }
    }

    /// Watches a device's folder that was created. Files created before the folder was watched
    /// raised no event, so all its files count as changed.
    private func noteAllFiles(
        of id: DeviceID, _ path: String, at now: ContinuousClock.Instant,
        _ pending: inout PendingChange
    ) {
        guard add(path, .device(id)), let names = try? Descriptor(folder: path).names(path) else {
            return
        }
        for name in names {
            guard let kind = DatabaseKind(fileName: name) else { continue }
            pending.add(DeviceFile(id, kind), path: "\(path)/\(name)", at: now)
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

    private var exists: Bool {
        guard let inode, FileStatus(following: package.path)?.inode == inode else { return false }
        return package.exists
    }
}
