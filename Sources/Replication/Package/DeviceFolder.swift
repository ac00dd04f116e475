/// A device's folder in a store package, as of its last listing.
public struct DeviceFolder: Hashable, Sendable {
    /// The device that owns the folder.
    public internal(set) var id: DeviceID
    /// The absolute path of the folder.
    public let path: String
    /// The file names of the existing databases, by kind.
    public let fileNames: [DatabaseKind: String]
    /// Files that a sync service left next to the databases, in byte order of their names.
    public internal(set) var findings: [SyncServiceFile]
    /// Set if the folder is, or may be, a copy of another device's folder.
    public internal(set) var copy: DeviceCopy?
    /// Whether the folder itself exists.
    public let exists: Bool
    /// Whether new files get the spelling that PARStore used before November 2016.
    let isLegacy: Bool
    /// The reason why the folder could not be listed; `nil` if it was listed.
    public internal(set) var problem: String?

    /// Returns the path of a database, which need not exist yet.
    public func path(of kind: DatabaseKind) -> String {
        let spelling = isLegacy ? kind.legacyFileName : nil
        return "\(path)/\(fileNames[kind] ?? spelling ?? kind.fileName)"
    }

    /// Returns whether the device has that database.
    public func has(_ kind: DatabaseKind) -> Bool { fileNames[kind] != nil }

    /// Lists the folder again.
    ///
    /// - Throws: ``ReplicationError`` if the path exists but is not a folder, or if it can't be
    ///   listed.
    public func refreshed() throws(ReplicationError) -> DeviceFolder {
        guard let status = try FileStatus.ofLink(at: path) else {
            return DeviceFolder(
                id: id, path: path, fileNames: [:], findings: [], exists: false,
                isLegacy: isLegacy)
        }
        guard status.isFolder else {
            throw status.isSymbolicLink
                ? ReplicationError(linkAt: path)
                : ReplicationError(.unreadable, "\(path) is not a folder")
        }
        let folder = try Descriptor(folder: path)
        var found = try DeviceFolder(id: id, path: path, isLegacy: isLegacy, listing: folder)
        found.copy = copy
        return found
    }

    /// Returns this folder with additional findings: the databases in a second folder of the same
    /// device.
    func finding(second: DeviceFolder, root: String) -> DeviceFolder {
        // On a case-insensitive file system, both spellings name the same folder.
        let places = [path, second.path].map { path in
            FileStatus(following: path).map(SharedDescriptors.Key.init)
        }
        if places[0] != nil, places[0] == places[1] { return self }
        let more = second.fileNames.sorted { $0.value < $1.value }.map { kind, name in
            SyncServiceFile(
                name: "../../\(root)/\(id.name)/\(name)", role: .conflictCopy,
                original: kind.fileName, service: nil)
        }
        var folder = self
        folder.findings += more
        return folder
    }
}

extension DeviceFolder {
    /// Returns the placeholder for a database that a sync service hasn't downloaded; `nil` if the
    /// database is here, or if there is no placeholder.
    func placeholder(for kind: DatabaseKind) -> SyncServiceFile? {
        guard !has(kind) else { return nil }
        return findings.first { finding in
            finding.role == .placeholder
                && finding.original.flatMap(DatabaseKind.init(fileName:)) == kind
        }
    }

    /// Checks that a missing database can be created. If a sync service just hasn't downloaded it,
    /// a new file would replace its rows on every device.
    ///
    /// - Throws: ``ReplicationError``, `.incomplete`, if there is a placeholder for it.
    package func checkIsDownloaded(_ kind: DatabaseKind) throws(ReplicationError) {
        guard let placeholder = placeholder(for: kind) else { return }
        throw ReplicationError(
            .incomplete, at: "\(path)/\(placeholder.name)", "it is \(placeholder.explanation)")
    }
}

extension DeviceFolder {
    init(
        id: DeviceID, path: String, isLegacy: Bool, listing folder: borrowing Descriptor
    ) throws(ReplicationError) {
        var fileNames: [DatabaseKind: String] = [:]
        var findings: [SyncServiceFile] = []
        for name in try folder.names(path) {
            if let kind = DatabaseKind(fileName: name) {
                // "L" sorts before "l": if both spellings exist, the file with the newer spelling
                // is the database.
                if fileNames[kind] == nil {
                    fileNames[kind] = name
                } else {
                    findings.append(
                        SyncServiceFile(
                            name: name, role: .conflictCopy, original: fileNames[kind],
                            service: nil))
                }
            } else if let finding = SyncServiceFile(name: name) {
                findings.append(finding)
            }
        }
        self.init(
            id: id, path: path, fileNames: fileNames, findings: findings, exists: true,
            isLegacy: isLegacy)
    }
}
