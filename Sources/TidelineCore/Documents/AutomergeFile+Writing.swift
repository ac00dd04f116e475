public import Foundation
import Replication

extension AutomergeFile {
    /// Writes a file in one step: whoever looks sees what was there before, or all of `bytes`.
    ///
    /// - Throws: ``CoreError``: `.cannotCreate` or `.noPermission`; nothing is left behind then.
    public static func write(_ bytes: Data, to path: String) throws(CoreError) {
        do throws(ReplicationError) {
            try WholeFile.write(bytes, to: path)
        } catch {
            switch error.code {
            case .noPermission: throw CoreError(.noPermission, "permission denied")
            case .notFound: throw CoreError(.cannotCreate, "no such folder")
            default: throw CoreError(.cannotCreate, error.message)
            }
        }
    }
}
