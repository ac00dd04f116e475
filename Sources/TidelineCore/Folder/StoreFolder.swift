import Foundation
import KeyValueStore
import Replication

/// The stores in a folder that isn't a store itself, and in its subfolders.
package struct StoreFolder: Sendable {
    /// A store in a folder, or a subfolder to search.
    package struct Entry: Hashable, Sendable {
        package let name: String
        /// The kind of store; `nil` for a subfolder.
        package let kind: String?
        /// The total size of its files in bytes.
        package let byteCount: Int?
        package var isStore: Bool { kind != nil }

        /// Creates an entry for a subfolder.
        package init(_ name: String) { (self.name, kind, byteCount) = (name, nil, nil) }

        fileprivate init(_ store: Store, name: String) {
            self.name = name
            kind = store.kind
            byteCount = Int(clamping: store.byteCount)
        }
    }

    /// A store, with the properties that are known without opening it.
    struct Store: Hashable, Sendable {
        /// The path relative to the folder.
        let name: String
        /// The kind of store, as in `tideline info`.
        let kind: String
        /// The name of its format, as in `tideline info`; `nil` if the kind has none.
        let format: String?
        /// The display names of a package's devices.
        let devices: [String]
        /// The total size of its files in bytes.
        let byteCount: Int64
        /// The time of the last change of its files.
        let changed: Timestamp?
        /// The reason why the store's kind is unknown; `nil` if the kind is known.
        var problem: String?

        /// The kind of a database that can't be read.
        static let unreadable = "unreadable"
    }

    /// The result of a search.
    struct Contents: Sendable {
        /// The stores, in byte order of names.
        var stores: [Store] = []
        /// The problems during the search, one line each.
        var problems: [String] = []
        /// The stores in files. The stamps show whether a file has changed.
        fileprivate var files: [String: (RootedFolder.Entry, Store?)] = [:]
    }

    /// The maximum depth of the search.
    static let depth = 4
    /// The maximum number of files and folders to visit.
    private static let limit = 100_000
    /// The maximum number of files and folders to visit before the screen appears.
    static let firstLimit = 2_000

    let path: String
    private let root: RootedFolder

    package init(_ path: String) {
        // Remove slashes at the end, because the path becomes a prefix of other paths.
        let end = path.lastIndex { $0 != "/" } ?? path.startIndex
        let path = path.isEmpty ? "." : String(path[...end])
        self.path = path
        root = RootedFolder(path)
    }

    /// Whether the folder may contain a store. The search stops at the first store, or after the
    /// first 2,000 files and folders.
    var mayHaveStores: Bool {
        var looking = Looking(root: root, limit: Self.firstLimit, isFirstEnough: true)
        looking.look(into: [])
        return !looking.contents.stores.isEmpty || looking.isFull
    }

    /// Whether the folder contains nothing but hidden entries.
    var isEmpty: Bool {
        (try? root.entries([]))?.allSatisfy { $0.name.hasPrefix(".") } ?? false
    }

    /// The stores and subfolders directly in the folder, in byte order of names. Hidden entries and
    /// links are skipped.
    ///
    /// - Complexity: Reads at most 1,000 entries of the folder, and 100,000 of its stores.
    package var entries: [Entry] {
        var looking = Looking(root: root)
        let found = looking.entries([])?.filter { !$0.name.hasPrefix(".") } ?? []
        return found.prefix(1_000).compactMap { looking.entry($0) }
            .sorted { Name($0.name) < Name($1.name) }
    }

    /// Returns the store at a path; `nil` if there is none.
    package static func entry(at path: String) -> Entry? {
        let url = URL(filePath: path)
        var looking = Looking(root: RootedFolder(url.deletingLastPathComponent().path))
        let found = try? looking.root.entry(named: url.lastPathComponent)
        return found.flatMap { looking.entry($0) }.flatMap { $0.isStore ? $0 : nil }
    }

    /// Searches for stores in the folder and below. Skips links and hidden entries.
    ///
    /// - Parameters:
    ///   - before: The result of the last search. Unchanged files are not read again, except
    ///     unreadable databases.
    ///   - pause: The time between two reports.
    ///   - found: Receives all stores found so far, sorted by name, during the search.
    /// - Complexity: O(*n*) in the files and folders, at most 100,000. Reads the header of each new
    ///   or changed file, and the list of tables of databases.
    func contents(
        after before: Contents = Contents(), every pause: Duration = .milliseconds(250),
        found: (([Store]) -> Void)? = nil
    ) -> Contents {
        var looking = Looking(root: root, before: before)
        (looking.found, looking.pause) = (found, pause)
        looking.look(into: [])
        return looking.sorted
    }

    private struct Looking {
        let root: RootedFolder
        var limit = StoreFolder.limit
        var before = Contents()
        var isFirstEnough = false
        var contents = Contents()
        var found: (([Store]) -> Void)?
        var pause = Duration.zero
        var seen = 0
        var lastReport = ContinuousClock.now

        /// The contents found so far, sorted by name.
        var sorted: Contents {
            var sorted = contents
            sorted.stores.sort { Name($0.name) < Name($1.name) }
            return sorted
        }

        /// Whether the search has reached its limit.
        var isFull: Bool { seen >= limit }

        private var isDone: Bool { isFull || isFirstEnough && !contents.stores.isEmpty }

        private func path(_ steps: [String]) -> String {
            ([root.path] + steps).joined(separator: "/")
        }

        mutating func look(into steps: [String]) {
            guard !isDone, let entries = entries(steps) else { return }
            if !steps.isEmpty, let store = folder(steps, entries) {
                contents.stores.append(store)
                return
            }
            for entry in entries where !entry.name.hasPrefix(".") && !isDone {
                report()
                if entry.isFolder {
                    if steps.count < StoreFolder.depth { look(into: steps + [entry.name]) }
                } else if let store = file(steps + [entry.name], entry) {
                    contents.stores.append(store)
                }
            }
            if steps.isEmpty, isFull {
                contents.problems.append(
                    "the folder has more than \(Counted.grouped(limit)) files and folders; the rest "
                        + "was not searched")
            }
        }

        private mutating func report() {
            guard let found, lastReport.duration(to: .now) >= pause else { return }
            found(sorted.stores)
            lastReport = .now
        }

        mutating func entries(_ steps: [String]) -> [RootedFolder.Entry]? {
            do throws(ReplicationError) {
                let entries = try root.entries(steps)
                seen += entries.count
                return entries
            } catch {
                // Entries that disappear during the search are ignored.
                if error.code != .notFound { contents.problems.append(error.message) }
                return nil
            }
        }

        /// Returns the entry for a direct child; `nil` for a file that isn't a store.
        mutating func entry(_ entry: RootedFolder.Entry) -> Entry? {
            let name = entry.name
            guard entry.isFolder else {
                return file([name], entry).map { Entry($0, name: name) }
            }
            let inside = entries([name]) ?? []
            return folder([name], inside).map { Entry($0, name: name) } ?? Entry(name)
        }

        /// Returns the package or storage folder at a path; `nil` for any other folder.
        mutating func folder(_ steps: [String], _ entries: [RootedFolder.Entry]) -> Store? {
            let path = path(steps)
            let kind: StoreKind
            if entries.contains(where: { $0.isFolder && $0.name == "Devices" }),
                let package = try? StorePackage(opening: path)
            {
                kind = .package(package)
            } else if let store = DataModels.standard.singleStore(at: path) {
                kind = .single(store)
            } else {
                return nil
            }
            var (byteCount, changed): (Int64, Timestamp?) = (0, nil)
            var (format, devices) = (kind.format, [String]())
            if !isFirstEnough {
                measure(steps, entries, &byteCount, &changed)
                if case .package(let package) = kind { (format, devices) = Self.devices(package) }
            }
            return Store(
                name: steps.joined(separator: "/"), kind: kind.name, format: format,
                devices: devices, byteCount: byteCount, changed: changed)
        }

        /// Returns the format of a package's logs, from their first bytes, and the display names of
        /// its devices.
        private static func devices(_ package: StorePackage) -> (String?, [String]) {
            let names = package.deviceNames()
            let folders = (try? package.devices()) ?? []
            let formats = folders.compactMap { folder -> String? in
                guard folder.has(.logs),
                    let header = try? WholeFile.beginning(
                        of: folder.path(of: .logs), count: LogFormat.headerCount)
                else { return nil }
                return LogFormat(header: header)?.rawValue
            }
            return (StoreInfo.format(of: Set(formats)), folders.map { names[$0.id] ?? $0.id.name })
        }

        private mutating func measure(
            _ steps: [String], _ entries: [RootedFolder.Entry], _ byteCount: inout Int64,
            _ changed: inout Timestamp?
        ) {
            for entry in entries where !isDone {
                if entry.isFolder {
                    // Blobs can be nested, but not deeper than this.
                    guard steps.count < 80, let below = self.entries(steps + [entry.name]) else {
                        continue
                    }
                    measure(steps + [entry.name], below, &byteCount, &changed)
                } else {
                    byteCount += min(entry.byteCount, .max - byteCount)
                    changed = max(changed ?? entry.modified, entry.modified)
                }
            }
        }

        /// Returns the kind of a file that is a store.
        ///
        /// - Returns: A file that can't be read has a problem instead of a kind. Without permission,
        ///   it isn't known whether the file is a store.
        private static func kind(
            ofFileAt path: String
        ) -> (kind: StoreKind?, isStore: Bool, problem: String?) {
            do {
                return (try StoreKind(of: path), true, nil)
            } catch {
                let problem = SessionFailure(error).reason
                do {
                    let isDatabase = try StoreKind.isDatabase(path)
                    return (nil, isDatabase, isDatabase ? problem : nil)
                } catch {
                    let isForbidden = (error as? ReplicationError)?.code == .noPermission
                    return (nil, false, isForbidden ? problem : nil)
                }
            }
        }

        mutating func file(_ steps: [String], _ entry: RootedFolder.Entry) -> Store? {
            let name = steps.joined(separator: "/")
            if let (last, store) = before.files[name],
                last.byteCount == entry.byteCount, last.modified == entry.modified
            {
                contents.files[name] = (last, store)
                return store
            }
            guard entry.byteCount > 0 else { return nil }
            let path = path(steps)
            let (kind, isStore, problem) = Self.kind(ofFileAt: path)
            var store: Store?
            if isStore {
                store = Store(
                    name: name, kind: kind?.name ?? Store.unreadable,
                    format: kind?.format ?? "sqlite", devices: [],
                    byteCount: entry.byteCount, changed: entry.modified, problem: problem)
            }
            if let problem {
                let isNamed = problem.contains("/\(entry.name)")
                contents.problems.append(isNamed ? problem : "\(path): \(problem)")
            } else {
                // A file with a problem is read again, because it may have been locked, or its
                // permissions may have changed.
                contents.files[name] = (entry, store)
            }
            return store
        }
    }
}
