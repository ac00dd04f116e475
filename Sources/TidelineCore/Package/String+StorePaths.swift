import Foundation

extension String {
    /// A text about a store as it is told to somebody who looks at that store: its files are called
    /// by their places in it. What stands in quotation marks, or behind the name of this program, is
    /// an argument of a command that can be copied, and stays.
    package func told(inStoreAt path: String) -> String {
        let folder = URL(fileURLWithPath: path).standardizedFileURL.path + "/"
        let command = hasPrefix("tideline ") ? startIndex : range(of: " tideline ")?.lowerBound
        let told = self[..<(command ?? endIndex)].components(separatedBy: "\"\(folder)")
            .map { $0.replacing(folder, with: "") }.joined(separator: "\"\(folder)")
        return told + self[(command ?? endIndex)...]
    }
}
