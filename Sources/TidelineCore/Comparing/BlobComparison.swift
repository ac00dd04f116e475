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
        var old = try from.entries(prefix: prefix)[...]
        var new = try to.entries(prefix: prefix)[...]
        try MergeJoin.forEach(
            { old.popFirst() }, { new.popFirst() }, by: { Name($0.path) }
        ) { from, to in
            guard let path = (from ?? to)?.path else { return }
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

extension StoreDifference.Value {
    init(_ blob: BlobFolder.Entry) {
        self.init(
            ["bytes": .integer(blob.byteCount), "date": .string(blob.modified.iso8601)],
            text: blob.sizeAndDate)
    }
}
