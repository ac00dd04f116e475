/// The names of conflict copies among blobs, whose names users choose.
extension SyncServiceFile {
    /// Describes a file that isn't a database. Returns `nil` if the file doesn't come from a sync
    /// service or an editor.
    ///
    /// Only names that users don't choose themselves are recognized. For example, `Copy (2) of
    /// notes.txt` is a blob. A copy of a conflict copy is another version of the same blob.
    ///
    /// - Parameter exists: Whether a name exists in the same folder. Copies of OneDrive and Resilio
    ///   Sync are recognized only next to their original.
    package static func amongBlobs(_ name: String, exists: (String) -> Bool) -> SyncServiceFile? {
        if let file = transfer(name) ?? lock(name) { return file }
        guard let copy = blobCopy(name, exists: exists) else { return nil }
        var original = copy.original
        // The loop ends, because each original name is shorter than the name of its copy.
        while let name = original, let outer = blobCopy(name, exists: exists) {
            original = outer.original
        }
        return SyncServiceFile(
            name: name, role: copy.role, original: original, service: copy.service)
    }

    /// Returns the possible originals of a conflict copy, as names of blobs. They need not exist.
    package static func possibleOriginals(ofBlob name: String) -> [String] {
        var originals: [String] = []
        var name = name
        while let original = blobCopy(name, exists: { _ in true })?.original {
            originals.append(original)
            name = original
        }
        return originals
    }

    private static func blobCopy(_ name: String, exists: (String) -> Bool) -> SyncServiceFile? {
        if let copy = markedCopy(name) { return copy }
        guard let copy = computerCopy(name) ?? resilioCopy(name),
            copy.original.map(exists) == true
        else { return nil }
        return copy
    }
}
