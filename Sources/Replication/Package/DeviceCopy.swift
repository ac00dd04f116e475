import Foundation
import GRDB

/// That a device's folder is, or may be, a copy of another device's folder, which a sync service or
/// a person made: `phone (Anna's conflicted copy 2026-11-21)` beside `phone`.
///
/// The rows in a copy are another device's. To read them as those of a device of its own would make
/// conflicts where nobody disagrees, so a copy is reported by name and not read; merging it is a
/// person's decision. A device may well be called `phone 2`: its name alone makes no folder a copy.
public struct DeviceCopy: Hashable, Sendable {
    /// The device whose folder was copied.
    public let original: DeviceID
    /// The service whose habit the name follows; `nil` where the name tells none.
    public let service: SyncServiceFile.Service?
    /// Whether the content says so too. Otherwise the folder is read like any other.
    public let isCertain: Bool

    /// What it is and the way out, without the name of the folder.
    public var explanation: String {
        isCertain
            ? "a copy of the folder of \(original), which is not read; to take its rows over, "
                + "`tideline merge` the package with it, else delete it"
            : "called like a copy of the folder of \(original), and read all the same, as its "
                + "content does not say so; if it is one, delete it"
    }
}

/// Which store a database file is, wherever it lies.
private struct FileIdentity: Equatable {
    /// The device that the file says it is of; PARStore 1's logs say none.
    let device: DeviceID?
    let identity: UUID

    /// - Returns: `nil` for a file that cannot be read now or does not say.
    static func of(_ path: String) -> FileIdentity? {
        let outcome = try? ForeignDatabase.read(path, limits: .init(waits: [])) {
            database -> FileIdentity? in
            if let found = try LogIdentity.fetch(from: database) {
                return FileIdentity(device: found.device, identity: found.identity)
            }
            // Core Data gives each store that it makes a UUID of its own.
            guard try database.ordinaryColumns(of: "Z_METADATA")?.contains("Z_UUID") == true
            else { return nil }
            let text = try String.fetchOne(
                database,
                sql: """
                    SELECT Z_UUID FROM Z_METADATA
                    WHERE typeof(Z_UUID) = 'text' AND length(Z_UUID) < 100 LIMIT 1
                    """)
            return text.flatMap(UUID.init(uuidString:)).map {
                FileIdentity(device: nil, identity: $0)
            }
        }
        guard case .read(let identity, _)? = outcome else { return nil }
        return identity
    }
}

extension DeviceFolder {
    /// The device that a log in this folder says it is of; `nil` where none says.
    var claimedDevice: DeviceID? {
        for (kind, _) in fileNames.sorted(by: { $0.key.fileName < $1.key.fileName }) {
            if let device = FileIdentity.of(path(of: kind))?.device { return device }
        }
        return nil
    }

    /// Whether this folder is a copy, as its name and what is in it say.
    ///
    /// - Parameter sibling: The folder of a name beside this one, where there is one.
    /// - Complexity: Nothing is opened unless the name is that of a folder beside it and a mark of a
    ///   copy behind that.
    func judged(sibling: (String) -> DeviceFolder?) -> DeviceCopy? {
        guard !fileNames.isEmpty else { return nil }
        for (stem, service) in SyncServiceFile.copyMarks(in: id.name) {
            guard let original = sibling(stem) else { continue }
            var isCertain = false
            for (kind, _) in fileNames.sorted(by: { $0.key.fileName < $1.key.fileName }) {
                guard let own = FileIdentity.of(path(of: kind)) else { continue }
                if let device = own.device {
                    return device == id
                        ? nil : DeviceCopy(original: device, service: service, isCertain: true)
                }
                guard original.has(kind) else { continue }
                let theirs = FileIdentity.of(original.path(of: kind))
                isCertain = isCertain || theirs?.identity == own.identity
            }
            return DeviceCopy(original: original.id, service: service, isCertain: isCertain)
        }
        return nil
    }
}

extension LogIdentity {
    /// Checks that a log is that of the device in whose folder it lies, whatever the folder's name.
    ///
    /// - Parameter claimed: The device that the log says it is of; `nil` where it says none.
    /// - Throws: ``ReplicationError``, `.deviceCopy`, for a copy of another device's log.
    public static func check(
        _ claimed: DeviceID?, isOf device: DeviceID
    ) throws(ReplicationError) {
        guard let claimed, claimed != device else { return }
        throw ReplicationError(
            DeviceCopy(original: claimed, service: nil, isCertain: true))
    }
}

extension ReplicationError {
    fileprivate init(_ copy: DeviceCopy) {
        self.init(.deviceCopy, "it is \(copy.explanation)")
    }
}

extension DeviceFolder {
    /// Refuses a folder that is certainly a copy of another device's.
    ///
    /// - Throws: ``ReplicationError``, `.deviceCopy`.
    public func checkIsNoCopy() throws(ReplicationError) {
        guard let copy, copy.isCertain else { return }
        throw ReplicationError(copy)
    }
}
