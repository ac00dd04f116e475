import Foundation
package import Replication

/// The versions of a blob, or of another file of a package, for comparing and resolving them.
package struct BlobVersions {
    package let conflict: BlobConflict
    let blobs: BlobFolder
    /// The maximum size of a version that is shown as text.
    private static let textLimit: Int64 = 1 << 20
    /// The maximum size of versions that are compared for the screen.
    private static let comparedLimit: Int64 = 64 << 20

    /// Creates the versions of a conflict. Reads nothing yet.
    package init(_ conflict: BlobConflict, in blobs: BlobFolder) {
        self.conflict = conflict
        self.blobs = blobs
    }

    /// Returns the version that belongs to this side of the conflict.
    func version(of side: RowConflict.SideID) -> BlobConflict.Version? {
        conflict.versions.first { Self.author(of: $0) == side.author }
    }

    /// Returns the conflict with the files as its sides. If a file can't be read, its side shows
    /// the reason.
    func rowConflict() -> RowConflict {
        RowConflict(
            sides: conflict.versions.compactMap(side), notes: ["files have no history"])
    }

    /// Returns the side for a version; `nil` if the version has no file, so that it can't be kept.
    private func side(_ version: BlobConflict.Version) -> RowConflict.Side? {
        guard let entry = version.entry else { return nil }
        let (text, value) = content(of: version)
        return RowConflict.Side(
            author: Self.author(of: version), value: value, role: text == nil ? .data : .string,
            instant: entry.modified, isWinner: isBlob(version), reason: reason(of: version),
            typed: text.map { TypedText(.text, $0) })
    }

    private func reason(of version: BlobConflict.Version) -> String {
        if isBlob(version) { return "the file that programs open" }
        let service = version.service.map { "a conflict copy by \($0.title)" } ?? "a conflict copy"
        let isShort = version.entry.map { $0.byteCount <= Self.comparedLimit } == true
        let isSame = isShort && (try? isSame(version)) == true
        return isSame ? service + ", with the same bytes" : service
    }

    private func isBlob(_ version: BlobConflict.Version) -> Bool {
        Name(version.path) == Name(conflict.path)
    }

    func line(of version: BlobConflict.Version) -> String { content(of: version).line }

    /// Returns the content of a version in one line, and the whole content if it is a text.
    private func content(of version: BlobConflict.Version) -> (text: String?, line: String) {
        guard let entry = version.entry else { return (nil, "no file") }
        do {
            if let text = try text(of: version) { return (text, text) }
            return (nil, "\(Counted.text(entry.byteCount, "byte")), not shown as text")
        } catch {
            return (nil, "can't be read: \(error)")
        }
    }

    /// Returns whether a conflict copy has the same bytes as the blob; `nil` for the blob itself,
    /// and if the blob doesn't exist.
    ///
    /// - Throws: `ReplicationError` if a file can't be read.
    /// - Complexity: O(1) if the sizes differ, otherwise O(*n*) in the size.
    package func isSame(_ version: BlobConflict.Version) throws -> Bool? {
        guard !isBlob(version), conflict.versions[0].entry != nil else { return nil }
        return try blobs.hasSameBytes(at: conflict.path, as: blobs, at: version.path)
    }

    /// The version that can be kept without losing content. This is the only version, or any
    /// version if all have the same bytes. `nil` if the versions differ, can't be read, or are
    /// larger than 64 MiB.
    var obvious: BlobConflict.Version? {
        let files = conflict.versions.filter { $0.entry != nil }
        guard let first = files.first else { return nil }
        let areSame = files.dropFirst().allSatisfy { other in
            guard let size = other.entry?.byteCount, size <= Self.comparedLimit else {
                return false
            }
            return (try? blobs.hasSameBytes(at: first.path, as: blobs, at: other.path)) == true
        }
        return areSame ? first : nil
    }

    /// Returns the content of a version; `nil` if it is long or not text.
    package func text(of version: BlobConflict.Version) throws -> String? {
        guard let entry = version.entry, entry.byteCount <= Self.textLimit else { return nil }
        let data = try blobs.data(at: version.path, limit: Self.textLimit)
        return data.contains(0) ? nil : String(data: data, encoding: .utf8)
    }

    /// A text that is different after the files have changed.
    var stamp: String {
        conflict.versions.map { version in
            "\(version.path) \(version.entry?.stamp ?? "-")"
        }.joined(separator: "\n")
    }

    private static func author(of version: BlobConflict.Version) -> Author {
        .file(version.path.split(separator: "/").last.map(String.init) ?? version.path)
    }
}

extension BlobVersions {
    /// Returns the versions for the inspector: their files and how their texts differ from the
    /// original. Versions that can't be read have no differences.
    func sections() -> [Detail.Section] {
        let lines = conflict.versions.map { version in
            Detail.Line(
                version.entry?.sizeAndDate ?? "no file", version.path,
                isBlob(version) ? .winner : .conflict)
        }
        var sections = [Detail.Section("Versions", lines)]
        guard let text = try? text(of: conflict.versions[0]) else { return sections }
        for version in conflict.versions.dropFirst().prefix(3) {
            guard let other = try? self.text(of: version) else { continue }
            let (own, others) = MarkedLines.between(text, other)
            func lines(_ lines: [MarkedLine], _ role: TextRole) -> [Detail.Line] {
                lines.prefix(100).map { Detail.Line("", $0.parts.map(\.text).joined(), role) }
            }
            sections.append(
                Detail.Section(
                    "Differences from \(version.path)",
                    text == other
                        ? [Detail.Line("", "none", .dim)]
                        : lines(own, .removed) + lines(others, .added)))
        }
        return sections
    }
}

extension BlobFolder.Entry {
    var sizeAndDate: String { "\(Counted.text(byteCount, "byte")), \(modified.secondText)" }

    /// A text that is different after the file has changed.
    var stamp: String { "\(byteCount) \(modified.microseconds)" }
}
