import Foundation
public import GRDB
public import Replication

/// A database file whose tables are looked at, whoever writes it.
///
/// Nothing is created beside the file and nothing in it changes. One in write-ahead mode is read
/// beside the program that has it open, or from a private copy where nobody keeps up its index; any
/// other file is opened as immutable, and read again if it changed meanwhile.
public struct TableFile: Sendable, Hashable {
    /// The file itself, symbolic links resolved.
    public let path: String
    /// Whether it is a device's file in a store package: only its own store writes it.
    public let isInPackage: Bool

    /// The file at `path`, which need not be there.
    public init(_ path: String) {
        let url = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath()
        self.path = url.path
        let folders = url.deletingLastPathComponent().pathComponents
        isInPackage = folders.dropLast().last?.lowercased() == "devices"
    }

    /// What `body` makes of one state of the database, and the stamp of that state.
    ///
    /// `body` runs in a read transaction, and again where the file changed under it.
    ///
    /// - Parameter isCancelled: Asked every few milliseconds, from this thread; what runs then ends.
    /// - Parameter instructionsPerByte: As `ForeignDatabase.Limits` has it.
    /// - Parameter standsIn: Whether collations that this program lacks are replaced by the order of
    ///   text without case.
    /// - Throws: `ReplicationError` for what is wrong with the file; what `body` throws, and
    ///   ``TablesError`` for what SQLite says of its statements.
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
        case .unchanged: throw ReplicationError(.inputOutput, at: path, "it was not read")
        }
    }

    /// The same, unless the file still is in a state that is known.
    ///
    /// - Throws: As ``read(instructionsPerByte:standsIn:isCancelled:_:)``.
    public func read<Value>(
        unless known: FileStamp?, instructionsPerByte: Int = 50, standsIn: Bool = true,
        isCancelled: (@Sendable () -> Bool)? = nil, _ body: (Database) throws -> Value
    ) throws -> ForeignDatabase.Outcome<Value> {
        var limits = ForeignDatabase.Limits(instructionsPerByte: instructionsPerByte)
        limits.isCancelled = isCancelled
        limits.trustsSchema = true
        // What a statement itself does wrong is not the file's fault.
        let told = { (db: Database) throws -> Value in
            db.defend()
            let collations = standsIn ? StandInCollations(db) : nil
            defer { collations?.remove() }
            do {
                return try body(db)
            } catch let error as DatabaseError {
                throw TablesError(error) ?? error
            }
        }
        return isInPackage
            ? try ForeignDatabase.read(path, unless: known, limits: limits, told)
            : try ForeignDatabase.readLive(path, unless: known, limits: limits, told)
    }

    /// Why a file that does not begin as SQLite's do is no database, in words; for one that could be
    /// an encrypted database, that it could be.
    ///
    /// - Parameter beginning: Its first bytes, a kibibyte or more where it has as many.
    public static func reasonForNoDatabase(beginning: [UInt8], byteCount: Int64) -> String {
        let sample = beginning.prefix(1024)
        if sample.isEmpty { return "the file is empty" }
        if !sample.contains(where: { (byte: UInt8) in byte != 0 }) {
            return "only zeros have arrived so far"
        }
        // Pages of 512 bytes and more that look like chance, from the first byte on.
        let isWhole = byteCount >= 1024 && byteCount % 512 == 0
        if isWhole, sample.count >= 1024, Set(sample).count > 235 {
            return
                "not an SQLite database, or an encrypted one, which cannot be read without its key"
        }
        return "not an SQLite database"
    }
}
