import Automerge
import CommandSupport
import DocumentStore
import DocumentSync
import Foundation
import Replication
import TidelineCore

/// A store as it is opened to be kept alike with others.
struct SharedStore {
    let store: AutomergeStore
    /// The identifier of the store, where it has one, by which others remember what they shared.
    let storageID: String?

    /// Opens the store at a path; what other programs write there is followed. Warns of what of it
    /// cannot be read, and when this device is new to a package.
    ///
    /// - Parameter writes: Whether anything is to be taken in.
    /// - Throws: `Failure`.
    init(_ path: String, device option: DeviceOption, writes: Bool) throws {
        store = try Failure.of(path) {
            var device: DeviceID?
            if writes, case .package = try StoreKind(of: path) {
                let own = try option.forWriting()
                NewDevice.isTold(own, path)
                device = own
            }
            let opened = try DocumentStores.open(
                path, device: device, writes: writes, watches: true)
            guard let opened else {
                throw Failure(
                    .badData, path, "one document without an identifier, not a store of documents",
                    wayOut: "Take it into a package: tideline docs import PACKAGE \(path)")
            }
            return opened
        }
        storageID = store.hasWorkspaces ? nil : Self.storageID(of: path)
        Warnings.tell(store, path)
    }

    /// What a storage folder of automerge-repo calls itself; `nil` where that is no text.
    private static func storageID(of path: String) -> String? {
        let file = AutomergeStore.storageIDFile(ofStorageFolder: path)
        guard let bytes = try? WholeFile.read(file, limit: 512) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    /// Ends it: what is not stored yet is.
    func close(_ path: String, _ repository: StoreRepository) async throws {
        do {
            try await repository.finish()
        } catch {
            // The next connection only has more to compare.
            Output.note(
                "tideline: \(path): what the peers have cannot be recorded: "
                    + "\((error as? any ExplainedError)?.reason ?? "\(error)")")
        }
        try Failure.of(path) { try store.close() }
    }

    /// The documents that a person named.
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
