import Glibc
public import Synchronization

extension StorePackage {
    /// The devices' folders in byte order of their identifiers.
    ///
    /// Hidden names, files and symbolic links are passed over. A folder that is there but cannot
    /// be listed has no databases and tells why (``DeviceFolder/problem``).
    ///
    /// - Throws: ``ReplicationError`` if the package itself is gone or cannot be listed.
    public func devices() throws(ReplicationError) -> [DeviceFolder] {
        let package = try Descriptor(folder: path)
        var found: [DeviceID: DeviceFolder] = [:]
        var isPackage = false
        for root in Self.deviceRoots {
            let rootPath = "\(path)/\(root)"
            guard try FileStatus.of(root, in: package, path: rootPath)?.isFolder == true else {
                continue
            }
            isPackage = true
            let folder = try package.folder(root, path: rootPath)
            for name in try folder.names(rootPath) {
                guard let id = try? DeviceID(name),
                    try FileStatus.of(name, in: folder, path: "\(rootPath)/\(name)")?.isFolder
                        == true
                else { continue }
                let listed = listing(id, root: root, in: folder)
                // A device under both spellings is read from the newer one; the rest is told.
                found[id] = found[id]?.finding(second: listed, root: root) ?? listed
            }
        }
        guard isPackage else {
            throw ReplicationError(.notFound, "\(path) has no folder \"Devices\" any more")
        }
        return found.values.sorted { $0.id < $1.id }
    }

    /// The folder of one device, whether it is there or not.
    ///
    /// - Throws: ``ReplicationError``, `.unsafePath` if a symbolic link stands in its place.
    public func device(_ id: DeviceID) throws(ReplicationError) -> DeviceFolder {
        var roots = Self.deviceRoots
        if isLegacy { roots.reverse() }
        for root in roots {
            let found = try place(of: id, root: root).refreshed()
            if found.isThere { return found }
        }
        return place(of: id, root: roots[0])
    }

    /// Called, from whatever thread writes, before any store of this process makes a device's folder:
    /// for programs that say so when a device is new to a package.
    public static let folderObserver = Mutex<(@Sendable (StorePackage, DeviceID) -> Void)?>(nil)

    /// Makes sure that a device has its folder, for its first write.
    ///
    /// - Throws: ``ReplicationError``: `.unsafePath` if a symbolic link stands in its place,
    ///   `.noPermission`, `.cannotCreate`, `.notFound` if the package is gone.
    public func makeDeviceFolder(_ id: DeviceID) throws(ReplicationError) -> DeviceFolder {
        let found = try device(id)
        if found.isThere { return found }
        let root = isLegacy ? "devices" : "Devices"
        let rootPath = "\(path)/\(root)"
        let folder = try Descriptor(folder: path).folder(root, path: rootPath)
        let observer = Self.folderObserver.withLock { $0 }
        observer?(self, id)
        if mkdirat(folder.number, id.name, 0o777) != 0 && errno != EEXIST {
            throw ReplicationError(creating: found.path, errno)
        }
        try folder.synchronize(rootPath)
        return try found.refreshed()
    }

    private func place(of id: DeviceID, root: String) -> DeviceFolder {
        DeviceFolder(
            id: id, path: "\(path)/\(root)/\(id.name)", fileNames: [:], findings: [],
            isThere: false, isLegacy: root == "devices")
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
                id: id, path: place.path, fileNames: [:], findings: [], isThere: true,
                isLegacy: place.isLegacy, problem: error.message)
        }
    }
}
