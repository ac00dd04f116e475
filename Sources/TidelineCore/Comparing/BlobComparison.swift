import Replication

/// The comparison of the blobs of two packages, by their bytes.
struct BlobComparison: Comparison {
    let from: BlobFolder
    let to: BlobFolder
    /// The comparison is limited to blobs whose paths have this prefix.
    var prefix = ""

    func forEach(
        _ body: (StoreDifference) throws -> Void, warn: (ComparedSide, String) -> Void
    ) throws {
        // The name of a placeholder can lack the prefix of its blob, so scan the whole folder.
        let scope = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        let (before, after) = (try from.survey(prefix: scope), try to.survey(prefix: scope))
        for folder in before.unreadFolders { warn(.from, "\(folder.reason)") }
        for folder in after.unreadFolders { warn(.to, "\(folder.reason)") }
        let (oldRest, newRest) = (Self.rest(of: before), Self.rest(of: after))
        var old = before.entries.filter { Name($0.path).hasPrefix(prefix) }[...]
        var new = after.entries.filter { Name($0.path).hasPrefix(prefix) }[...]
        try MergeJoin.forEach(
            { old.popFirst() }, { new.popFirst() }, by: { Name($0.path) }
        ) { from, to in
            guard let path = (from ?? to)?.path else { return }
            let other = from == nil ? before : after
            if from == nil || to == nil, other.unreadFolders.contains(where: { $0.contains(path) })
            {
                return
            }
            if from == nil, let file = oldRest[Name(path)] {
                return warn(.from, Self.note(path, file))
            }
            if to == nil, let file = newRest[Name(path)] { return warn(.to, Self.note(path, file)) }
            if let from, let to, from.byteCount == to.byteCount {
                do {
                    if try self.from.hasSameBytes(at: path, as: self.to) { return }
                } catch {
                    return warn(.from, "\(path.quoted) is not compared: \(error)")
                }
            }
            try body(
                StoreDifference(
                    .blob(path), from: StoreDifference.Side(from.map { .init($0) }),
                    to: StoreDifference.Side(to.map { .init($0) })))
        }
    }
}

extension BlobComparison {
    /// Returns the files that stand in for blobs that a sync service hasn't downloaded, by the
    /// paths of the blobs.
    private static func rest(of survey: BlobFolder.Survey) -> [Name: SyncServiceFile] {
        let files = survey.syncServiceFiles.filter {
            $0.role == .placeholder || $0.role == .temporary
        }
        let named = files.compactMap { file in file.original.map { (Name($0), file) } }
        return Dictionary(named) { first, _ in first }
    }

    private static func note(_ path: String, _ file: SyncServiceFile) -> String {
        "\(path.quoted) is not compared: \(file.name.quoted) is \(file.explanation)"
    }
}

extension StoreDifference.Value {
    init(_ blob: BlobFolder.Entry) {
        self.init(
            ["bytes": .integer(blob.byteCount), "date": .string(blob.modified.iso8601)],
            text: blob.sizeAndDate)
    }
}
