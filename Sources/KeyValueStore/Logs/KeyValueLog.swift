import GRDB
public import Replication
import Synchronization

/// A reader and writer of a device's `Logs.db`, in either format.
final class KeyValueLog: WrittenLog {
    typealias Batch = LogUpdate
    typealias Notes = KeyValueNotes
    typealias Whole = LoadedStore

    /// Rows to write, with the devices that their numbers refer to.
    struct Draft {
        let batch: KeyRowBatch
        let devices: [DeviceID]
        /// The keys that no other process of this device may have written since the log was read.
        /// If another process has written one of them, appending fails.
        let exclusiveKeys: Set<[UInt8]>
    }

    /// A batch with adjusted timestamps, because the log has rows that its writer had not seen.
    struct Moved: Sendable {
        let batch: KeyRowBatch
        let end: LogEnd
    }

    /// The format that this device's log has or would get.
    struct Form: Sendable {
        var format: LogFormat
        /// The template for a PARStore 1 log that has to be created.
        var template: ParstoreTemplate?
    }

    let kind = DatabaseKind.logs
    let keepsRows = true
    private let memory: MemoryLock
    private let longest: Int
    private let readsWholeRows: Bool
    private let chosenForm = Mutex(Form(format: .tideline2))

    /// Creates the reader and writer.
    ///
    /// - Parameters:
    ///   - longest: The maximum length of values to load. Longer ones stay in their logs.
    ///   - readsWholeRows: Whether new rows are needed with all their causal parents.
    init(memory: MemoryLock, longest: Int, readsWholeRows: Bool) {
        self.memory = memory
        self.longest = longest
        self.readsWholeRows = readsWholeRows
    }

    var form: Form {
        get { chosenForm.withLock { $0 } }
        set { chosenForm.withLock { $0 = newValue } }
    }

    func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        .mergeRows(ofCopyAt: path, into: package)
    }

    // MARK: Reading

    func readAll(_ folders: [DeviceFolder]) -> LogLoad<LoadedStore, KeyValueNotes> {
        // Pending rows name devices by their current numbers.
        let known = memory.withLock { $0.cache.devices }
        let loader = StoreLoader.load(folders, numbering: known, longest: longest)
        let results = loader.results
        return LogLoad(whole: LoadedStore(loader), logs: results)
    }

    func read(
        _ db: Database, of device: DeviceID, after head: KeyValueHead?
    ) throws -> LogReading<LogUpdate, KeyValueNotes> {
        let format = try LogForm.detect(db, path: "the log").format
        if let head, head.format != format { return .replaced }
        let update: LogUpdate?
        switch format {
        case .tideline2:
            update = try TidelineLog.update(db, behind: head, longest: longest)
            try LogIdentity.check(update?.head.notes.claimant, isOf: device)
        case .parstore1:
            update =
                try ParstoreLog.update(db, behind: head, longest: longest)
                ?? comparison(db, of: device, with: head)
        }
        guard var update else { return .replaced }
        if readsWholeRows, !update.rows.isEmpty {
            update.wholeRows = try LogReader.rows(
                update.rows.map(\.id), in: db, of: device, longest: longest)
        }
        return .rows(update, update.head)
    }

    /// Reads the newest row of each key in a PARStore 1 log, for a comparison with the known rows.
    /// Used if the log has changes before its end.
    ///
    /// - Returns: `nil` if known rows are missing.
    private func comparison(
        _ db: Database, of device: DeviceID, with head: KeyValueHead?
    ) throws -> LogUpdate? {
        guard var update = try ParstoreLog.update(db, behind: nil, longest: longest), let head,
            update.head.rowCount >= head.rowCount
        else { return nil }
        update.isComparison = true
        update.reported = ReportedRows()
        update.count = update.head.rowCount - head.rowCount
        let isWhole = memory.withLock { memory in
            guard let number = memory.cache.knownNumber(of: device) else { return true }
            var found = 0
            for row in update.rows {
                let entry = row.key.withUnsafeBufferPointer { memory.cache.index(ofKey: $0) }
                guard let entry, let known = memory.cache.row(of: number, in: entry) else {
                    continue
                }
                if memory.cache.rows[Int(known)].timestamp > row.timestamp { return false }
                found += 1
            }
            return found >= memory.cache.keyCounts[Int(number)]
        }
        return isWhole ? update : nil
    }

    // MARK: Writing

    var creationSQL: String { form.creationSQL }

    func create(in db: Database, as device: DeviceID) throws {
        try form.create(in: db, as: device)
    }

    func check(_ db: Database, as device: DeviceID) throws {
        try form.check(db, as: device)
    }

    /// Appends rows, after rows that other processes of this device have appended.
    ///
    /// - Returns: The batch with its changed times and parents, if such rows made a change
    ///   necessary; otherwise `nil`.
    func append(
        _ draft: Draft, as device: DeviceID, behind head: inout KeyValueHead,
        _ others: inout LogUpdate, to db: Database
    ) throws -> Moved? {
        if others.isComparison { throw LogReplaced() }
        if let key = others.rows.first(where: { draft.exclusiveKeys.contains($0.key) })?.key {
            let name = String(decoding: key, as: UTF8.self)
            throw KeyValueError(
                .changedSinceRead,
                "\(name.quoted) was written by another process of this device in the meantime")
        }
        var end = try LogEnd(head, before: draft.batch, in: db)
        let own = draft.devices.firstIndex(of: device).map(DeviceNumber.init)
        let moved = draft.batch.following(&end, own: own)
        switch head.format {
        case .tideline2:
            head = try TidelineLog.append(
                moved ?? draft.batch, devices: draft.devices, own: own, behind: &others, to: db)
        case .parstore1:
            head = try ParstoreLog.append(moved ?? draft.batch, behind: others, to: db)
        }
        return moved.map { Moved(batch: $0, end: end) }
    }
}

extension KeyValueLog.Form {
    var creationSQL: String { format == .parstore1 ? ParstoreTemplate.creationSQL : "" }

    func create(in db: Database, as device: DeviceID) throws {
        switch format {
        case .tideline2: try TidelineLog.create(db, device)
        case .parstore1:
            guard let template else { throw LogReplaced() }
            try template.create(in: db)
        }
    }

    func check(_ db: Database, as device: DeviceID) throws {
        guard try LogForm.detect(db, path: "this device's log").format == format else {
            throw LogReplaced()
        }
        try LogIdentity.check(LogIdentity.fetch(from: db)?.device, isOf: device)
    }
}

/// The result of reading all logs, until it is moved to memory.
final class LoadedStore {
    private var loader: StoreLoader?

    init(_ loader: consuming StoreLoader) { self.loader = consume loader }

    /// Takes the result.
    ///
    /// - Returns: `nil` on the second call.
    func take() -> StoreLoader? { loader.take() }
}

extension Suggestion {
    /// Returns the suggestion for a copy of a log: merging its rows.
    package static func mergeRows(ofCopyAt path: String, into package: StorePackage) -> Self {
        Suggestion("merge its rows, then delete it", .mergeCopy, paths: [package.path, path])
    }
}

extension DatabaseKind {
    /// A device's log of keys and values.
    public static let logs = DatabaseKind(named: "Logs")
}
