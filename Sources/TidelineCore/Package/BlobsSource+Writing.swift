import Foundation
import Replication

/// A write of a whole blob, or its deletion.
struct BlobWrite: Sendable {
    /// The new content of a blob.
    enum Content: Sendable {
        case deletion
        case data(Data)
        /// The content of the blob with the same path in another folder of blobs.
        case copy(of: BlobFolder.Entry, in: BlobFolder)
    }

    let path: String
    let content: Content
}

/// The undo data of a write of a blob.
private struct FormerBlob: Codable {
    var blob: String
    /// The former content; `nil` if the blob didn't exist.
    var content: Data?
    /// The state of the blob after the write. The write isn't undone if the blob has changed since.
    var written: String
}

extension BlobsSource {
    /// The maximum size in bytes of a blob whose replacement can be undone.
    static let undoLimit: Int64 = 8 << 20

    /// Returns the plan of writing a blob.
    ///
    /// - Throws: ``EditError``, `ReplicationError`.
    func plan(_ write: BlobWrite) throws -> EditPlan<BlobWrite> {
        try writing.check()
        let old = try blobs.entry(write.path)
        let new: EditPreview.Value?
        var expectation = [Name(write.path): Self.stamp(old)]
        switch write.content {
        case .deletion: new = nil
        case .data(let data): new = .init(Counted.text(data.count, "byte"))
        case .copy(let entry, _):
            new = Self.value(of: entry)
            expectation[Name("copied \(write.path)")] = Self.stamp(entry)
        }
        guard new != nil || old != nil else {
            throw EditError(.notFound, "the blob \(write.path) no longer exists")
        }
        let verb: EditVerb = new == nil ? .delete : old == nil ? .add : .save
        let isTooLong = old.map { $0.byteCount > Self.undoLimit } ?? false
        return EditPlan(
            summary: "\(verb) the blob \(write.path)",
            changes: [.init(subject: write.path, old: old.map(Self.value), new: new)],
            warnings: isTooLong
                ? ["the blob is larger than 8 MiB: this can't be undone"] : [],
            expectation: expectation, action: write)
    }

    func preview(_ plan: EditPlan<BlobWrite>, of edit: Edit) -> EditPreview {
        plan.preview(of: edit, as: writing.device, in: "Blobs/\(plan.action.path)")
    }

    /// Writes a blob, unless it has changed since the preview.
    ///
    /// - Throws: ``EditError``, `ReplicationError`.
    func write(_ plan: EditPlan<BlobWrite>, previewed: EditPreview) throws -> AppliedEdit {
        let path = plan.action.path
        guard plan.expectation == previewed.expectation else {
            throw EditError(.moved, "the blob \(path) has changed in the meantime")
        }
        let old = try blobs.entry(path)
        let canUndo = old.map { $0.byteCount <= Self.undoLimit } ?? true
        let former =
            try canUndo && old != nil ? blobs.data(at: path, limit: Self.undoLimit) : nil
        let isUnconfirmed = try EditError.isUnconfirmed {
            switch plan.action.content {
            case .deletion: try blobs.delete(path)
            case .data(let data): try blobs.put(data, at: path)
            case .copy(_, let other):
                try blobs.put(at: path) { write in try other.read(path, write) }
            }
        }
        list.note([Name(path)])
        var undo: EditRecord?
        if canUndo {
            let written = Self.stamp(try blobs.entry(path))
            undo = try plan.record(
                of: PaneID.blobs.part,
                FormerBlob(blob: path, content: former, written: written))
        }
        return plan.applied(to: [RowID(path)], undo: undo, isUnconfirmed: isUnconfirmed)
    }

    /// Returns the plan of undoing a write; `nil` if the record isn't about a blob.
    ///
    /// - Throws: As ``plan(_:)``; ``EditError`` with code `.builtOn` if the blob has changed since
    ///   the write.
    func plan(undoing written: EditRecord) throws -> EditPlan<BlobWrite>? {
        guard let former = try? written.token(FormerBlob.self, of: PaneID.blobs.part) else {
            return nil
        }
        guard Self.stamp(try blobs.entry(former.blob)) == former.written else {
            throw EditError(.builtOn, "the blob \(former.blob) has changed since then")
        }
        let content = former.content.map { BlobWrite.Content.data($0) }
        return try plan(BlobWrite(path: former.blob, content: content ?? .deletion))
    }

    /// Returns whether a record undoes a write of a blob.
    static func wrote(_ written: EditRecord) -> Bool {
        (try? written.token(FormerBlob.self, of: PaneID.blobs.part)) != nil
    }

    private static func stamp(_ entry: BlobFolder.Entry?) -> String {
        entry?.stamp ?? ""
    }

    private static func value(of entry: BlobFolder.Entry) -> EditPreview.Value {
        EditPreview.Value(entry.sizeAndDate)
    }
}
