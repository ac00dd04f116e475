import Foundation
import GRDB

/// An open connection to this device's own file.
final class LocalConnection {
    let path: String
    private var file: LocalFile?
    private let isNew: Bool

    init(_ path: String, _ options: LocalDatabase.Options) throws {
        self.path = path
        var configuration = Configuration()
        configuration.label = "Tideline.local"
        configuration.busyMode = .callback { [lockWait = options.lockWait] tries in
            lockWait.wait(after: tries, for: path)
        }
        let file = try LocalFile(
            path, configuration: configuration, creationSQL: options.creationSQL)
        self.file = file
        isNew = file.isNew
    }

    /// Returns whether the open file is still the one at its path.
    func isInPlace() throws -> Bool { try file?.isInPlace() ?? false }

    func inTransaction<Value>(
        _ kind: Database.TransactionKind, _ body: (Database) throws -> Value
    ) throws -> Value {
        guard let file else {
            throw ReplicationError(.inputOutput, "\(path) is closed")
        }
        return try file.inTransaction(kind, body)
    }

    /// Flushes a new file's name to disk, so that it survives a power failure.
    func makeNameDurable() throws(ReplicationError) {
        guard isNew else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try Descriptor(folder: folder).confirmChange(of: path)
    }

    /// Deletes a file that this connection created if nothing was ever written to it.
    func discardIfEmpty() { file?.discard() }

    func close() {
        // A connection refuses to close while a statement is in use. It then closes when its last
        // reference is released.
        try? file?.database.close()
        file = nil
    }

    deinit { close() }
}
