import Foundation
import Replication

extension String {
    /// Returns a text about a store with relative file paths, for display within that store. Quoted
    /// text and commands keep absolute paths, so that they can be copied.
    package func withRelativePaths(inStoreAt path: String) -> String {
        let folder = URL(fileURLWithPath: path).standardizedFileURL.path + "/"
        let command = hasPrefix("tideline ") ? startIndex : range(of: " tideline ")?.lowerBound
        let shown = self[..<(command ?? endIndex)].components(separatedBy: "\"\(folder)")
            .map { $0.replacing(folder, with: "") }.joined(separator: "\"\(folder)")
        return shown + self[(command ?? endIndex)...]
    }

    /// Describes an error about a file of a store, with the reason before the relative path:
    /// `locked by another process (Devices/desk/Logs.db)`. The reason stays visible where texts are
    /// cut off.
    static func reason(of error: any Error, inStoreAt path: String?) -> String {
        guard let path else { return "\(error)" }
        let reason = reason(of: error).withRelativePaths(inStoreAt: path)
        let file = (error as? any ExplainedError)?.subject?.withRelativePaths(inStoreAt: path)
        return file.map { "\(reason) (\($0))" } ?? reason
    }

    /// Returns whether a file at this path is inside the store at `store`, also through symbolic
    /// links. An exported file must not replace a file of the store.
    package func isInside(storeAt store: String) -> Bool {
        func resolved(_ url: URL) -> String {
            url.resolvingSymlinksInPath().standardizedFileURL.path + "/"
        }
        let file = URL(fileURLWithPath: self)
        let folder = resolved(URL(fileURLWithPath: store))
        // If the file doesn't exist, only the links to its folder can be resolved.
        return [file, file.deletingLastPathComponent()].contains {
            resolved($0).hasPrefix(folder)
        }
    }
}
