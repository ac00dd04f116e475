import Foundation
package import Replication

/// The contents of a blob's versions, for comparing them.
package struct BlobVersions {
    package let conflict: BlobConflict
    private let blobs: BlobFolder
    /// The maximum size of a version that is shown as text.
    private static let textLimit: Int64 = 1 << 20

    /// Reads nothing yet.
    package init(_ conflict: BlobConflict, in blobs: BlobFolder) {
        self.conflict = conflict
        self.blobs = blobs
    }

    /// The version that a side of the conflict stands for.
    func version(of side: RowConflict.SideID) -> BlobConflict.Version? {
        conflict.versions.first { Self.author(of: $0) == side.author }
    }

    /// Returns the conflict with the versions as its sides.
    ///
    /// - Throws: `ReplicationError` if a version can't be read.
    func rowConflict() throws -> RowConflict {
        RowConflict(sides: try conflict.versions.map(side), notes: ["blobs have no history"])
    }

    private func side(_ version: BlobConflict.Version) throws -> RowConflict.Side {
        let text = try text(of: version)
        return RowConflict.Side(
            author: Self.author(of: version), value: line(of: version, text),
            role: version.entry == nil ? .deletion : text == nil ? .data : .string,
            instant: version.entry?.modified ?? .distantPast,
            isWinner: isBlob(version), reason: try reason(of: version),
            typed: text.map { TypedText(.text, $0) })
    }

    private func reason(of version: BlobConflict.Version) throws -> String {
        if isBlob(version) { return "has the name that programs open" }
        let service = version.service.map { "a conflict copy by \($0.title)" } ?? "a conflict copy"
        return try isSame(version) == true ? service + ", with the same bytes" : service
    }

    private func isBlob(_ version: BlobConflict.Version) -> Bool {
        Name(version.path) == Name(conflict.path)
    }

    /// Returns a version in one line.
    func line(of version: BlobConflict.Version) throws -> String {
        line(of: version, try text(of: version))
    }

    private func line(of version: BlobConflict.Version, _ text: String?) -> String {
        guard let entry = version.entry else { return "no file" }
        return text ?? "\(Counted.text(Int(clamping: entry.byteCount), "byte")), not text"
    }

    /// Returns whether a conflict copy has the same bytes as the blob; `nil` for the blob itself, and
    /// if it doesn't exist.
    package func isSame(_ version: BlobConflict.Version) throws -> Bool? {
        guard !isBlob(version), conflict.versions[0].entry != nil else { return nil }
        return try blobs.hasSameBytes(at: conflict.path, as: blobs, at: version.path)
    }

    /// Returns the content of a version; `nil` if it is long or not text.
    package func text(of version: BlobConflict.Version) throws -> String? {
        guard let entry = version.entry, entry.byteCount <= Self.textLimit else { return nil }
        let data = try blobs.data(at: version.path, limit: Self.textLimit)
        return data.contains(0) ? nil : String(data: data, encoding: .utf8)
    }

    /// A text that changes with the files.
    var stamp: String {
        conflict.versions.map { version in
            let entry = version.entry.map { "\($0.byteCount) \($0.modified.microseconds)" }
            return "\(version.path) \(entry ?? "-")"
        }.joined(separator: "\n")
    }

    private static func author(of version: BlobConflict.Version) -> Author {
        .file(version.path.split(separator: "/").last.map(String.init) ?? version.path)
    }
}
