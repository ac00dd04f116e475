import Foundation
public import GRDB

/// Functions that read SQLite files that another process writes or a sync service carries.
///
/// The file is opened read-only and immutable: nothing is created next to it, its content doesn't
/// change, and no lock is taken (data rule 3). Comparing the ``FileStamp``s before and after a read
/// shows whether the file changed during it (data rule 4). A journal next to the file may contain a
/// part of the database's state. In that case, both files are copied to a private folder, and
/// SQLite recovers the copy. The copy is reused while the files stay unchanged.
public enum ForeignDatabase {
    /// The result of reading a file.
    public enum Outcome<Value> {
        /// The file still has the given stamp and was not opened.
        case unchanged
        /// The result of the body, and the stamp of the state that it read.
        case read(Value, FileStamp)
    }

    /// Limits on the time to wait for a file to stop changing, and on the work of reading it.
    public struct Limits: Sendable {
        /// The delay before each further attempt. If empty, there is only one attempt.
        public var waits: [Duration]
        /// The time for which attempts continue while a file keeps changing. The last delay in
        /// `waits` separates these attempts. A process that writes row by row pauses eventually, so
        /// a later attempt succeeds.
        public var patience: Duration
        /// The number of SQLite virtual machine instructions allowed per byte of the file, in
        /// addition to twenty million. A damaged file can contain loops; sound files stay far below
        /// the limit.
        public var instructionsPerByte: Int

        /// The time for which a file with holes counts as still arriving after its last change.
        /// Sync services that reserve a file's size first leave holes until the bytes arrive.
        /// SQLite leaves no holes. A file that hasn't changed for this long counts as a sparse
        /// copy, which is complete.
        public var arrivalTime: Duration
        /// Whether the file's schema may use functions and virtual tables that SQLite doesn't
        /// classify as innocuous, such as those for JSON and full-text search. SQLite still refuses
        /// functions that reach beyond the file, such as `load_extension`.
        public var trustsSchema = false
        /// The clock to compare modification times with.
        public var now: @Sendable () -> Timestamp = { Timestamp(Date()) }
        /// Returns whether the caller no longer needs the result. Called every few milliseconds on
        /// the reading thread. A canceled statement ends as if it had used up its instructions.
        public var isCancelled: (@Sendable () -> Bool)?
        /// Whether files are always read from a private copy.
        package var copies = !ForeignDatabase.readsInPlace

        /// Creates limits that suit a file written row by row: seven attempts within 63 ms, and
        /// more within five seconds while it changes.
        public init(
            waits: [Duration] = [1, 2, 4, 8, 16, 32].map { .milliseconds($0) },
            patience: Duration = .seconds(5),
            instructionsPerByte: Int = 50, arrivalTime: Duration = .seconds(60)
        ) {
            self.waits = waits
            self.patience = patience
            self.instructionsPerByte = instructionsPerByte
            self.arrivalTime = arrivalTime
        }

        /// Limits for scanning many files in turn.
        package static let brief = Limits(patience: .zero)
    }

    /// Reads the database at `path` in a consistent state.
    ///
    /// `body` runs inside one read transaction, on a connection that can't write. If the file
    /// changes during the read, the result is discarded and `body` runs again. A foreign schema may
    /// contain anything, so start with ``GRDB/Database/ordinaryColumns(of:)`` for each table to
    /// read. Errors thrown by `body` are rethrown if the file didn't change.
    ///
    /// - Parameter known: The stamp of the state that the caller has already read. If the stamp was
    ///   taken just after a change, it can't show whether the file changed again. The file is then
    ///   read once more.
    /// - Throws: ``ReplicationError``: `.incomplete` for a file that is incomplete or keeps
    ///   changing, `.unreadable` for a damaged one, `.notFound`, `.noPermission`, `.unsafePath`.
    /// - Complexity: About 0.2 ms in addition to `body`; ten microseconds if the file is unchanged.
    public static func read<Value>(
        _ path: String, unless known: FileStamp? = nil, limits: Limits = Limits(),
        _ body: (Database) throws -> Value
    ) throws -> Outcome<Value> {
        var waits = limits.waits[...]
        var last: FileStamp?
        let end = ContinuousClock.now + limits.patience
        while true {
            let (stamp, header) = try FileStamp.take(path)
            if let known, stamp == known, !known.isFresh { return .unchanged }
            var problem = ReplicationError(.incomplete, "\(path) is being written")
            var isStill = stamp == last
            // A writer that is still running deletes its journal soon, and copying costs more than
            // waiting. A journal that stays was left behind by a process that ended.
            if waits.isEmpty || stamp.rollbackJournal?.isFresh(at: limits.now()) != true {
                do {
                    let value = try attempt(path, stamp, header: header, limits, body)
                    if try FileStamp(ofFileAt: path) == stamp { return .read(value, stamp) }
                    isStill = false
                } catch {
                    if try FileStamp(ofFileAt: path) == stamp {
                        // If an error occurs twice in the same state, waiting doesn't help.
                        if isStill || !isDamage(error) { throw explained(error, path) }
                        if let damage = explained(error, path) as? ReplicationError {
                            problem = damage
                        }
                    } else {
                        isStill = false
                    }
                }
            }
            let further = !isStill && .now < end ? limits.waits.last : nil
            guard let wait = waits.popFirst() ?? further else { throw problem }
            last = stamp
            Thread.sleep(forTimeInterval: wait / .seconds(1))
        }
    }

