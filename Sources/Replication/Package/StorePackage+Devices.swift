import Glibc

extension StorePackage {
    /// Returns the folders of the devices that have a database of the given kind. Leaves out copies
    /// of other devices' folders, which aren't part of the store.
    ///
    /// - Throws: ``ReplicationError``, also `.incomplete` if a sync service has not downloaded one
    ///   of the databases.
    package func downloadedFolders(
        with kind: DatabaseKind
    ) throws(ReplicationError) -> [DeviceFolder] {
        let folders = try devices().filter { $0.copy?.isCertain != true }
        for folder in folders { try folder.checkIsDownloaded(kind) }
        return folders.filter { $0.has(kind) }
    }

    /// Returns the devices' folders in byte order of their identifiers.
    ///
    /// Hidden names, files, and symbolic links are skipped. An existing folder that can't be listed
    /// has no databases and a ``DeviceFolder/problem``.
    ///
    /// - Throws: ``ReplicationError`` if the package itself is missing or can't be listed.
    /// - Complexity: A listing of each device's folder. Databases are opened only if a name looks
    ///   like a copy's or is not ASCII.
    public func devices() throws(ReplicationError) -> [DeviceFolder] {
        var found: [DeviceID: DeviceFolder] = [:]
        var isPackage = false
        for root in Self.deviceRoots {
            guard let folder = try openDevices(root) else { continue }
            isPackage = true
            let rootPath = "\(path)/\(root)"
            for name in try folder.names(rootPath) {
                guard let id = try? DeviceID(name),
                    try FileStatus.of(name, in: folder, path: "\(rootPath)/\(name)")?.isFolder
                        == true
                else { continue }
                let listed = try respelled(listing(id, root: root, in: folder), root: root)
                // If a device exists under both spellings, the folder with the newer spelling is
                // read and the other is reported.
                found[listed.id] = found[listed.id]?.finding(second: listed, root: root) ?? listed
            }
        }
        guard isPackage else {
            throw ReplicationError(.notFound, "\(path) no longer has a folder \"Devices\"")
        }
        return found.values.sorted { $0.id < $1.id }.map { folder in
            var folder = folder
            folder.copy = folder.judged { name in (try? DeviceID(name)).flatMap { found[$0] } }
            return folder
        }
    }

    /// Returns the paths of devices' folders and blobs with names that are not UTF-8, as text with
    /// escaped bytes: `Devices/caf\xE9`. These items aren't read, because no device and no blob can
    /// have such a name.
    ///
    /// - Throws: ``ReplicationError`` if the package is missing or can't be listed.
    public func undecodableNames() throws(ReplicationError) -> [String] {
        var found: [String] = []
        for root in Self.deviceRoots {
            guard let folder = try openDevices(root) else { continue }
            let entries = try folder.entries("\(path)/\(root)")
            found += entries.escaped.map { "\(root)/\($0)" }
        }
        return found + (try blobs.undecodableNames()).map { "Blobs/\($0)" }
    }

    /// Opens one of the folders of devices. Returns `nil` if it doesn't exist.
    func openDevices(_ root: String) throws(ReplicationError) -> Descriptor? {
        let package = try Descriptor(folder: path)
        let path = "\(path)/\(root)"
        guard try FileStatus.of(root, in: package, path: path)?.isFolder == true else { return nil }
        return try package.folder(root, path: path)
    }

    /// Returns the folder of one device, which need not exist.
    ///
    /// The result has the identifier of the device that owns the folder. A file system or a service
    /// may have changed the encoding of accents in its name.
    ///
    /// - Throws: ``ReplicationError``, `.unsafePath` if a symbolic link is in its place.
    public func device(_ id: DeviceID) throws(ReplicationError) -> DeviceFolder {
        var roots = Self.deviceRoots
        if isLegacy { roots.reverse() }
        for root in roots {
            var found = try place(of: id, root: root).refreshed()
            guard found.exists else { continue }
            found = try respelled(found, root: root)
            found.copy = found.judged { name in
                let sibling = try? DeviceID(name)
                guard let sibling, let folder = try? place(of: sibling, root: root).refreshed()
                else { return nil }
                return folder.exists ? folder : nil
            }
            return found
        }
        return try otherSpelling(of: id, roots: roots) ?? place(of: id, root: roots[0])
    }

