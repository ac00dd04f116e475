import ArgumentParser
import CommandSupport
import DocumentStore
import Foundation
import Replication
import TidelineCore

/// A document: a single file, or one of a store.
struct DocumentArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A package, a storage folder of automerge-repo, a file of AutomergeStore, or an "
                + ".automerge file."),
        completion: .file(), transform: PathWord.path) var path: String
    @Argument(
        help: ArgumentHelp(
            "The document: its identifier, the start of its identifier, or the name of its "
                + "workspace. Not needed for a file or a store with only one document.",
            valueName: "doc"))
    var document: String?

    /// Opens the document for reading. Warns about parts that can't be shown.
    func open() async throws -> DocumentView { try await OpenDocuments.view(document, of: path) }

    func file() throws -> AutomergeFile { try OpenDocuments.file(path, document) }
}

/// A store of documents to be written.
struct DocumentStorePath: ParsableArguments {
    @Argument(
        help: "A package, or a storage folder of automerge-repo.", completion: .file(),
        transform: PathWord.path)
    var path: String
}

/// A document of a store to be edited.
struct WrittenDocument: ParsableArguments {
    @OptionGroup var store: DocumentStorePath
    @Argument(
        help: ArgumentHelp(
            "The document: its identifier, the start of its identifier, or the name of its workspace.",
            valueName: "doc"))
    var document: String

    /// Opens the document, edits one place and saves it.
    ///
    /// - Parameters:
    ///   - verb: The verb of the edit's summary.
    ///   - perform: Applies the operations at the place.
    func edit(
        as device: DeviceOption, _ verb: String, _ place: PointerArgument,
        _ perform: @escaping @Sendable (DocumentView, String) throws -> Void
    ) async throws {
        try await EditRunner.model(
            DocumentStorePart.self, of: store.path, as: device, pane: .documents
        ) { documents, store in
            let path = self.store.path
            Warnings.report(store.unexpectedItems, path)
            return try await Failure.of(path) { () async throws -> AppliedEdit? in
                let opened = try OpenDocuments.document(in: store, document, path)
                // Keep the document open. Otherwise, the store would read it again for the edit.
                defer { withExtendedLifetime(opened) {} }
                do {
                    return try await documents.edit(
                        opened.id, verb, at: place.pointer, perform)
                } catch let error as EditError where error.code == .unchanged {
                    return nil
                }
            }
        }
    }
}

/// Functions that open the documents of a path for one command.
enum OpenDocuments {
    /// Opens a store for reading. Warns about unreadable devices.
    ///
    /// - Returns: `nil` for a single Automerge file.
    static func reading(_ path: String) async throws -> AutomergeStore? {
        if try Failure.of(path, { try StoreKind(of: path).isAutomergeFile }) { return nil }
        let store = try await ModelOpener.reading(DocumentStorePart.self, of: path)
        Warnings.report(store.unexpectedItems, path)
        return store
    }

    /// Opens a document for reading. Warns about parts that can't be shown.
    ///
    /// - Parameters:
    ///   - text: The document's identifier or name. Not needed for a file or a store with only
    ///     one document.
    ///   - path: The path of the file or the store.
    static func view(_ text: String?, of path: String) async throws -> DocumentView {
        guard let store = try await reading(path) else { return try view(of: file(path, text)) }
        return DocumentView(try document(in: store, text, path), in: store)
    }

    /// Opens the document of a file. Warns about changes that can't be shown.
    static func view(of file: AutomergeFile) throws -> DocumentView {
        let view = try Failure.of(file.path) { try file.view() }
        Warnings.report(view.problems, file.path)
        return view
    }

    /// Reads a single Automerge file, for which no identifier can be given.
    static func file(_ path: String, _ text: String?) throws -> AutomergeFile {
        if let text {
            throw Failure(
                .invalidRequest, path,
                "a single .automerge file is one document: leave out \(text)")
        }
        return try Failure.of(path) { try AutomergeFile.reading(path) }
    }