    /// Reads the database at `path`, whatever its state.
    ///
    /// - Throws: As ``read(_:unless:limits:_:)``.
    package static func value<Value>(
        from path: String, limits: Limits = Limits(), _ body: (Database) throws -> Value
    ) throws -> Value {
        switch try read(path, limits: limits, body) {
        case .read(let value, _): return value
        case .unchanged: throw ReplicationError(.incomplete, "\(path) was not read")
        }
    }

    private static func attempt<Value>(
        _ path: String, _ stamp: FileStamp, header: [UInt8], _ limits: Limits,
        _ body: (Database) throws -> Value
    ) throws -> Value {
        guard stamp.byteCount > 0 else {
            throw ReplicationError(.incomplete, "\(path) is empty so far")
        }
        if stamp.isAlone {
            let header = try DatabaseHeader(
                header.contains { $0 != 0 } ? header : beginning(of: path), path: path)
            try header.check(byteCount: stamp.byteCount, path: path)
            try checkHoles(path, stamp, header, limits)
        }
        if stamp.isAlone { PrivateCopyCache.drop(path) }
        if stamp.isAlone, !limits.copies {
            return try Connection(immutable: path, byteCount: stamp.byteCount, limits)
                .read(limits, body)
        }
        if let kept = PrivateCopyCache.take(path, stamp) {
            defer { PrivateCopyCache.put(kept, of: path, stamp) }
            return try kept.read(limits, body)
        }
        let copy = try PrivateCopy.make(of: path, stamp, header: header)
        let connection = try Connection(copying: copy, byteCount: stamp.totalByteCount, limits)
        defer { if !stamp.isAlone { PrivateCopyCache.put(connection, of: path, stamp) } }
        return try connection.read(limits, body)
    }

    private static func beginning(of path: String) throws(ReplicationError) -> [UInt8] {
        try SharedDescriptors.look(at: path) { file throws(ReplicationError) in
            try file.read(DatabaseHeader.zerosByteCount, at: 0, path)
        }
    }

    private static func checkHoles(
        _ path: String, _ stamp: FileStamp, _ header: DatabaseHeader, _ limits: Limits
    ) throws(ReplicationError) {
        let hole = try SharedDescriptors.look(at: path) { file throws(ReplicationError) in
            file.firstHole()
        }
        // Holes after the last page don't matter, because SQLite doesn't read them.
        guard let hole, hole < min(stamp.byteCount, header.byteCount ?? .max) else { return }
        // SQLite never writes the page that contains its lock bytes, at one gibibyte.
        let lockPage: Int64 = 1 << 30
        if (lockPage - 65_536...lockPage).contains(hole) { return }
        let age = limits.now().date.timeIntervalSince1970 - Double(stamp.modified) / 1e9
        guard abs(age) < limits.arrivalTime / .seconds(1) else { return }
        throw ReplicationError(.incomplete, "\(path) has gaps for bytes that have not arrived")
    }

    /// Returns whether an error indicates damage. The damage may only be temporary, so the file is
    /// read again later.
    private static func isDamage(_ error: any Error) -> Bool {
        if let error = error as? ReplicationError {
            return error.code == .incomplete || error.code == .unreadable
        }
        // A query that exceeded its budget would exceed it again, at the same cost.
        if let error = error as? DatabaseError { return error.resultCode != .SQLITE_INTERRUPT }
        return error is RowDecodingError
    }

    static func explained(_ error: any Error, _ path: String) -> any Error {
        if error is RowDecodingError {
            return ReplicationError(
                .unreadable, "\(path) has a value that doesn't fit its column", cause: error)
        }
        guard let error = error as? DatabaseError else { return error }
        let reason = error.message ?? "\(error.resultCode)"
        switch error.extendedResultCode {
        case .SQLITE_IOERR_SHORT_READ:
            return ReplicationError(
                .incomplete, "\(path) ends before its last page", cause: error)
        case _ where error.resultCode == .SQLITE_INTERRUPT:
            return ReplicationError(
                .unreadable, "\(path) is damaged: reading it takes too many steps", cause: error)
        default:
            return ReplicationError(
                .unreadable, at: path, "it can't be read: \(reason)", cause: error)
        }
    }
}

extension ForeignDatabase.Outcome: Sendable where Value: Sendable {}
