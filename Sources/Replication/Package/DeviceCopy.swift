import Foundation
import GRDB

/// Information about a folder that is, or may be, a copy of another device's folder. A sync service
/// or a user made the copy: `phone (Anna's conflicted copy 2026-11-21)` next to `phone`.
///
/// The rows in a copy belong to another device. Reading them as rows of a separate device would
/// create false conflicts, so copies are reported by name and not read. The user decides whether to
/// merge them. A device may really be called `phone 2`, so a name alone doesn't make a folder a
/// copy.
public struct DeviceCopy: Hashable, Sendable {
    /// The device whose folder was copied.
    public let original: DeviceID
    /// The sync service that made the copy; `nil` if the name doesn't identify the service.
    public let service: SyncServiceFile.Service?
    /// Whether the content confirms that the folder is a copy. Otherwise, the folder is read like
    /// any other.
    public let isCertain: Bool

    /// A description without the name of the folder.
    public var explanation: String {
        isCertain
            ? "a copy of the folder of \(original); copies are not read"
            : "named like a copy of the folder of \(original), but its content is different, so "
                + "it is read"
    }

    /// A suggestion for handling the folder.
    public var suggestion: Suggestion {
        isCertain ? .mergeDeviceCopy : "if it is a copy, delete it"
    }
}

extension Suggestion {
    /// The suggestion for a folder that is certainly a copy.
    static let mergeDeviceCopy = Suggestion(
        "before you delete the copy, merge its rows into the package", .mergeCopy)
}

/// The identity of a database file, independent of its location.
private struct FileIdentity: Equatable {
    /// The device that the file names. PARStore 1's logs name none.
    let device: DeviceID?
    let identity: UUID

    /// Reads the identity of a file.
    ///
    /// - Returns: `nil` if the file can't be read now or has no identity.
    static func of(_ path: String) -> FileIdentity? {
        try? ForeignDatabase.value(from: path, limits: .init(waits: [])) {
            database -> FileIdentity? in
            if let found = try LogIdentity.fetch(from: database) {
                return FileIdentity(device: found.device, identity: found.identity)
            }
            return try database.coreDataIdentity().map {
                FileIdentity(device: nil, identity: $0)
            }
        }
    }
}

extension DeviceFolder {
    /// The device that a log in this folder names; `nil` if no log names a device.
    var claimedDevice: DeviceID? {
        for (kind, _) in fileNames.sorted(by: { $0.key.fileName < $1.key.fileName }) {
            if let device = FileIdentity.of(path(of: kind))?.device { return device }
        }
        return nil
    }

    /// Returns whether this folder is a copy, according to its name and content.
    ///
    /// - Parameter sibling: Returns the folder with a given name next to this one, if any.
    /// - Complexity: Opens files only if the name consists of a sibling's name and a copy suffix.
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
    /// Checks that a log belongs to the device whose folder contains it, regardless of the folder's
    /// name.
    ///
    /// - Parameter claimed: The device that the log names, if any.
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
