import DocumentStore
import EntityStore
public import Foundation
public import KeyValueStore
public import Replication

/// A part of a store package that is copied into a new package, for example for a bug report.
///
/// All rows of the chosen items are copied, from every device, with their causal parents, times and
/// order. The copy therefore has the same values, history and conflicts.
public struct Extraction: Sendable {
    /// The contents that a redaction replaces with made-up contents.
    public enum Redaction: Sendable {
        case none
        /// Texts, names, identifiers and bytes.
        case texts
        /// The contents of ``texts``, and numbers and dates. Numbers in documents and the times of
        /// rows aren't replaced.
        case textsAndNumbers
    }

    /// The numbers of copied rows.
    public struct Counts: Equatable, Sendable {
        /// The rows of keys.
        public var keyRows = 0
        /// The rows of entities.
        public var entityRows = 0
        /// The rows of documents.
        public var documentRows = 0
    }

    /// The keys to copy.
    public var keys: Set<Name> = []
    /// The identifiers of the entities to copy.
    public var entities: Set<Name> = []
    /// The identifiers of the documents to copy.
    public var documents: Set<UUID> = []

    /// Creates an empty selection.
    public init() {}

    /// Whether nothing is chosen.
    public var isEmpty: Bool { keys.isEmpty && entities.isEmpty && documents.isEmpty }

    /// Copies the chosen items into a new package, which appears once it is complete.
    ///
    /// - Parameters:
    ///   - store: The keys of the package; `nil` if no keys are chosen.
    ///   - path: The path of the new package, which must not exist.
    ///   - willFill: Called with the path of the temporary folder before the folder is created. The
    ///     caller should delete the folder if the process has to end early.
    /// - Throws: ``CoreError``: `.cannotCreate` if the path exists or is inside the package,
    ///   `.noAnswer` if the package has no rows of the chosen items; `ReplicationError` if a log
    ///   can't be read or written; `DocumentStoreError`. No package is left in these cases.
    public func write(
        _ package: StorePackage, keys store: KeyValueStore?, to path: String,
        redacting redaction: Redaction = .none, willFill: (String) -> Void = { _ in }
    ) throws -> Counts {
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw CoreError(.cannotCreate, at: path, "the path already exists")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            .resolvingSymlinksInPath().path
        let source = URL(fileURLWithPath: package.path).resolvingSymlinksInPath().path
        guard folder != source, !folder.hasPrefix(source + "/") else {
            throw CoreError(.cannotCreate, at: path, "the path is inside the package that is read")
        }
        let standIns = try standIns(for: package, redaction)
        let unfinished = UnfinishedPackage(of: path)
        willFill(unfinished.path)
        defer { unfinished.remove() }
        do {
            let output = try StorePackage(creating: unfinished.path)
            let counts = try write(package, store, to: output, standIns)
            try unfinished.finish()
            return counts
        } catch {
            throw unfinished.explained(error)
        }
    }

    private func write(
        _ package: StorePackage, _ store: KeyValueStore?, to output: StorePackage,
        _ standIns: Replication.Redaction?
    ) throws -> Counts {
        var counts = Counts()
        counts.keyRows =
            try store?.copyRows(ofKeys: keys, to: output, redaction: standIns) ?? 0
        counts.entityRows = try EntityLogCopy.copyRows(
            of: entities, from: package, to: output, redaction: standIns)
        counts.documentRows = try DocumentLogCopy.copyRows(
            of: documents, from: package, to: output, redaction: standIns)
        guard counts != Counts() else {
            throw CoreError(
                .noAnswer, at: package.path,
                "it has no rows of the chosen keys, entities or documents")
        }
        if standIns == nil { try copyDeviceNames(from: package, to: output) }
        return counts
    }

    private func standIns(
        for package: StorePackage, _ redaction: Redaction
    ) throws -> Replication.Redaction? {
        if case .none = redaction { return nil }
        return try Replication.Redaction(
            devices: package.devices().map(\.id),
            includesNumbers: redaction == .textsAndNumbers)
    }

    /// Copies the files with the display names of the devices whose rows were copied.
    private func copyDeviceNames(from package: StorePackage, to output: StorePackage) throws {
        let devices = Set(try output.devices().map(\.id.name).map { Name($0) })
        let folder = "\(StorePackage.deviceNameFolder)/"
        for entry in try package.blobs.entries(prefix: folder) {
            let file = entry.path.dropFirst(folder.count)
            guard let dot = file.lastIndex(of: "."), devices.contains(Name(String(file[..<dot])))
            else { continue }
            try output.blobs.put(at: entry.path, modified: entry.modified) { write in
                try package.blobs.read(entry.path, write)
            }
        }
    }
}
