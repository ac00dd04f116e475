import Foundation
import TidelineCore

/// What is known of stores and folders that a person may want to open.
public struct NearbyPaths: Hashable, Sendable {
    /// A store or a folder.
    struct Entry: Hashable, Sendable {
        /// How it is named: as it is typed, or as it was opened; a folder with a `/` at its end.
        var path: String
        /// Where it is in truth: the same for all names of one store.
        var place: String
        /// The word for what it is, where it is a store.
        var kind: String?
        var size: String?
    }

    /// What is in the folder that was asked for.
    var inFolder: [Entry] = []
    /// What is known of the other paths that were asked for, by their names.
    var known: [String: Entry] = [:]

    init(inFolder: [Entry] = [], known: [Entry] = []) {
        self.inFolder = inFolder
        self.known = Dictionary(known.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
    }

    /// Looks into a folder, and at other paths.
    init(folder: String, others: [String]) {
        inFolder = StoreFolder(UserPath.expanded(folder)).entries.map { entry in
            let path = folder + entry.name
            return Entry(
                path: path + (entry.isStore ? "" : "/"), place: Self.place(of: path),
                kind: entry.kind, size: entry.byteCount.map(ByteCount.text))
        }
        for path in others {
            let place = Self.place(of: path)
            let entry = StoreFolder.entry(at: place)
            // A list of stores can be opened again as well.
            let isFolder = (try? StoreKind.isFolder(place)) == true
            known[path] = Entry(
                path: path, place: place, kind: entry?.kind ?? (isFolder ? "folder" : nil),
                size: entry?.byteCount.map(ByteCount.text))
        }
    }

    /// Where something is that is called by this name; as far as is known without looking.
    func place(of path: String) -> String {
        known[path]?.place ?? inFolder.first { $0.path == path }?.place ?? path
    }

    /// What is known of a store.
    subscript(path: String) -> Entry? {
        known[path] ?? inFolder.first { $0.path == path }
    }

    /// Where something is in truth, by any name of it.
    static func place(of path: String) -> String {
        URL(fileURLWithPath: UserPath.expanded(path)).standardizedFileURL
            .resolvingSymlinksInPath().path
    }
}
