import GRDB
import Replication
import Synchronization

/// One device's log, wherever it lies, which is read only.
final class LogFileBacking: EntityBacking {
    let ownDevice: DeviceID? = nil
    private let path: String
    private let state = Mutex(State())

    private struct State {
        var stamp: FileStamp?
        var cursor = LogCursor.start
        var nameCount = 0
        var status: EntityDeviceStatus?
    }

    init(path: String) { self.path = path }

    var isThere: Bool { (try? FileStamp(ofFileAt: path)) != nil }

    func read() throws -> BackingRead {
        try state.withLock { state in
            let (cursor, nameCount) = (state.cursor, state.nameCount)
            let outcome = try ForeignDatabase.read(path, unless: state.stamp) {
                try Self.rows($0, from: cursor, nameCount: nameCount)
            }
            guard case .read(let rows, let stamp) = outcome else {
                return BackingRead(devices: state.status.map { [$0] } ?? [])
            }
            let isAnew = rows.isAnew && cursor != .start
            let status = EntityDeviceStatus(
                device: rows.batch.device,
                state: rows.problem == nil
                    ? .ok : rows.problem?.code == .incomplete ? .incomplete : .unreadable,
                problem: rows.problem?.message, rowCount: Int(rows.cursor.lastID),
                newest: rows.cursor.mark.map { Timestamp(microseconds: $0) },
                byteCount: stamp.byteCount)
            state = State(
                stamp: stamp, cursor: rows.cursor,
                nameCount: (isAnew ? 0 : nameCount) + rows.batch.names.count, status: status)
            return BackingRead(isAnew: isAnew, batches: [rows.batch], devices: [status])
        }
    }

    func readAll() throws -> [RowBatch] {
        let outcome = try ForeignDatabase.read(path) {
            try Self.rows($0, from: .start, nameCount: 0)
        }
        guard case .read(let rows, _) = outcome else { return [] }
        return [rows.batch]
    }

    private static func rows(
        _ db: Database, from cursor: LogCursor, nameCount: Int
    ) throws -> EntityLogReader.Outcome {
        let device = try EntityLogSchema.identity(in: db).device
        return try EntityLogReader.read(db, device: device, from: cursor, nameCount: nameCount)
    }

    func append(
        _ operations: [EntityOperation], timestamp: Timestamp
    ) throws -> BackingAppend {
        throw EntityStoreError(.readOnly, "\(path) is read alone; its package can be written")
    }

    func watch(_ wake: @escaping @Sendable () -> Void) {}

    func close() {}
}
