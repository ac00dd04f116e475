import Foundation
import Glibc
import Synchronization

/// A partially written file under a temporary name. The file remains if its writer was killed.
enum UnfinishedFile {
    private static let prefix = ".tideline-"
    private static let suffix = ".tmp"
    /// The number of seconds without a change after which the writer counts as killed.
    private static let abandonedAfter = 86_400
    /// The folders that this process has cleaned up. Each folder is cleaned up only once.
    private static let lookedThrough = Mutex<Set<SharedDescriptors.Key>>([])

    static func newName() -> String { prefix + UUID().uuidString + suffix }

    static func isName(_ name: String) -> Bool {
        name.hasPrefix(prefix) && name.hasSuffix(suffix)
            && UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil
    }

    /// Removes temporary files whose writers, on any device, were killed at least a day ago. A
    /// file's age is the time since its last status change, because this machine records that time
    /// and a writer can't set it.
    static func removeOld(
        in folder: borrowing Descriptor, _ path: String
    ) throws(ReplicationError) {
        let key = SharedDescriptors.Key(try folder.status(path))
        guard lookedThrough.withLock({ $0.insert(key).inserted }) else { return }
        try removeOld(in: folder, path, now: time(nil))
    }

    static func removeOld(
        in folder: borrowing Descriptor, _ path: String, now: time_t
    ) throws(ReplicationError) {
        for name in try folder.names(path) where RootedFolder.isUnfinished(name) {
            guard let status = try? FileStatus.of(name, in: folder, path: path),
                status.isRegularFile, now - status.changed > abandonedAfter
            else { continue }
            unlinkat(folder.number, name, 0)
        }
    }
}
