import ArgumentParser
import CommandSupport
import Replication
import TidelineCore

extension Blobs {
    struct Conflicts: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the conflict copies of blobs, next to the blobs.",
            discussion: """
                A sync service or 'tideline merge' keeps a conflict copy when a file was changed \
                in two places. Compares the bytes of each copy with those of the blob. With BLOB, \
                also prints the lines in which texts differ.

                Example: tideline blobs conflicts Notes.store list.txt
                """)
        @OptionGroup var store: PathArgument
        @Argument(help: "The path of the blob in Blobs/.") var blob: String?
        @OptionGroup var json: JSONFlag

        func run() throws {
            let blobs = try Blobs.folder(of: store)
            let conflicts =
                if let blob {
                    [try Blobs.conflict(of: blob, in: blobs, "list the conflict of blob \(blob)")]
                } else {
                    try Failure.of(store.path) { try blobs.survey().conflicts }
                }
            var table = Table("VERSION", "BYTES", "MODIFIED", "CONTENT", "KEPT BY")
            for conflict in conflicts {
                let versions = BlobVersions(conflict, in: blobs)
                let rows = conflict.versions.map { ($0, Self.isSame($0, versions)) }
                if json.json {
                    Output.json([
                        "blob": .string(conflict.path),
                        "versions": .array(rows.map { $0.json(isSame: $1) }),
                    ])
                } else {
                    for (version, isSame) in rows { table.add(version, isSame: isSame) }
                }
            }
            table.print()
            guard blob != nil, !json.json, let conflict = conflicts.first else { return }
            let versions = BlobVersions(conflict, in: blobs)
            printDifferences(versions)
        }

        /// Compares a version with the blob, and reports versions that can't be read.
        private static func isSame(
            _ version: BlobConflict.Version, _ versions: BlobVersions
        ) -> Bool? {
            do {
                return try versions.isSame(version)
            } catch {
                let path = Printable.line(version.path)
                Output.note("tideline: \(path) is not compared: \(Printable.line("\(error)"))")
                return nil
            }
        }

        /// Prints the lines in which the copies of a text differ from the blob.
        private func printDifferences(_ versions: BlobVersions) {
            let all = versions.conflict.versions
            guard let text = try? versions.text(of: all[0]) else { return }
            for version in all.dropFirst() {
                // If the version can't be read, the error is already reported.
                guard let other = try? versions.text(of: version), other != text else { continue }
                Output.line("")
                Output.line(Printable.line("changed in \(version.path)"))
                DifferencePrinter(isJSON: false).print(
                    StoreDifference.Side(text: text), StoreDifference.Side(text: other))
            }
        }
    }

    struct Resolve: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Keep one version of a blob, and delete the others.",
            discussion: """
                The blob gets the content of the version. When the blob is on disk, the conflict \
                copies are deleted.

                Example: tideline blobs resolve Notes.store list.txt --take list.txt
                """)
        @OptionGroup var store: PathArgument
        @Argument(help: "The path of the blob in Blobs/.") var blob: String
        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The version to keep: the blob, or the path of a conflict copy in Blobs/.",
                valueName: "version"))
        var take: String

        func run() throws {
            let blobs = try Blobs.folder(of: store)
            let what = "resolve blob \(blob)"
            let conflict = try Blobs.conflict(of: blob, in: blobs, what)
            let files = conflict.versions.filter { $0.entry != nil }
            guard let version = files.first(where: { Name($0.path) == Name(take) }) else {
                let known = files.map(\.path.quoted).joined(separator: ", ")
                throw Failure(
                    .noSuchItem, what, "no such version: \(take.quoted)",
                    suggestion: "the versions are \(known); to delete one, use 'tideline blobs "
                        + "delete'")
            }
            try Failure.of(blob) { try blobs.resolve(conflict, keeping: version) }
        }
    }
}

extension Blobs {
    fileprivate static func conflict(
        of blob: String, in blobs: BlobFolder, _ what: String
    ) throws -> BlobConflict {
        let (conflict, entry) = try Failure.of(blob) {
            (try blobs.conflict(at: blob), try blobs.entry(blob))
        }
        guard let conflict else {
            throw Failure(
                .noSuchItem, what, entry == nil ? "no such blob" : "it has no conflict copies")
        }
        return conflict
    }
}

extension BlobConflict.Version {
    fileprivate func json(isSame: Bool?) -> JSONValue {
        var fields: [Name: JSONValue] = ["path": .string(path)]
        fields["bytes"] = entry.map { .integer($0.byteCount) }
        fields["date"] = entry.map { .string($0.modified.iso8601) }
        fields["isSame"] = isSame.map { .boolean($0) }
        fields["service"] = service.map { .string($0.rawValue) }
        return .object(fields)
    }
}

extension StoreDifference.Side {
    fileprivate init(text: String) {
        self.init(StoreDifference.Value(.string(text), text: text, type: "text", hasWords: true))
    }
}

extension Table {
    fileprivate mutating func add(_ version: BlobConflict.Version, isSame: Bool?) {
        add(
            version.path, version.entry.map { String($0.byteCount) } ?? "no file",
            version.entry?.modified.iso8601 ?? "", isSame.map { $0 ? "same" : "differs" } ?? "",
            version.service?.title ?? "")
    }
}
