public import Foundation
public import Replication

extension AutomergeFile {
    /// Writes a file in one step: whoever looks sees what was there before, or all of `bytes`.
    ///
    /// - Throws: `ReplicationError`: `.cannotCreate` or `.noPermission`; nothing is left behind then.
    public static func write(_ bytes: Data, to path: String) throws(ReplicationError) {
        try WholeFile.write(bytes, to: path)
    }
}
