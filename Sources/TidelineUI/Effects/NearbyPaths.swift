import Foundation
import Replication
import TidelineCore

/// Details of stores and folders that the user may want to open.
public struct NearbyPaths: Hashable, Sendable {
    /// A store or a folder.
    struct Entry: Hashable, Sendable {
        /// The path as typed or as opened. A folder ends with `/`.
        var path: String
        /// The resolved path, which is the same for all names of a store.
        var place: String
        var kind: String?
        var size: String?
    }

    /// The contents of the requested folder.
    var inFolder: [Entry] = []
    /// The details of the other requested paths.
    var known: [String: Entry] = [:]

    init(inFolder: [Entry] = [], known: [Entry] = []) {
        self.inFolder = inFolder
        self.known = Dictionary(known.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
    }

    /// Lists a folder, and reads the details of other paths.
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
            // A folder of stores can be opened as well.
            let isFolder = (try? StoreKind.isFolder(place)) == true
            known[path] = Entry(
                path: path, place: place, kind: entry?.kind ?? (isFolder ? "folder" : nil),
                size: entry?.byteCount.map(ByteCount.text))
        }
    }

    /// The maximum number of files of a folder that are listed.
    private static let shownFiles = 1_000

    /// Lists the files and folders in a folder, in byte order of names. Hidden entries are skipped.
    init(filesIn folder: String) {
        let place = UserPath.expanded(folder.isEmpty ? "." : folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        inFolder = names.filter { !$0.hasPrefix(".") }.sorted { Name($0) < Name($1) }
            .prefix(Self.shownFiles)
            .map { name in
                let attributes = try? URL(filePath: place).appending(path: name)
                    .resolvingSymlinksInPath().resourceValues(forKeys: [
                        .isDirectoryKey, .fileSizeKey,
                    ])
                let isFolder = attributes?.isDirectory == true
                let path = folder + name + (isFolder ? "/" : "")
                return Entry(
                    path: path, place: path, kind: "file",
                    size: attributes?.fileSize.map(ByteCount.text))
            }
    }

    /// Returns the resolved path of a name, as far as it can be determined without file access.
    func place(of path: String) -> String {
        known[path]?.place ?? inFolder.first { $0.path == path }?.place ?? path
    }

    /// Returns the first path of each store, without the stores at `others`.
    func different(_ paths: [String], than others: [String] = []) -> [String] {
        var seen = Set(others.map { place(of: $0) })
        return paths.filter { !$0.isEmpty && seen.insert(place(of: $0)).inserted }
    }

    /// Returns the details of a store.
    subscript(path: String) -> Entry? {
        known[path] ?? inFolder.first { $0.path == path }
    }

    /// Returns the resolved path of any name.
    static func place(of path: String) -> String {
        URL(fileURLWithPath: UserPath.expanded(path)).standardizedFileURL
            .resolvingSymlinksInPath().path
    }
}