    /// Runs `body` and saves its edits. Prints a notice if this device is new to the package.
    static func writing<Result>(
        _ path: String, as option: DeviceOption, _ body: (AutomergeStore) throws -> Result
    ) async throws -> Result {
        try await ModelOpener.writing(DocumentStorePart.self, of: path, as: option) { store in
            Warnings.report(store.unexpectedItems, path)
            return try Failure.of(path) { try body(store) }
        }
    }

    /// Returns the document with the given identifier or, without an identifier, the only document.
    /// Warns about its problems.
    static func document(
        in store: AutomergeStore, _ text: String?, _ path: String
    ) throws -> AutomergeStore.Document {
        let id = try identifier(text, in: store, path)
        return try Failure.of(path) {
            guard let document = try store.openDocument(id) else {
                throw Failure.missing(
                    path, "no such document: \(store.text(of: id))", among: store.devices)
            }
            // The problems are known only while the document is open.
            let problems = withExtendedLifetime(document) { store.problems(of: id) }
            Warnings.report(problems?.lines ?? [], path)
            return document
        }
    }

    private static func identifier(
        _ text: String?, in store: AutomergeStore, _ path: String
    ) throws -> UUID {
        if let text { return try identifier(text, in: store) }
        let documents = store.documentSummaries()
        guard let only = documents.first else {
            throw Failure.missing(path, "the store has no documents", among: store.devices)
        }
        guard documents.count == 1 else {
            throw Failure(
                .invalidRequest, path,
                "the store has \(Counted.grouped(documents.count)) documents: specify one",
                suggestion: "to list them: tideline docs list \(path)")
        }
        return only.id
    }

    /// Returns the document or workspace that a user names: by its identifier, by the name of a
    /// workspace (meaning its index document), or by the first characters of the identifier.
    ///
    /// - Throws: `Failure` if there is no such document, or if there are several. A complete
    ///   identifier is returned without looking it up.
    static func identifier(
        _ text: String, of what: String = "document", in store: AutomergeStore
    ) throws -> UUID {
        if let id = UUID(automergeID: text) { return id }
        // An empty text would match any workspace without a name.
        guard !text.isEmpty else {
            throw Failure(.invalidRequest, text.quoted, "the identifier of a \(what) is empty")
        }
        let summaries = store.documentSummaries().filter { what == "document" || $0.isIndex }
        var found = summaries.filter { summary in
            summary.isIndex && store.workspaceSummary(summary.workspace)?.name == text
        }
        if found.isEmpty {
            // Hexadecimal digits can be typed in either case.
            found = summaries.filter { summary in
                let name = store.text(of: summary.id)
                return name.hasPrefix(text)
                    || store.hasWorkspaces && name.lowercased().hasPrefix(text.lowercased())
            }
        }
        guard let only = found.first else {
            throw Failure.missing(text.quoted, "no such \(what)", among: store.devices)
        }
        guard found.count == 1 else {
            throw Failure(
                .invalidRequest, text.quoted,
                "ambiguous: it matches \(Counted.text(found.count, what))",
                suggestion: found.map { store.text(of: $0.id) }.joined(separator: ", "))
        }
        return only.id
    }
}

extension AutomergeFile {
    /// Checks that an Automerge file may replace the file at a path: that this file is missing,
    /// empty, a special file such as a pipe, or an Automerge file.
    static func requireReplaceable(_ path: String) throws(Failure) {
        do {
            guard try !WholeFile.beginning(of: path, count: 1).isEmpty else { return }
        } catch {
            guard error.code == .noPermission else { return }
            throw Failure(error, while: path)
        }
        if (try? StoreKind(of: path))?.isAutomergeFile == true { return }
        throw Failure(
            .cannotCreate, path, "the file exists, and is not an .automerge file",
            suggestion: "choose another name")
    }

    /// Reads an Automerge file. The error for any other store names its kind.
    static func reading(_ path: String) throws(CoreError) -> AutomergeFile {
        do {
            return try AutomergeFile(path)
        } catch {
            guard error.code == .badData, case .package? = try? StoreKind(of: path) else {
                throw error
            }
            throw CoreError(
                .badData, "a package, not an .automerge file",
                suggestion: "to show what it contains: tideline info \(path)")
        }
    }
}
