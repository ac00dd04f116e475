extension RootedFolder {
    /// Returns all items in the folder `steps` below this one, in byte order of names. Names that
    /// are not UTF-8 are left out.
    ///
    /// - Throws: ``ReplicationError``, as ``entries(_:)``.
    package func items(_ steps: [String] = []) throws(ReplicationError) -> [Entry] {
        let path = self.path(steps)
        let folder = try folder(steps, creating: false)
        var items: [Entry] = []
        for name in try folder.names(path) {
            guard let status = try? FileStatus.of(name, in: folder, path: path) else { continue }
            items.append(Entry(name, status))
        }
        return items
    }

    /// Returns whether a name is one that this program gives to the temporary file of a write. Such
    /// a file remains if its writer was killed.
    package static func isUnfinished(_ name: String) -> Bool {
        if UnfinishedFile.isName(name) { return true }
        guard let number = name.between(".tideline-", "") else { return false }
        return UInt32(number) != nil && number.utf8.first != UInt8(ascii: "+")
    }
}
