import Foundation
public import GRDB

/// Reads SQLite files that somebody else writes or a sync service carries.
///
/// Nothing is created beside the file, nothing in it changes, and no lock is taken (data rule 3):
/// it is opened read-only and immutable. Whether it stood still meanwhile is told by comparing
/// ``FileStamp``s before and after (data rule 4). Where a journal beside it holds a part of its
/// state, both are copied to a private folder and SQLite recovers the copy, which is used again as
/// long as the files stay as they are.
public enum ForeignDatabase {
    /// What reading came to.
    public enum Outcome<Value> {
        /// The file still has the stamp that was given; it was not opened.
        case unchanged
        /// What the body returned, and the stamp of the state that it read.
        case read(Value, FileStamp)
    }

    /// How long to wait for a file to stand still, and how much work it may cause.
    public struct Limits: Sendable {
        /// The wait before each new attempt; where empty, there is only one attempt.
        public var waits: [Duration]
        /// How long further attempts are made of a file that changes from one to the next, each
        /// after the last of the waits: somebody writes it row by row, and will pause.
        public var patience: Duration
        /// How many instructions of SQLite's virtual machine may run for each byte of the file,
        /// beyond the first twenty million. A damaged file can lead in circles; no sound one
        /// comes near.
        public var instructionsPerByte: Int

        /// How long after the last change a file with holes in it counts as one that is still
        /// arriving. Services that reserve a file's size first leave holes where bytes will come;
        /// SQLite leaves none, but a copy that stands still for so long may be a sparse one.
        public var arrivalTime: Duration
        /// Whether the schema of the file may use functions and virtual tables that SQLite doesn't
        /// call innocuous, such as those for JSON and full-text search. SQLite still refuses the
        /// ones that reach beyond the file, such as `load_extension`.
        public var trustsSchema = false
        /// The clock that files are dated by.
        public var now: @Sendable () -> Timestamp = { Timestamp(Date()) }
        /// Asked every few milliseconds from the reading thread: whether nobody waits for the
        /// answer any more. What runs then ends as if it had used up its instructions.
        public var isCancelled: (@Sendable () -> Bool)?
        /// Whether files are always read from a private copy.
        package var copies = !ForeignDatabase.readsInPlace

        /// Limits that suit a file which is written a row at a time: seven attempts within 63 ms,
        /// and more within five seconds while it changes.
        ///
        /// - Parameters:
        ///   - waits: The wait before each attempt after the first.
        ///   - patience: How long further attempts are made of a file that changes meanwhile.
        ///   - instructionsPerByte: What may run for each byte of the file, beyond twenty million.
        ///   - arrivalTime: How long a file with holes counts as one that is still arriving.
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

        /// For who looks at many files, one after the other, and at this one again soon.
        package static let brief = Limits(patience: .zero)
    }

    /// Reads the database at `path` in one state of it.
    ///
    /// `body` runs inside one read transaction, on a connection that cannot write. It runs again if
    /// the file changed under it; what it read before is discarded then. A foreign schema may say
    /// anything, so it should begin with ``GRDB/Database/ordinaryColumns(of:)`` for each table that
    /// it reads. An error that it throws itself is passed on if the file stood still meanwhile.
    ///
    /// - Parameter known: The stamp of the state that the caller has read already. A stamp taken just
    ///   after a change cannot tell that change from another, so the file is read once more then.
    /// - Throws: ``ReplicationError``: `.incomplete` for a file that is half there or does not stand
    ///   still, `.unreadable` for a damaged one, `.notFound`, `.noPermission`, `.unsafePath`.
    /// - Complexity: About 0.2 ms besides `body`; ten microseconds where nothing changed.
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
            // A living writer's journal is gone in a moment, and copying costs more than waiting.
            // One that stays was left behind.
            if waits.isEmpty || !isBeingWritten(stamp, limits) {
                do {
                    let value = try attempt(path, stamp, header: header, limits, body)
                    if try FileStamp(ofFileAt: path) == stamp { return .read(value, stamp) }
                    isStill = false
                } catch {
                    if try FileStamp(ofFileAt: path) == stamp {
                        // What fails twice in one state will not get better by waiting.
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
        if stamp.isAlone { KeptCopies.drop(path) }
        if stamp.isAlone, !limits.copies {
            return try Connection(immutable: path, byteCount: stamp.byteCount, limits)
                .read(limits, body)
        }
        if let kept = KeptCopies.take(path, stamp) {
            defer { KeptCopies.put(kept, of: path, stamp) }
            return try kept.read(limits, body)
        }
        let copy = try PrivateCopy.make(of: path, stamp, header: header)
        let connection = try Connection(copying: copy, byteCount: stamp.totalByteCount, limits)
        defer { if !stamp.isAlone { KeptCopies.put(connection, of: path, stamp) } }
        return try connection.read(limits, body)
    }

    private static func beginning(of path: String) throws(ReplicationError) -> [UInt8] {
        try HeldFiles.look(at: path) { file throws(ReplicationError) in
            try file.read(DatabaseHeader.zerosByteCount, at: 0, path)
        }
    }

    private static func isBeingWritten(_ stamp: FileStamp, _ limits: Limits) -> Bool {
        guard let journal = stamp.rollbackJournal else { return false }
        let age = limits.now().date.timeIntervalSince1970 - Double(journal.modified) / 1e9
        return abs(age) < 2
    }

    private static func checkHoles(
        _ path: String, _ stamp: FileStamp, _ header: DatabaseHeader, _ limits: Limits
    ) throws(ReplicationError) {
        let hole = try HeldFiles.look(at: path) { file throws(ReplicationError) in
            file.firstHole()
        }
        // What is behind the last page is not read.
        guard let hole, hole < min(stamp.byteCount, header.byteCount ?? .max) else { return }
        // SQLite leaves out the page that it locks, at one gibibyte.
        let lockPage: Int64 = 1 << 30
        if (lockPage - 65_536...lockPage).contains(hole) { return }
        let age = limits.now().date.timeIntervalSince1970 - Double(stamp.modified) / 1e9
        guard abs(age) < limits.arrivalTime / .seconds(1) else { return }
        throw ReplicationError(.incomplete, "\(path) has gaps where bytes are still to come")
    }

    /// Whether another moment of the file might not show the same error.
    private static func isDamage(_ error: any Error) -> Bool {
        if let error = error as? ReplicationError {
            return error.code == .incomplete || error.code == .unreadable
        }
        // What ran out of its budget would do so again, at the same cost.
        if let error = error as? DatabaseError { return error.resultCode != .SQLITE_INTERRUPT }
        return error is RowDecodingError
    }

    static func explained(_ error: any Error, _ path: String) -> any Error {
        if error is RowDecodingError {
            return ReplicationError(
                .unreadable, "\(path) has a value of another type than its column", cause: error)
        }
        guard let error = error as? DatabaseError else { return error }
        let reason = error.message ?? "\(error.resultCode)"
        switch error.extendedResultCode {
        case .SQLITE_IOERR_SHORT_READ:
            return ReplicationError(
                .incomplete, "\(path) ends before its last page", cause: error)
        case _ where error.resultCode == .SQLITE_INTERRUPT:
            return ReplicationError(
                .unreadable, "\(path) is damaged: reading it leads in circles", cause: error)
        default:
            return ReplicationError(
                .unreadable, at: path, "it cannot be read: \(reason)", cause: error)
        }
    }
}

extension ForeignDatabase.Outcome: Sendable where Value: Sendable {}