    /// Returns the folder of `id` if a file system or a service changed the encoding of accents in
    /// its name.
    private func otherSpelling(
        of id: DeviceID, roots: [String]
    ) throws(ReplicationError) -> DeviceFolder? {
        guard !id.isASCII else { return nil }
        for root in roots {
            let names = try? Descriptor(folder: "\(path)/\(root)").names(path)
            // The comparison is by canonical equivalence on purpose, not by bytes.
            for name in names ?? [] where name == id.name {
                guard let other = try? DeviceID(name) else { continue }
                let found = try respelled(place(of: other, root: root).refreshed(), root: root)
                if found.exists, found.id == id { return found }
            }
        }
        return nil
    }

    /// Returns the folder under the identifier that its logs name, if that identifier and the
    /// folder's name differ only in how accents are encoded. Returns `folder` unchanged if another
    /// folder has that identifier.
    private func respelled(
        _ folder: DeviceFolder, root: String
    ) throws(ReplicationError) -> DeviceFolder {
        guard !folder.id.isASCII, let claimed = folder.claimedDevice, claimed != folder.id,
            claimed.name == folder.id.name
        else { return folder }
        let exact = try FileStatus.ofLink(at: place(of: claimed, root: root).path)
        let own = try FileStatus.ofLink(at: folder.path)
        // On a file system that treats both encodings as one name, both names lead to one folder.
        guard exact == nil || exact?.inode == own?.inode && exact?.device == own?.device else {
            return folder
        }
        var folder = folder
        folder.id = claimed
        return folder
    }

    /// Creates a device's folder for its first write, if it doesn't exist.
    ///
    /// - Throws: ``ReplicationError``: `.unsafePath` if a symbolic link has the folder's name;
    ///   `.noPermission`; `.cannotCreate`, for example because another device's name differs only
    ///   in case; `.notFound` if the package is missing.
    public func makeDeviceFolder(_ id: DeviceID) throws(ReplicationError) -> DeviceFolder {
        let found = try device(id)
        if found.exists { return found }
        let rootPath = "\(path)/\(deviceRoot)"
        let folder = try Descriptor(folder: path).folder(deviceRoot, path: rootPath)
        for problem in try nameProblems(ofNew: id) {
            guard case .collides(let others) = problem.kind, let other = others.first else {
                continue
            }
            throw ReplicationError(
                .cannotCreate, at: found.path,
                "the name differs only in case from the device \(other.quoted), so that one log "
                    + "could overwrite the other")
        }
        // Check first, so that a folder that can't be created is not reported.
        guard faccessat(folder.number, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw ReplicationError(creating: found.path, errno)
        }
        willAddDevice?(self, id)
        if mkdirat(folder.number, id.name, 0o777) != 0 && errno != EEXIST {
            throw ReplicationError(creating: found.path, errno)
        }
        try folder.synchronize(rootPath)
        return try found.refreshed()
    }

    private func place(of id: DeviceID, root: String) -> DeviceFolder {
        DeviceFolder(
            id: id, path: "\(path)/\(root)/\(id.name)", fileNames: [:], findings: [],
            exists: false, isLegacy: root == "devices")
    }

    private func listing(
        _ id: DeviceID, root: String, in folder: borrowing Descriptor
    ) -> DeviceFolder {
        let place = place(of: id, root: root)
        do {
            let own = try folder.folder(id.name, path: place.path)
            return try DeviceFolder(
                id: id, path: place.path, isLegacy: place.isLegacy, listing: own)
        } catch {
            return DeviceFolder(
                id: id, path: place.path, fileNames: [:], findings: [], exists: true,
                isLegacy: place.isLegacy, problem: error.message)
        }
    }
}
