import Foundation
import Replication

/// What is remembered of a log of keys and values, beside how far it was read.
struct KeyValueNotes: Sendable {
    let format: LogFormat
    /// PARStore 1 only: changes when a row appears, goes or changes its timestamp anywhere.
    var fingerprint: Int64 = 0
    /// The numbers by which the log names devices.
    var writers: [Int64: DeviceID] = [:]
    /// The device that the log says it belongs to; `nil` where it says nothing.
    var claimant: DeviceID?
}

typealias KeyValueHead = LogHead<KeyValueNotes>

extension KeyValueHead {
    init(format: LogFormat, identity: UUID?, lastID: Int64 = 0, rowCount: Int = 0) {
        self.init(
            form: format.rawValue,
            cursor: LogCursor(identity: identity, lastID: lastID, mark: nil),
            notes: KeyValueNotes(format: format))
        self.rowCount = rowCount
    }

    var format: LogFormat { notes.format }
    var identity: UUID? { cursor.identity }

    /// The last row's number; reading goes on behind it.
    var lastID: Int64 {
        get { cursor.lastID }
        set { cursor = LogCursor(identity: identity, lastID: newValue, mark: mark) }
    }

    /// That row's timestamp.
    var mark: Int64? {
        get { cursor.mark }
        set { cursor = LogCursor(identity: identity, lastID: lastID, mark: newValue) }
    }

    var fingerprint: Int64 {
        get { notes.fingerprint }
        set { notes.fingerprint = newValue }
    }

    var writers: [Int64: DeviceID] {
        get { notes.writers }
        set { notes.writers = newValue }
    }

    /// Why reading stopped before rows that are missing.
    var gap: String? {
        get { stop?.message }
        set { stop = newValue.map { ReplicationError(.incomplete, $0) } }
    }

    /// Says that the file is damaged, and how much of it is read all the same.
    mutating func note(_ damage: ReplicationError) {
        stop = ReplicationError(
            .unreadable,
            "it is damaged: \(damage.message); "
                + (lastID == 0
                    ? "no row of it can be read" : "its rows 1 to \(lastID) can be read"),
            cause: damage)
    }

    /// Whether it has times that no row can have; what stands at them is left out.
    var leavesOutTimes: Bool {
        get { remark != nil }
        set { remark = newValue ? Timestamp.unrecordableProblem : nil }
    }
}
