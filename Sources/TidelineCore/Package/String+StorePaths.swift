import Foundation

extension String {
    /// A text about a store as it is told to somebody who looks at that store: its files are called
    /// by their places in it.
    func told(inStoreAt path: String) -> String {
        replacing(URL(fileURLWithPath: path).standardizedFileURL.path + "/", with: "")
    }
}
