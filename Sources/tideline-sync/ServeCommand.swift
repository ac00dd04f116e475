import ArgumentParser
import CommandSupport
import DocumentStore
import DocumentSync
import DocumentSyncNIO
import Foundation
import Replication

struct ServeCommand: AsyncParsableCommand {
    static let configuration = ServeArguments.configuration

    @OptionGroup var arguments: ServeArguments

    func validate() throws {
        for origin in arguments.allowOrigin where !ServerAccess.isOrigin(origin) {
            throw ValidationError(
                "\(origin.quoted) is not an origin, such as https://example.org")
        }
    }

    func run() async throws {
        let arguments = arguments
        let shared = try SharedStore(
            arguments.path, device: arguments.device, writes: !arguments.readOnly)
        let server: WebSocketServer
        let listener: StreamListener?
        do {
            server = try await WebSocketServer(
                host: arguments.host, port: arguments.port,
                access: ServerAccess(origins: arguments.allowOrigin, token: arguments.token))
            listener = try arguments.socket.map { path throws(SyncError) in
                try StreamListener(at: .unix(path: path))
            }
        } catch {
            throw Failure(error, while: "docs serve")
        }
        if arguments.token == nil, !ServerAccess.isLoopback(arguments.host) {
            Output.note(
                "tideline: \(server.address) is open to other machines, which can read and write "
                    + "documents without a token; set one with --token TEXT")
        }
        // The port distinguishes several servers on one machine.
        let name = "storage-server-\(ProcessInfo.processInfo.hostName)-\(server.port)"
        let repository = StoreRepository(shared.store)
        let exchange = DocumentExchange(
            of: repository,
            policy: arguments.readOnly || !shared.store.isWritable ? .readOnly : .onRequest,
            peerID: PeerID(name), storageID: shared.storageID,
            trace: TracePrinter.trace(arguments.reports.trace, isJSON: arguments.json))
        let printer = ExchangePrinter(exchange, arguments.reports, isJSON: arguments.json)
        let answering = Interruption.answering { await printer.printStatus() }
        defer { answering.cancel() }
        let printing = printer.printEvents()
        do {
            try await Interruption.ends {
                try await withThrowingTaskGroup { group in
                    group.addTask { try await server.run(exchange) }
                    if let listener { group.addTask { await listener.run(exchange) } }
                    try await group.waitForAll()
                }
            } after: {
                await printer.printStatusAtEnd()
            }
        } catch {
            throw Failure(error, while: "docs serve")
        }
        await exchange.stop()
        await printing.value
        try await shared.close(arguments.path, repository)
    }
}
