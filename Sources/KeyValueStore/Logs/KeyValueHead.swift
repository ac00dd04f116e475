import Foundation
import Replication

/// The state of a log of keys and values after reading it, in addition to the cursor.
struct KeyValueNotes: Sendable {
    let format: LogFormat
    /// PARStore 1 only: a number that changes if a row is added, deleted, or gets another
    /// timestamp.
    var fingerprint: Int64 = 0
    /// The numbers that the log uses for devices.
    var writers: [Int64: DeviceID] = [:]
    /// The device that the log names as its owner, if any.
    var claimant: DeviceID?
}

typealias KeyValueHead = LogHead<KeyValueNotes>

extension KeyValueHead {
    init(format: LogFormat, identity: UUID?) {
        self.init(
            form: format.rawValue,
            cursor: LogCursor(identity: identity, lastID: 0, mark: nil),
            notes: KeyValueNotes(format: format))
    }

    var format: LogFormat { notes.format }
    var identity: UUID? { cursor.identity }

    /// The last row's number, after which reading continues.
    var lastID: Int64 {
        get { cursor.lastID }
        set { cursor = LogCursor(identity: identity, lastID: newValue, mark: mark) }
    }

    /// The last row's timestamp.
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
        set {
            notes.writers = newValue
            if newValue.count > LogsCache.namedDeviceLimit { addRemark(Self.manyDevices) }
        }
    }

    /// The reason why reading stopped before missing rows.
    var gap: String? {
        get { stop?.message }
        set { stop = newValue.map { ReplicationError(.incomplete, $0) } }
    }

    /// Records that the file is damaged, and how much of it can be read.
    mutating func note(_ damage: ReplicationError) {
        stop = ReplicationError(
            .unreadable,
            "it is damaged: \(damage.message); "
                + (lastID == 0
                    ? "none of its rows can be read" : "its rows 1 to \(lastID) can be read"),
            cause: damage)
    }

    /// Whether rows were left out because of invalid times.
    var leavesOutTimes: Bool {
        get { remarks.contains(Timestamp.unrecordableProblem) }
        set {
            if newValue {
                addRemark(Timestamp.unrecordableProblem)
            } else {
                removeRemark(Timestamp.unrecordableProblem)
            }
        }
    }

    /// Records the parents of a row with `timestamp`. A row can't have seen later rows, except on
    /// the last day that timestamps can represent, when there may be no later time for the row.
    mutating func note(_ parents: some Sequence<CauseList.Cause>, of timestamp: Int64) {
        guard timestamp < Timestamp.lastDay.microseconds,
            parents.contains(where: { $0.timestamp > timestamp })
        else { return }
        addRemark(Self.futureClaims)
    }

    static let manyDevices =
        "its rows refer to more than \(LogsCache.namedDeviceLimit) devices; "
        + "those without a log are ignored"

    static let futureClaims =
        "some rows claim to have seen rows that were written later; these claims are ignored"
}
