import DocumentStore
import Foundation
import Replication

/// The stores below a folder that is none itself.
package struct StoreFolder: Sendable {
    /// What leads to a store from a folder: one that is in it, or a folder to look into further.
    package struct Entry: Hashable, Sendable {
        package let name: String
        /// The word for what it is, where it is a store.
        package let kind: String?
        /// How many bytes its files take.
        package let byteCount: Int?
        package var isStore: Bool { kind != nil }

        /// A folder.
        package init(_ name: String) { (self.name, kind, byteCount) = (name, nil, nil) }

        fileprivate init(_ store: Store, name: String) {
            self.name = name
            kind = store.kind
            byteCount = Int(clamping: store.byteCount)
        }
    }

    /// A store, as far as it is known without opening it.
    struct Store: Hashable, Sendable {
        /// Where it is, from the folder on.
        let name: String
        /// The word for what it is, as `tideline info` says it.
        let kind: String
        /// The name of its format, where the kind has one.
        let format: String?
        /// The names of a package's devices.
        let devices: [String]
        /// How many bytes its files take.
        let byteCount: Int64
        /// When one of its files changed last.
        let changed: Timestamp?
    }

    /// What was found.
    struct Contents: Sendable {
        /// In byte order of names.
        var stores: [Store] = []
        /// What could not be looked at, each thing in one line.
        var problems: [String] = []
        /// Which stores files are, with what tells that a file has not changed.
        fileprivate var files: [String: (RootedFolder.Entry, Store?)] = [:]
    }

    /// How many folders, one in the other, are looked into.
    static let depth = 4
    /// After so many files and folders the rest is left out.
    private static let limit = 100_000

    let path: String
    private let root: RootedFolder

    package init(_ path: String) {
        // As the beginning of other paths.
        let end = path.lastIndex { $0 != "/" } ?? path.startIndex
        let path = path.isEmpty ? "." : String(path[...end])
        self.path = path
        root = RootedFolder(path)
    }

    /// Whether there is any store. Stops at the first.
    var hasStores: Bool {
        var looking = Looking(root: root, isFirstEnough: true)
        looking.look(into: [])
        return !looking.contents.stores.isEmpty
    }

    /// The stores and folders that are right in the folder, in byte order of names; hidden ones and
    /// links are passed over.
    ///
    /// - Complexity: A look at each of its files and folders, of which the first 1,000 are taken,
    ///   and at those of its stores, 100,000 in all.
    package var entries: [Entry] {
        var looking = Looking(root: root)
        let found = looking.entries([])?.filter { !$0.name.hasPrefix(".") } ?? []
        return found.prefix(1_000).compactMap { looking.entry($0) }
            .sorted { Name($0.name) < Name($1.name) }
    }

    /// The store at a path; `nil` where there is none.
    package static func entry(at path: String) -> Entry? {
        let url = URL(filePath: path)
        let name = url.lastPathComponent
        var looking = Looking(root: RootedFolder(url.deletingLastPathComponent().path))
        let found = looking.entries([])?.first { $0.name == name }
        return found.flatMap { looking.entry($0) }.flatMap { $0.isStore ? $0 : nil }
    }

    /// Looks for stores in the folder and in those below it. Links are not followed, hidden files
    /// and folders passed over.
    ///
    /// - Parameter before: What was found the last time: files that have not changed since are not
    ///   read again.
    /// - Complexity: O(*n*) in the files and folders below it, 100,000 at most; of each file that is
    ///   new or changed its beginning, of databases their list of tables.
    func contents(after before: Contents = Contents()) -> Contents {
        var looking = Looking(root: root, before: before)
        looking.look(into: [])
        looking.contents.stores.sort { Name($0.name) < Name($1.name) }
        return looking.contents
    }

    private struct Looking {
        let root: RootedFolder
        var before = Contents()
        var isFirstEnough = false
        var contents = Contents()
        private var seen = 0

        init(root: RootedFolder, before: Contents = Contents(), isFirstEnough: Bool = false) {
            self.root = root
            self.before = before
            self.isFirstEnough = isFirstEnough
        }

        private var isDone: Bool {
            seen >= StoreFolder.limit || isFirstEnough && !contents.stores.isEmpty
        }

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
                if entry.isFolder {
                    if steps.count < StoreFolder.depth { look(into: steps + [entry.name]) }
                } else if let store = file(steps + [entry.name], entry) {
                    contents.stores.append(store)
                }
            }
            if steps.isEmpty, seen >= StoreFolder.limit {
                contents.problems.append(
                    "there are more than \(StoreFolder.limit) files and folders: the rest was not "
                        + "looked at")
            }
        }

        mutating func entries(_ steps: [String]) -> [RootedFolder.Entry]? {
            do throws(ReplicationError) {
                let entries = try root.entries(steps)
                seen += entries.count
                return entries
            } catch {
                // What went while it was looked for is not missed.
                if error.code != .notFound { contents.problems.append(error.message) }
                return nil
            }
        }

        /// What something right in the folder is; `nil` for a file that is no store.
        mutating func entry(_ entry: RootedFolder.Entry) -> Entry? {
            let name = entry.name
            guard entry.isFolder else {
                return file([name], entry).map { Entry($0, name: name) }
            }
            let inside = entries([name]) ?? []
            return folder([name], inside).map { Entry($0, name: name) } ?? Entry(name)
        }

        /// A package or a storage folder.
        mutating func folder(_ steps: [String], _ entries: [RootedFolder.Entry]) -> Store? {
            let path = path(steps)
            let kind: StoreKind
            if entries.contains(where: { $0.isFolder && $0.name == "Devices" }),
                let package = try? StorePackage(opening: path)
            {
                kind = .package(package)
            } else if AutomergeStore.isStorageFolder(path) {
                kind = .storageFolder
            } else {
                return nil
            }
            var (byteCount, changed): (Int64, Timestamp?) = (0, nil)
            if !isFirstEnough { measure(steps, entries, &byteCount, &changed) }
            let devices =
                if case .package = kind {
                    (try? root.entries(steps + ["Devices"])) ?? []
                } else {
                    [RootedFolder.Entry]()
                }
            return Store(
                name: steps.joined(separator: "/"), kind: kind.name, format: kind.format,
                devices: devices.filter(\.isFolder).map(\.name), byteCount: byteCount,
                changed: changed)
        }

        private mutating func measure(
            _ steps: [String], _ entries: [RootedFolder.Entry], _ byteCount: inout Int64,
            _ changed: inout Timestamp?
        ) {
            for entry in entries where !isDone {
                if entry.isFolder {
                    // Blobs may lie deep in each other; no deeper than they can be stored.
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

        mutating func file(_ steps: [String], _ entry: RootedFolder.Entry) -> Store? {
            let name = steps.joined(separator: "/")
            if let (last, store) = before.files[name], last.byteCount == entry.byteCount,
                last.modified == entry.modified
            {
                contents.files[name] = (last, store)
                return store
            }
            var store: Store?
            if entry.byteCount > 0, let kind = try? StoreKind(of: path(steps)) {
                store = Store(
                    name: name, kind: kind.name, format: kind.format, devices: [],
                    byteCount: entry.byteCount, changed: entry.modified)
            }
            contents.files[name] = (entry, store)
            return store
        }
    }
}
