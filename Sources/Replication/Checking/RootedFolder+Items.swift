import Glibc

extension RootedFolder {
    /// Anything that stands in the folder.
    package struct Item: Sendable {
        package enum Kind: Sendable {
            case file, folder, link, pipe, other
        }

        package let name: String
        package let kind: Kind
        package let byteCount: Int64
        /// When its content or its status changed last, by this machine's clock, in seconds since
        /// 1970.
        package let changed: Int64
    }

    /// All that stands in the folder `steps` below this one, in byte order of names, but for names
    /// that are not UTF-8.
    ///
    /// - Throws: ``ReplicationError``, as ``entries(_:)``.
    package func items(_ steps: [String] = []) throws(ReplicationError) -> [Item] {
        let path = self.path(steps)
        let folder = try folder(steps, creating: false)
        var items: [Item] = []
        for name in try folder.names(path) {
            var raw = stat()
            guard fstatat(folder.number, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            let status = FileStatus(raw)
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
                    changed: Int64(raw.st_ctim.tv_sec)))
        }
        return items
    }

    /// Whether a name is one that this program gives to a file while it is being written; one whose
    /// writer was killed stays.
    package static func isUnfinished(_ name: String) -> Bool {
        if UnfinishedBlob.isName(name) { return true }
        guard let number = name.between(".tideline-", "") else { return false }
        return UInt32(number) != nil && number.utf8.first != UInt8(ascii: "+")
    }
}
