import Replication

/// Copies blobs from another package, or deletes blobs that it lacks.
struct BlobTakeover: Takeover {
    let source: BlobsSource
    let other: BlobFolder

    var availability: Availability { source.writing.availability }

    func preview(_ differences: [StoreDifference], _ edit: Edit) async throws -> EditPreview {
        if try isSame(path(of: differences)) { throw EditError.sameValue }
        return source.preview(try plan(differences), of: edit)
    }

    func apply(
        _ preview: EditPreview, _ differences: [StoreDifference]
    ) async throws -> AppliedEdit {
        try source.write(try plan(differences), previewed: preview)
    }

    func updated(_ differences: [StoreDifference]) async throws -> [StoreDifference] {
        try differences.map { difference in
            let path = try path(of: [difference])
            var updated = difference
            let entry = try source.blobs.entry(path)
            updated.note(
                try isSame(path)
                    ? difference.from
                    : StoreDifference.Side(entry.map { StoreDifference.Value($0) }))
            return updated
        }
    }

    private func plan(_ differences: [StoreDifference]) throws -> EditPlan<BlobWrite> {
        let path = try path(of: differences)
        let entry = try other.entry(path)
        if entry == nil, differences.contains(where: \.wasInFirst) {
            throw EditError.goneFromOtherStore("the blob \(path)")
        }
        let copied = entry.map { BlobWrite.Content.copy(of: $0, in: other) }
        return try source.plan(BlobWrite(path: path, content: copied ?? .deletion))
    }

    /// Returns whether both packages have the blob, with the same bytes.
    private func isSame(_ path: String) throws -> Bool {
        guard try source.blobs.entry(path) != nil, try other.entry(path) != nil else {
            return false
        }
        return try source.blobs.hasSameBytes(at: path, as: other)
    }

    private func path(of differences: [StoreDifference]) throws(EditError) -> String {
        guard case .blob(let path)? = differences.first?.subject else {
            throw EditError(.unsupported, "this is not a blob")
        }
        return path
    }
}
