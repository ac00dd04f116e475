import Foundation
public import GRDB
public import Replication

/// A database file to read, which another program may own.
///
/// Reading creates no file next to the database and changes nothing in it. A database in
/// write-ahead mode is read while other programs have it open. If no program maintains the index of
/// its log, a private copy of the database is read. Other databases are opened as immutable, and
/// read again if they changed during the read.
public struct TableFile: Sendable, Hashable {
    /// The path of the file, with symbolic links resolved.
    public let path: String
    /// Whether the file belongs to a device in a store package, so that only the library of the
    /// store may write it.
    public let isInPackage: Bool

    /// Creates a reference to the file at `path`, which doesn't have to exist.
    public init(_ path: String) {
        let url = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath()
        self.path = url.path
        let folders = url.deletingLastPathComponent().pathComponents
        isInPackage = folders.dropLast().last?.lowercased() == "devices"
    }

    /// Returns the result of `body` for one state of the database, and the stamp of that state.
    ///
    /// `body` runs in a read transaction, and runs again if the file changes during the read.
    ///
    /// - Parameter isCancelled: Called every few milliseconds on this thread; `true` ends the read.
    /// - Parameter instructionsPerByte: See `ForeignDatabase.Limits`.
    /// - Parameter standsIn: Whether case-insensitive order replaces missing collations, and
    ///   `NULL` replaces the results of missing functions.
    /// - Throws: `ReplicationError` for a problem with the file; ``TablesError`` for an SQLite
    ///   error of a statement; errors of `body`.
    @discardableResult
    public func read<Value>(
        instructionsPerByte: Int = 50, standsIn: Bool = true,
        isCancelled: (@Sendable () -> Bool)? = nil, _ body: (Database) throws -> Value
    ) throws -> (Value, FileStamp) {
        switch try read(
            unless: nil, instructionsPerByte: instructionsPerByte, standsIn: standsIn,
            isCancelled: isCancelled, body)
        {
        case .read(let value, let stamp): return (value, stamp)
        case .unchanged: throw ReplicationError(.inputOutput, at: path, "the file was not read")
        }
    }

    /// Returns the result of `body`; `.unchanged` if the file is still in the state `known`.
    ///
    /// - Throws: As ``read(instructionsPerByte:standsIn:isCancelled:_:)``.
    public func read<Value>(
        unless known: FileStamp?, instructionsPerByte: Int = 50, standsIn: Bool = true,
        isCancelled: (@Sendable () -> Bool)? = nil, _ body: (Database) throws -> Value
    ) throws -> ForeignDatabase.Outcome<Value> {
        var limits = ForeignDatabase.Limits(instructionsPerByte: instructionsPerByte)
        limits.isCancelled = isCancelled
        limits.trustsSchema = true
        // An error of a statement must not be reported as damage to the file.
        let guarded = { (db: Database) throws -> Value in
            db.defend()
            let standIns = standsIn ? StandIns(db) : nil
            defer { standIns?.remove() }
            do {
                return try body(db)
            } catch let error as DatabaseError {
                throw TablesError(error) ?? error
            }
        }
        return isInPackage
            ? try ForeignDatabase.read(path, unless: known, limits: limits, guarded)
            : try ForeignDatabase.readLive(path, unless: known, limits: limits, guarded)
    }

    /// Returns the reason why a file without SQLite's header can't be read. It isn't a database, or
    /// may be encrypted.
    ///
    /// - Parameter beginning: The first bytes: at least a kibibyte, if the file is that long.
    public static func reasonForNoDatabase(beginning: [UInt8], byteCount: Int64) -> String {
        let sample = beginning.prefix(1024)
        if sample.isEmpty { return "the file is empty" }
        if !sample.contains(where: { (byte: UInt8) in byte != 0 }) {
            return "only zeros so far; the content may still be arriving"
        }
        // An encrypted database consists of whole pages and looks random from the start.
        let isWhole = byteCount >= 1024 && byteCount % 512 == 0
        if isWhole, sample.count >= 1024, Set(sample).count > 235 {
            return
                "not an SQLite database, or an encrypted one, which can't be read without its key"
        }
        return "not an SQLite database"
    }
}
