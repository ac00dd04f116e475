import Foundation
import Replication

/// The undo data that is too large for a journal: a folder next to the journal with one file per
/// edit. When the total size exceeds the limit, the oldest files are deleted.
struct UndoFiles: Sendable {
    private let folder: URL

    /// The maximum size of a file in bytes. Larger undo data isn't kept.
    static let fileLimit = 16 << 20
    /// The maximum total size of the files of a store in bytes.
    static let limit = 64 << 20

    /// Creates a reference to the undo data of a journal.
    ///
    /// - Parameter journal: The path of the journal.
    init(of journal: String) { folder = URL(filePath: journal + ".undo") }

    /// Stores the undo data of an entry.
    ///
    /// - Returns: The edits with the names of their files instead of the undo data; `nil` if the
    ///   undo data is too large.
    /// - Throws: `ReplicationError`. Files that were written before the error stay until they are
    ///   the oldest, and are then deleted.
    func store(_ undo: [EditRecord], of entry: UUID) throws -> [EditRecord]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        var files: [(edit: EditRecord, name: String, data: Data)] = []
        for (index, edit) in undo.enumerated() {
            let name = "\(entry.uuidString.lowercased())-\(index).json"
            files.append((edit, name, try encoder.encode(edit)))
        }
        let size = files.reduce(0) { $0 + $1.data.count }
        guard size <= Self.fileLimit else { return nil }
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try deleteOldest(until: Self.limit - size)
        return try files.map { edit, name, data in
            try WholeFile.write(data, to: folder.appending(path: name).path, isPrivate: true)
            var edit = edit
            (edit.token, edit.changes, edit.file) = (Data(), [], name)
            return edit
        }
    }

    /// Returns the edit with the full path of its file.
    func located(_ edit: EditRecord) -> EditRecord {
        guard let name = edit.file else { return edit }
        var edit = edit
        // Don't follow a path to another folder, because another program may have changed the
        // journal.
        edit.file = folder.appending(path: URL(filePath: name).lastPathComponent).path
        return edit
    }

    private func deleteOldest(until limit: Int) throws {
        let keys: Set<URLResourceKey> = [.contentModificationDateKey, .fileSizeKey]
        var files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: Array(keys)
        ).map { url in
            let values = try? url.resourceValues(forKeys: keys)
            return (
                url: url, date: values?.contentModificationDate ?? .distantPast,
                size: values?.fileSize ?? 0
            )
        }.sorted { $0.date > $1.date }
        var size = files.reduce(0) { $0 + $1.size }
        while size > limit, let oldest = files.popLast() {
            try? FileManager.default.removeItem(at: oldest.url)
            size -= oldest.size
        }
    }
}

extension EditRecord {
    /// Whether the undo data is in the record, or its file exists.
    var isStored: Bool { file.map(FileManager.default.fileExists(atPath:)) ?? true }

    /// Returns the edit with its undo data. Reads the data if it is in a separate file.
    ///
    /// - Throws: ``EditError`` with code `.unsupported` if the file is missing or unreadable.
    func loaded() throws(EditError) -> EditRecord {
        guard let file else { return self }
        do {
            let data = try WholeFile.read(file, limit: Int64(2 * UndoFiles.fileLimit))
            return try JSONDecoder().decode(EditRecord.self, from: data)
        } catch {
            throw EditError(
                .unsupported,
                "can't undo \(summary): its undo data is no longer stored, or can't be read")
        }
    }
}

extension Edit {
    /// Returns the edit. If it undoes another edit, the result contains the undo data.
    func loaded() throws(EditError) -> Edit {
        guard case .revert(let written) = self else { return self }
        return .revert(try written.loaded())
    }
}
