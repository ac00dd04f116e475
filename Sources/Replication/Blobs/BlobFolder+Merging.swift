/// Merging the blobs of another package.
extension BlobFolder {
    /// The files that merging another package writes.
    package struct Merged: Sendable {
        /// The paths of the blobs that get the other package's content.
        package fileprivate(set) var blobs: [String] = []
        /// The paths of the conflict copies.
        package fileprivate(set) var conflictCopies: [String] = []
        /// The first error. It doesn't prevent merging the other blobs.
        package fileprivate(set) var failure: ReplicationError?
        /// In a preview, the blob whose content each path would get.
        fileprivate var previewed: [Name: (folder: BlobFolder, path: String)] = [:]

        fileprivate mutating func attempt(_ body: (inout Merged) throws -> Void) throws {
            do {
                try body(&self)
            } catch let error as ReplicationError {
                failure = failure ?? error
            }
        }
    }

    /// Copies the blobs and conflict copies of another package.
    ///
    /// If both packages have a blob with different bytes, the newer version becomes the blob, by
    /// the time of its file. The other version becomes a conflict copy, unless there is already a
    /// conflict copy with these bytes.
    ///
    /// - Parameter isPreview: Whether to only return the files, and write nothing.
    /// - Throws: As ``entries(prefix:)``.
    /// - Complexity: Reads the blobs that both packages have in the same size.
    package func merge(_ other: BlobFolder, isPreview: Bool) throws -> Merged {
        var merged = Merged()
        let survey = try other.survey()
        for entry in survey.entries {
            try merged.attempt { merged in
                try merge(entry, of: other, isPreview: isPreview, into: &merged)
            }
        }
        for conflict in survey.conflicts {
            for version in conflict.versions.dropFirst() {
                guard let entry = version.entry else { continue }
                try merged.attempt { merged in
                    let isBlob = try has(entry, of: other, at: conflict.path, after: merged)
                    if isBlob == true { return }
                    try keep(
                        entry, of: other, asCopyOf: conflict.path, first: entry.path,
                        isPreview: isPreview, into: &merged)
                }
            }
        }
        return merged
    }

    private func merge(
        _ theirs: Entry, of other: BlobFolder, isPreview: Bool, into merged: inout Merged
    ) throws {
        let path = theirs.path
        let ours = try entry(path)
        if let ours {
            if try hasSameBytes(at: path, as: other) { return }
            let isNewer = ours.modified < theirs.modified
            try keep(
                isNewer ? ours : theirs, of: isNewer ? self : other, asCopyOf: path, first: nil,
                isPreview: isPreview, into: &merged)
            guard isNewer else { return }
        }
        if isPreview {
            merged.previewed[Name(path)] = (other, path)
        } else {
            try put(
                at: path, modified: theirs.modified, allowsCopies: true, willWrite: { _ in }
            ) { write in
                try other.read(path, write)
                guard try entry(path) == ours else {
                    throw ReplicationError(
                        .incomplete, "\(path.quoted) has changed in the meantime; merge again")
                }
            }
        }
        merged.blobs.append(path)
    }

    /// Writes a version of the blob at `path` as a conflict copy, unless there is a copy with the
    /// same bytes.
    ///
    /// - Parameter first: The preferred path of the copy.
    private func keep(
        _ version: Entry, of source: BlobFolder, asCopyOf path: String, first: String?,
        isPreview: Bool, into merged: inout Merged
    ) throws {
        var copy = first ?? Self.copyPath(of: path, number: 0)
        var number = first == nil ? 1 : 0
        while let isSame = try has(version, of: source, at: copy, after: merged) {
            if isSame { return }
            copy = Self.copyPath(of: path, number: number)
            number += 1
        }
        if isPreview {
            merged.previewed[Name(copy)] = (source, version.path)
        } else {
            try put(
                at: copy, modified: version.modified, allowsCopies: true, willWrite: { _ in }
            ) { write in try source.read(version.path, write) }
        }
        merged.conflictCopies.append(copy)
    }

    /// Returns whether the file at `path` has the bytes of a version after the files in `merged`
    /// are written; `nil` if there is no file.
    private func has(
        _ version: Entry, of source: BlobFolder, at path: String, after merged: Merged
    ) throws -> Bool? {
        if let (folder, place) = merged.previewed[Name(path)] {
            return try folder.hasSameBytes(at: place, as: source, at: version.path)
        }
        guard try entry(path) != nil else { return nil }
        return try hasSameBytes(at: path, as: source, at: version.path)
    }

    /// Returns the path of a conflict copy, such as `trip/list (conflicted copy) (1).txt`. If the
    /// name would be too long for a file, it is shortened and gets a hash of the blob's name.
    private static func copyPath(of path: String, number: Int) -> String {
        let mark = " (conflicted copy)" + (number == 0 ? "" : " (\(number))")
        let bytes = path.utf8
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) }
        let name = bytes[(start ?? bytes.startIndex)...]
        var end = name.endIndex
        // `SyncServiceFile` recognizes a mark only at the last parenthesis of a name.
        if let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
            !bytes[dot...].contains(UInt8(ascii: ")")), bytes[dot...].count <= 100
        {
            end = dot
        }
        var stem = Substring(name[..<end])
        let rest = String(Substring(bytes[end...]))
        var room = BlobPath.longestName - mark.utf8.count - rest.utf8.count
        var hash = ""
        if stem.utf8.count > room {
            hash = "~" + String(StableHash.of(name), radix: 16)
            room -= hash.utf8.count
            while stem.utf8.count > room { stem.removeLast() }
        }
        return String(Substring(bytes[..<name.startIndex])) + stem + hash + mark + rest
    }
}
