import Foundation
import GRDB
import Replication
import Synchronization

/// Appends rows to this device's log, in the form that the log has.
///
/// Used on the store's own queue only.
final class LogWriter: Sendable {
    /// What one transaction did.
    struct Outcome: Sendable {
        /// The log after it.
        let head: LogHead
        /// Rows that another process of this device had appended before it.
        let others: LogUpdate?
        /// The batch as it was written, where it had to be made to follow on what the log had.
        var moved: Moved?
    }

    /// A batch that follows on rows that its maker had not seen.
    struct Moved: Sendable {
        let batch: RowBatch
        let end: LogEnd
    }

    let format: LogFormat
    private let device: DeviceID
    private let database: LocalDatabase
    private let longest: Int

    /// - Parameter template: Where the tables of a PARStore 1 log come from if it has to be created.
    init(
        _ package: StorePackage, _ device: DeviceID, format: LogFormat,
        template: ParstoreTemplate?, patience: LockPatience = LockPatience(.seconds(5)),
        configuration: KeyValueStore.Configuration
    ) {
        self.format = format
        self.device = device
        longest = configuration.longestValue
        var options = LocalDatabase.Options()
        options.idleTime = configuration.closeDelay
        options.patience = patience
        options.scheduler = configuration.scheduler
        if format == .parstore1 { options.creationSQL = ParstoreTemplate.creationSQL }
        database = LocalDatabase(.logs, of: device, in: package, options: options) { database in
            let isNew = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
            guard isNew else {
                try database.refuseTriggers()
                guard try LogForm.detect(database, path: "This device's log").format == format
                else { throw LogReplaced() }
                try LogIdentity.check(LogIdentity.fetch(from: database)?.device, isOf: device)
                return
            }
            switch format {
            case .tideline2: try TidelineLog.create(database, device)
            case .parstore1:
                guard let template else { throw LogReplaced() }
                try template.create(in: database)
            }
        }
    }

    /// Appends a batch in one transaction, behind what other processes of this device appended.
    /// What the log's newest timestamp is, and what it has of the batch's keys, is read in the same
    /// transaction.
    ///
    /// - Parameters:
    ///   - devices: What the batch's numbers of devices stand for.
    ///   - old: What was read of the log; `nil` if it was not there.
    /// - Throws: `LogReplaced`, or `ReplicationError`, `.incomplete` where rows of the log are
    ///   missing; nothing is written then.
    func append(_ batch: RowBatch, devices: [DeviceID], behind old: LogHead?) throws -> Outcome {
        try database.write { database in
            let update =
                switch format {
                case .tideline2: try TidelineLog.update(database, behind: old, longest: longest)
                case .parstore1: try ParstoreLog.update(database, behind: old, longest: longest)
                }
            guard var others = update else { throw LogReplaced() }
            if let gap = others.head.gap { throw ReplicationError(.incomplete, gap) }
            var end = LogEnd(others)
            let own = devices.firstIndex(of: device).map(DeviceNumber.init)
            let moved = try batch.following(&end, own: own)
            let head =
                switch format {
                case .tideline2:
                    try TidelineLog.append(
                        moved ?? batch, devices: devices, own: own, behind: &others, to: database)
                case .parstore1:
                    try ParstoreLog.append(moved ?? batch, behind: others, to: database)
                }
            return Outcome(
                head: head, others: others.count > 0 ? others : nil,
                moved: moved.map { Moved(batch: $0, end: end) })
        }
    }

    /// Makes the log without a row.
    func create() throws { try database.write { _ in } }

    /// Puts rows with given timestamps into the log in one transaction.
    ///
    /// - Returns: How many the log did not have.
    func insert(_ rows: [LogRow], appendsOnly: Bool, path: String) throws -> Int {
        do {
            return try database.write { database in
                try LogInserter(database, path: path).insert(rows, appendsOnly: appendsOnly)
            }
        } catch is LogReplaced {
            throw ReplicationError(.unreadable, "\(path) has another form than it had")
        }
    }

    var isOpen: Bool { database.isOpen }

    func close() { database.close() }
}
