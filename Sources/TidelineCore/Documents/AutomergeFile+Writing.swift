public import Foundation
public import Replication

extension AutomergeFile {
    /// Writes a file atomically: readers see either the old file or all of `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - path: The path of the file.
    /// - Throws: `ReplicationError`: `.cannotCreate` or `.noPermission`. No partial file remains.
    public static func write(_ bytes: Data, to path: String) throws(ReplicationError) {
        try WholeFile.write(bytes, to: path)
    }
}
