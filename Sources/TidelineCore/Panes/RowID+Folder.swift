import Replication

/// Rows that represent folders, in lists that group names by the parts between `/`.
extension RowID {
    /// The prefix of the identities of folder rows. No name starts with it.
    private static let folderMark = "\0folder\0"

    /// Creates the row of a folder.
    ///
    /// - Parameter path: The path with `/` at its end; empty for the folder of all names.
    init(folder path: String) { self.init(Self.folderMark + path) }

    /// The path of the folder that the row represents; `nil` for any other row.
    var folderPath: String? {
        guard Name(name).hasPrefix(Self.folderMark) else { return nil }
        return String(Substring(name.utf8.dropFirst(Self.folderMark.utf8.count)))
    }
}
