import ArgumentParser
import CommandSupport
import Automerge
import DocumentStore
import DocumentSync
import DocumentSyncNIO
import Foundation
import Replication

struct SyncCommand: AsyncParsableCommand {
    static let configuration = SyncArguments.configuration

    @OptionGroup var arguments: SyncArguments

    /// The file with the certificates to trust instead of the system's, from the environment
    /// variable that OpenSSL also reads.
    private static var trustedCertificates: String? {
        ProcessInfo.processInfo.environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the documents with content to send. A document without changes, such as the index of
    /// a new workspace, has none.
    private static func documentsWithContent(
        _ repository: StoreRepository
    ) async throws -> Set<DocumentID> {
        var found: Set<DocumentID> = []
        for id in try await repository.documentIDs() {
            // An unreadable document is reported when it is synchronized.
            if let document = try? await repository.document(id), document.heads().isEmpty {
                continue
            }
            found.insert(id)
        }
        return found
    }

    func run() async throws {
        let arguments = arguments
        let named = try SharedStore.ids(arguments.documents)
        let connector: any MessageConnector
        do throws(SyncError) {
            if let address = StreamAddress(arguments.url) {
                connector = StreamConnector(address)
            } else {
                connector = try WebSocketConnector(
                    arguments.url, trustedCertificates: Self.trustedCertificates)
            }
        } catch {
            throw Failure(error, while: error.code == .invalidAddress ? "usage" : "docs sync")
        }
        // Messages show this address instead of the argument, which can contain a token.
        let address = connector.address
        let shared = try SharedStore(arguments.path, device: arguments.device, writes: true)
        let repository = StoreRepository(shared.store)
        let policy: SharePolicy =
            !named.isEmpty
            ? .only(named) : connector is StreamConnector ? .everything : .mine
        let exchange = DocumentExchange(
            of: repository, policy: shared.store.isWritable ? policy : .offering(named),
            storageID: shared.storageID,
            trace: TracePrinter.trace(arguments.reports.trace, isJSON: arguments.json))
        await exchange.request(named)
        let printer = ExchangePrinter(exchange, arguments.reports, isJSON: arguments.json)
        let answering = Interruption.answering { await printer.printStatus() }
        defer { answering.cancel() }
        let printing = printer.printEvents()
        let client = SyncClient(exchange, to: connector)
        var rest: SingleSync.Rest = [:]
        do {
            if arguments.once {
                let targets =
                    named.isEmpty ? try await Self.documentsWithContent(repository) : named
                let once = SingleSync(exchange, client, of: targets) {
                    await printer.printStatusAtEnd()
                }
                rest = try await once.run()
            } else {
                try await Interruption.ends {
                    try await client.run()
                } after: {
                    await printer.printStatusAtEnd()
                }
            }
        } catch {
            throw Failure(error, while: address)
        }
        await exchange.stop()
        await printing.value
        try await shared.close(arguments.path, repository)
        if !rest.isEmpty { throw Failure(rest, of: address, arguments.reports) }
    }
}

extension Failure {
    /// Creates the error for documents that are not in sync at the end.
    fileprivate init(_ rest: SingleSync.Rest, of url: String, _ reports: ReportArguments) {
        let lacking = rest.filter { $0.value == .unavailable }.map(\.key).sorted()
        let others = rest.filter { $0.value != .unavailable }.map(\.key).sorted()
        func listed(_ ids: [DocumentID], _ what: String) -> [String] {
            guard let first = ids.first else { return [] }
            return ["\(first)\(ids.count > 1 ? " and \(ids.count - 1) more" : "") \(what)"]
        }
        let reasons =
            listed(lacking, "not available from the server")
            + listed(others, "still not in sync at the end")
        let options = [
            reports.status ? nil : "--status for the documents",
            reports.trace ? nil : "--trace for the messages",
        ].compactMap { $0 }
        self.init(
            .noSuchItem, url, reasons.joined(separator: "; "),
            suggestion: others.isEmpty || options.isEmpty
                ? nil : "to see why, add " + options.joined(separator: ", or "))
    }
}

extension SharePolicy {
    /// Returns the policy for a read-only store, which offers documents and doesn't store changes
    /// from peers.
    fileprivate static func offering(_ documents: Set<DocumentID>) -> SharePolicy {
        SharePolicy(
            announces: { _, id in documents.isEmpty || documents.contains(id) },
            access: { _, _ in .read }, creates: { _, _ in false })
    }
}
