import ArgumentParser
import CommandSupport
import DocumentStore
import Foundation
import Replication
import TidelineCore

struct ExportDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a document with its history to an .automerge file.",
        discussion: """
            An existing .automerge file is replaced when the new one is complete. Other files are \
            not replaced.

            With --shallow, the file has the current content as a new document without history. It \
            lacks the changes, their authors and the losing sides of conflicts, and can't be \
            merged with the original. FILE must not exist, and no part of the document may be \
            missing. With --shallow, PATH can also be an .automerge file, without DOC.

            Example: tideline docs export Notes.store DOC Plans.automerge
            Example: tideline docs export --shallow Large.automerge Small.automerge
            """)

    @Argument(help: "The store of documents.", completion: .file(), transform: PathWord.path)
    var path: String
    @Argument(
        help: ArgumentHelp(
            "The document (its identifier, the start of its identifier, or the name of its "
                + "workspace), and the file to write.", valueName: "doc> <file"),
        completion: .file(), transform: PathWord.path)
    var words: [String] = []
    @Flag(help: "Write only the current content, as a new document without history.")
    var shallow = false

    func validate() throws {
        guard words.count <= 2 else { throw ValidationError("Unexpected argument '\(words[2])'") }
        guard let file = words.last, words.count == 2 || shallow else {
            throw ValidationError(
                "Missing expected argument '<\(words.isEmpty ? "doc" : "file")>'")
        }
        guard !file.isEmpty else { throw ValidationError("the name of the file is empty") }
    }

    func run() async throws {
        guard let file = words.last else { return }
        let store = try await OpenDocuments.reading(path)
        guard words.count == (store == nil ? 1 : 2) else {
            throw store == nil
                ? Failure(
                    .badData, path, "already an .automerge file",
                    suggestion: shallow
                        ? "leave out \(words[0])" : "to write it without history: --shallow")
                : Failure(.invalidRequest, path, "specify the document and the file")
        }
        var problems: [String] = []
        let view: DocumentView
        // The problems are known only while the document is open.
        var opened: AutomergeStore.Document?
        if let store {
            let document = try OpenDocuments.document(in: store, words[0], path)
            problems = store.problems(of: document.id)?.lines ?? []
            view = DocumentView(document)
            opened = document
        } else {
            view = try Failure.of(path) { try AutomergeFile.reading(path).view() }
            problems = view.problems
        }
        defer { withExtendedLifetime(opened) {} }
        guard shallow else {
            try AutomergeFile.requireReplaceable(file)
            return try Failure.of(file) { try WholeFile.write(view.saved, to: file) }
        }
        try writeShallow(view, problems, to: file)
    }

    private func writeShallow(
        _ view: DocumentView, _ problems: [String], to file: String
    ) throws {
        if let problem = problems.first {
            throw Failure(
                .badData, path, "the document isn't complete: \(problem)",
                suggestion: "to write the available part, with its history, leave out --shallow")
        }
        guard !FileManager.default.fileExists(atPath: file) else {
            throw Failure(
                .cannotCreate, file, "it exists, and its history would be lost",
                suggestion: "choose another name")
        }
        let (bytes, lost) = try Failure.of(path) { try view.savedWithoutHistory() }
        try Failure.of(file) { try WholeFile.write(bytes, to: file) }
        let conflicts =
            lost.conflicts == 0
            ? "" : ", and the losing sides of \(Counted.text(lost.conflicts, "conflict"))"
        Output.note(
            "tideline: \(file) is a new document, which can't be merged with the original; "
                + "it lacks \(Counted.text(lost.changes, "change")) by "
                + "\(Counted.text(lost.authors, "author"))\(conflicts)")
    }
}

struct ImportDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import an .automerge file as a new workspace, and print its identifier.",
        discussion: "Example: tideline docs import Notes.store Plans.automerge")

    @OptionGroup var store: DocumentStorePath
    @Argument(help: "An .automerge file.", completion: .file(), transform: PathWord.path)
    var file: String
    @OptionGroup var device: DeviceOption

    func run() async throws {
        let content = try Failure.of(file) { try AutomergeFile.reading(file).view() }
        for problem in content.problems { Output.note("tideline: \(file): \(problem)") }
        let name = URL(filePath: file).deletingPathExtension().lastPathComponent
        let id = try await OpenDocuments.writing(store.path, as: device) { store in
            let made = try store.newWorkspace(
                named: store.hasWorkspaces ? name : "", index: content.document)
            return store.text(of: made.id)
        }
        Output.line(id)
    }
}

struct MergeDocuments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge the changes of several files into one file.",
        discussion: """
            An existing .automerge file is replaced when the new one is complete. Other files are \
            not replaced.

            Example: tideline docs merge A.automerge B.automerge --output Both.automerge
            """)

    @Argument(help: "The files to merge.", completion: .file(), transform: PathWord.path)
    var files: [String]
    @Option(help: "The file to write.", completion: .file(), transform: PathWord.path)
    var output: String

    func run() throws {
        let read = try files.map { path in
            try Failure.of(path) { try AutomergeFile.reading(path) }
        }
        try AutomergeFile.requireReplaceable(output)
        try Failure.of(output) {
            try WholeFile.write(try AutomergeFile.merged(read), to: output)
        }
    }
}
