import Automerge
import CommandSupport
import DocumentStore
import DocumentSync
import Foundation
import Replication
import TidelineCore

/// A store opened for synchronization with peers.
struct SharedStore {
    let store: AutomergeStore
    /// The store's identifier, if it has one. Peers use it to remember the shared state.
    let storageID: String?

    /// Opens the store at a path and follows changes by other programs. Prints a warning for
    /// unreadable parts, and if this device is new to a package.
    ///
    /// - Parameter writes: Whether to store changes from peers.
    /// - Throws: `Failure`.
    init(_ path: String, device option: DeviceOption, writes: Bool) throws {
        store = try Failure.of(path) {
            var device: DeviceID?
            if writes, case .package = try StoreKind(of: path) {
                device = try option.forWriting(to: path)
            }
            let opened = try DocumentStores.open(
                path, device: device, writes: writes, watches: true,
                willAddDevice: device.map { NewDevice.notice($0, path) })
            guard let opened else {
                throw Failure(
                    .badData, path, "one document without an identifier, not a store of documents",
                    suggestion: "import it into a package: tideline docs import PACKAGE \(path)")
            }
            return opened
        }
        storageID = store.hasWorkspaces ? nil : Self.storageID(of: path)
        Warnings.report(store, path)
    }

    /// Returns the identifier of an automerge-repo storage folder; `nil` if it isn't text.
    private static func storageID(of path: String) -> String? {
        let file = AutomergeStore.storageIDFile(ofStorageFolder: path)
        guard let bytes = try? WholeFile.read(file, limit: 512) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    /// Closes the repository after storing pending changes.
    func close(_ path: String, _ repository: StoreRepository) async throws {
        do {
            try await repository.finish()
        } catch {
            // This isn't fatal. The next connection only has more to compare.
            Output.note(
                "tideline: \(path): the state of the peers can't be recorded: "
                    + String.reason(of: error))
        }
        try Failure.of(path) { try store.close() }
    }

    /// Parses the document identifiers that the user specified.
    static func ids(_ texts: [String]) throws -> Set<DocumentID> {
        Set(
            try texts.map { text in
                guard let id = DocumentID(text) else {
                    throw Failure.noDocumentIdentifier(text)
                }
                return id
            })
    }
}
