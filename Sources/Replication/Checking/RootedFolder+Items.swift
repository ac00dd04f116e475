extension RootedFolder {
    /// Any item in the folder.
    package struct Item: Sendable {
        package enum Kind: Sendable {
            case file, folder, link, pipe, other
        }

        package let name: String
        package let kind: Kind
        package let byteCount: Int64
        /// When its content or status last changed (`ctime`), in seconds since 1970.
        package let changed: Int64
    }

    /// Returns all items in the folder `steps` below this one, in byte order of names. Names that
    /// are not UTF-8 are left out.
    ///
    /// - Throws: ``ReplicationError``, as ``entries(_:)``.
    package func items(_ steps: [String] = []) throws(ReplicationError) -> [Item] {
        let path = self.path(steps)
        let folder = try folder(steps, creating: false)
        var items: [Item] = []
        for name in try folder.names(path) {
            guard let status = try? FileStatus.of(name, in: folder, path: path) else { continue }
            let kind: Item.Kind =
                if status.isRegularFile {
                    .file
                } else if status.isFolder {
                    .folder
                } else if status.isSymbolicLink {
                    .link
                } else {
                    status.isPipe ? .pipe : .other
                }
            items.append(
                Item(
                    name: name, kind: kind, byteCount: status.byteCount,
                    changed: Int64(status.changed)))
        }
        return items
    }

    /// Returns whether this program uses a name for files during a write. The file remains if its
    /// writer was killed.
    package static func isUnfinished(_ name: String) -> Bool {
        if UnfinishedBlob.isName(name) { return true }
        guard let number = name.between(".tideline-", "") else { return false }
        return UInt32(number) != nil && number.utf8.first != UInt8(ascii: "+")
    }
}
