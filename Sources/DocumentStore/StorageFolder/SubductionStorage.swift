import Replication

/// Documents in the layout of Subduction, the next storage of automerge-repo. They aren't read.
///
/// Subduction's layout still changes between releases. The storage adapter for Node.js splits the
/// first name after two characters:
///
/// ```
/// su/bduction/ids/IDENTIFIER              a marker for each document
/// su/bduction/commits/IDENTIFIER/COMMIT   also fragments, blobs and fragment-blobs
/// sd/n/i/IDENTIFIER                       the same in later releases, with shorter names
/// sd/n/c/IDENTIFIER/COMMIT
/// trees/IDENTIFIER/commits/…              the storage of Subduction's server, also fragments
/// trees/PREFIX/REST/commits/…             the same in later releases
/// ```
struct SubductionStorage: Equatable {
    /// The path within the storage folder.
    let path: String
    /// The number of documents.
    let documentCount: Int

    /// The folders of items, with the identifiers of documents as the next level.
    private static let kinds: Set = [
        "commits", "fragments", "blobs", "fragment-blobs", "c", "f", "b", "fb",
    ]
    private static let lists: Set = ["ids", "i"]
    private static let splitLength = 2

    /// Returns the storages in a folder.
    ///
    /// - Parameter entries: The contents of the folder.
    /// - Complexity: Lists only folders whose names Subduction uses.
    static func all(in root: RootedFolder, _ entries: [RootedFolder.Entry]) -> [SubductionStorage] {
        var places: [[String]] = []
        for entry in entries where entry.isFolder {
            if isName(entry.name) {
                places.append([entry.name])
            } else if entry.name == "su" || entry.name == "sd" {
                let folders = (try? root.entries([entry.name])) ?? []
                places += folders.filter { $0.isFolder && isName(entry.name + $0.name) }
                    .map { [entry.name, $0.name] }
            }
        }
        let adapters = places.compactMap { place in
            documents(in: root, place).map {
                SubductionStorage(path: place.joined(separator: "/"), documentCount: $0)
            }
        }
        guard entries.contains(where: { $0.isFolder && $0.name == "trees" }),
            let trees = trees(in: root)
        else { return adapters }
        return adapters + [trees]
    }

    private static func isName(_ name: String) -> Bool {
        name == "sdn" || name == "sdni" || name == "subduction"
            || name.hasPrefix("subduction-interceptor")
    }

    /// Returns the number of documents; `nil` for a folder with other contents.
    private static func documents(in root: RootedFolder, _ place: [String]) -> Int? {
        let folders = ((try? root.entries(place)) ?? []).filter(\.isFolder)
        guard folders.contains(where: { kinds.contains($0.name) || lists.contains($0.name) }) else {
            return nil
        }
        var identifiers: Set<String> = []
        for folder in folders {
            let isList = lists.contains(folder.name)
            guard isList || kinds.contains(folder.name) else { continue }
            for entry in (try? root.entries(place + [folder.name])) ?? []
            where entry.isFolder != isList {
                identifiers.insert(entry.name)
            }
        }
        return identifiers.count
    }

    private static func trees(in root: RootedFolder) -> SubductionStorage? {
        func folders(_ steps: [String]) -> [String] {
            ((try? root.entries(steps)) ?? []).filter(\.isFolder).map(\.name)
        }
        func isDocument(_ steps: [String]) -> Bool {
            folders(steps).contains { $0 == "commits" || $0 == "fragments" }
        }
        var count = 0
        for first in folders(["trees"]) {
            if isDocument(["trees", first]) {
                count += 1
            } else if first.utf8.count <= splitLength {
                count += folders(["trees", first]).count { isDocument(["trees", first, $0]) }
            }
        }
        return count == 0 ? nil : SubductionStorage(path: "trees", documentCount: count)
    }

    /// The problem to list for the store.
    var problem: String {
        let count = documentCount == 1 ? "1 document" : "\(documentCount) documents"
        return
            "\(path): \(count) in the layout of Subduction, the next storage of automerge-repo, "
            + "which this program can't read"
    }
}
