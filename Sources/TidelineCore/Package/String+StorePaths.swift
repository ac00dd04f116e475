import Foundation

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
}
