import ArgumentParser
import CommandSupport
import Replication
import TidelineCore

/// The change journal doesn't record writes of these commands, because the old content of blobs
/// isn't kept.
struct Blobs: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, read, write and delete the files in Blobs/, and resolve their conflicts.",
        discussion: "Example: tideline blobs get Notes.store photos/1.txt photo.txt",
        subcommands: [
            List.self, Get.self, Put.self, Delete.self, Conflicts.self, Resolve.self,
        ])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List blobs.", discussion: "Example: tideline blobs list Notes.store --json")
        @OptionGroup var store: PathArgument
        @OptionGroup var json: JSONFlag

        func run() throws {
            let blobs = try Blobs.folder(of: store)
            let survey = try blobs.survey()
            var table = Table("BLOB", "BYTES", "MODIFIED", isJSON: json.json)
            for entry in survey.entries {
                table.add(
                    entry.path, String(entry.byteCount), entry.modified.iso8601,
                    json: [
                        "blob": .string(entry.path), "bytes": .integer(entry.byteCount),
                        "date": .string(entry.modified.iso8601),
                    ])
            }
            table.print()
            for name in survey.undecodableNames {
                Output.note("not listed: \(name): the name is not valid UTF-8; rename it")
            }
            for folder in survey.unreadFolders {
                Output.note("not listed: \(Printable.line("\(folder.reason)"))")
            }
            for file in survey.syncServiceFiles {
                Output.note("not listed: \(Printable.line(file.name)): \(file.explanation)")
            }
        }
    }

    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy a blob to a file, or to standard output.",
            discussion: "Example: tideline blobs get Notes.store photos/1.txt photo.txt")
        @OptionGroup var store: PathArgument
        @Argument(help: "The path of the blob in Blobs/.") var blob: String
        @Argument(
            help: "The file to write (default: standard output).", completion: .file(),
            transform: PathWord.path)
        var file: String?

        func run() throws {
            let blobs = try Blobs.folder(of: store)
            guard let file, file != "-" else {
                try Blobs.answer("get", blob, in: blobs) { try blobs.read(blob, Output.bytes) }
                return
            }
            // Check this first, so that a missing blob isn't reported as an error of the output
            // file.
            guard try blobs.entry(blob) != nil else {
                throw Blobs.missing("get", blob, in: blobs)
            }
            guard !file.isInside(storeAt: store.path) else {
                throw Failure(
                    .cannotCreate, file, "it is inside the store",
                    suggestion: "choose a path outside it")
            }
            try Failure.of(file) {
                try WholeFile.write(to: file) { write in try blobs.read(blob, write) }
            }
        }
    }

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy a file into Blobs/.",
            discussion: "Example: tideline blobs put Notes.store photos/4.jpg harbor.jpg")
        @OptionGroup var store: PathArgument
        @Argument(help: "The path of the blob in Blobs/.") var blob: String
        @Argument(
            help: "A file, or - for standard input.", completion: .file(), transform: PathWord.path)
        var file: String

        func run() async throws {
            let blobs = try Blobs.folder(of: store)
            try await UnfinishedItem.run { willWrite in try put(in: blobs, willWrite) }
        }

        private func put(in blobs: BlobFolder, _ willWrite: (String) -> Void) throws {
            try Failure.of(blob) {
                try blobs.put(at: blob, willWrite: willWrite) { write in
                    try InputFile.forEachPiece(file, write)
                }
                for problem in try blobs.nameProblems(of: blob) {
                    Output.note("tideline: \(problem.path.quoted) \(problem.explanation)")
                }
            }
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a blob.",
            discussion: "Example: tideline blobs delete Notes.store photos/4.jpg")
        @OptionGroup var store: PathArgument
        @Argument(help: "The path of the blob in Blobs/.") var blob: String

        func run() throws {
            let blobs = try Blobs.folder(of: store)
            try Blobs.answer("delete", blob, in: blobs) { try blobs.delete(blob) }
        }
    }

    static func folder(of store: PathArgument) throws -> BlobFolder {
        try Failure.of(store.path) { try StoreKind.package(at: store.path).blobs }
    }

    /// Runs `ask` and makes the command exit with code 1 if the blob is missing.
    private static func answer<Answer>(
        _ verb: String, _ blob: String, in blobs: BlobFolder, _ ask: () throws -> Answer
    ) throws -> Answer {
        do {
            return try ask()
        } catch let error as ReplicationError where error.code == .notFound {
            throw missing(verb, blob, in: blobs)
        }
    }

    /// Returns the failure for a blob that is missing, or that a sync service has not downloaded.
    private static func missing(_ verb: String, _ blob: String, in blobs: BlobFolder) -> Failure {
        let what = "\(verb) blob \(blob)"
        let folder = blob.lastIndex(of: "/").map { String(blob[...$0]) } ?? ""
        let files = (try? blobs.survey(prefix: folder))?.syncServiceFiles ?? []
        let placeholder = files.first { file in
            file.role == .placeholder && file.original.map { Name($0) } == Name(blob)
        }
        guard let placeholder else { return Failure(.noSuchItem, what, "no such blob") }
        return Failure(
            .inputOutput, what, "\(placeholder.name.quoted) is \(placeholder.explanation)",
            suggestion: "try again when it is downloaded")
    }
}
