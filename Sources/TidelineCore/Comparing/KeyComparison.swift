import Foundation
import KeyValueStore
import Replication

/// The comparison of the keys of two stores, or of one store at two instants.
///
/// Both sides are read in the order of keys, a few at a time.
struct KeyComparison: Comparison {
    let from: DatedStore<KeyValueStore>
    let to: DatedStore<KeyValueStore>
    /// The comparison is limited to keys with this prefix.
    var prefix = ""

    func forEach(
        _ body: (StoreDifference) throws -> Void, warn: (ComparedSide, String) -> Void
    ) throws {
        var old = try KeyCursor(from, prefix: prefix)
        var new = try KeyCursor(to, prefix: prefix)
        let ends = LogEnds(
            newest: to.store.newestTimestampsByDevice(), instant: to.instant)
        try MergeJoin.forEach({ try old.next() }, { try new.next() }, by: { Name($0.row.key) }) {
            if let difference = try difference($0, $1, ends) { try body(difference) }
        }
        for (side, unread) in [(ComparedSide.from, old.unread), (.to, new.unread)] {
            for (device, problem) in unread.sorted(by: { $0.key < $1.key }) {
                warn(side, "the log of \(device) can't be read: \(problem)")
            }
        }
    }

    private func difference(
        _ from: KeyState?, _ to: KeyState?, _ ends: LogEnds
    ) throws -> StoreDifference? {
        guard let key = (from ?? to)?.row.key, try !isSame(from?.row, to?.row) else { return nil }
        return StoreDifference(
            .key(key), from: side(from), to: side(to),
            isLate: from.map { from in
                ends.lack(from.row.timestamp, of: from.row.device)
                    && to.map { $0.row.position < from.row.position } ?? true
            } ?? false)
    }

    /// Returns whether two rows provide the same value. A removed key equals a missing key.
    private func isSame(_ from: LogRow?, _ to: LogRow?) throws -> Bool {
        guard let from, !from.isDeletion, let to, !to.isDeletion else {
            return from?.isDeletion ?? true && to?.isDeletion ?? true
        }
        if from.isLeftInLog, to.isLeftInLog {
            guard from.byteCount == to.byteCount else { return false }
            if from.reference == to.reference { return true }
            return try self.from.store.bytes(of: from) == self.to.store.bytes(of: to)
        }
        if from.bytes == to.bytes { return true }
        // Programs may encode the same value differently, so compare values. Damaged values are
        // equal only if their bytes are.
        guard let old = try? from.value(), let new = try? to.value() else { return false }
        return old == new
    }

    private func side(_ state: KeyState?) -> StoreDifference.Side {
        StoreDifference.Side(
            state.flatMap { StoreDifference.Value($0.row) },
            device: state?.author ?? state?.row.device)
    }
}

/// The row that provides the state of a key. `author` is the device that wrote the value, if it
/// differs from the row's device.
private struct KeyState {
    let row: LogRow
    var author: DeviceID?
}

/// Reads the keys of a store in byte order, including removed keys.
private struct KeyCursor {
    private enum List {
        case present(KeyValueStore.EntryList)
        case past(KeyValueStore.PastEntryList)
    }

    private let store: KeyValueStore
    private let list: List
    private let count: Int
    private var position = 0
    private var read: ArraySlice<KeyState> = []
    /// The devices whose logs could not be read, with the reasons.
    private(set) var unread: [DeviceID: String] = [:]
    /// The number of keys to read at a time.
    private static let window = 256

    init(_ side: DatedStore<KeyValueStore>, prefix: String) throws {
        store = side.store
        if let instant = side.instant {
            let past = try store.entryList(at: instant, prefix: prefix, includesRemoved: true)
            (list, count, unread) = (.past(past), past.count, past.unread)
        } else {
            let present = store.entryList(prefix: prefix, includesRemoved: true)
            (list, count) = (.present(present), present.count)
        }
    }

    mutating func next() throws -> KeyState? {
        while read.isEmpty, position < count {
            let range = position..<min(position + Self.window, count)
            position = range.upperBound
            read = try states(range)[...]
        }
        return read.popFirst()
    }

    private mutating func states(_ range: Range<Int>) throws -> [KeyState] {
        switch list {
        case .present(let list):
            if let entries = store.entries(list, range) { return entries.compactMap(KeyState.init) }
        case .past(let list):
            if let (rows, problems) = try store.readableRows(list, range) {
                unread.merge(problems) { old, _ in old }
                return rows.map { KeyState(row: $0) }
            }
        }
        throw ReplicationError(.unreadable, "the store changed while it was compared")
    }
}

extension KeyState {
    /// Creates the state of an entry; `nil` for a store in memory, which has no rows.
    fileprivate init?(_ entry: KeyValueStore.Entry) {
        guard let device = entry.device else { return nil }
        row = LogRow(
            device: device, id: 0, timestamp: entry.timestamp, key: entry.key,
            bytes: entry.bytes.map { Data($0) }, byteCount: entry.byteCount)
        author = entry.author
    }
}

extension StoreDifference.Value {
    /// Creates the value of a row; `nil` for a removal.
    fileprivate init?(_ row: LogRow) {
        guard !row.isDeletion else { return nil }
        do {
            guard let value = try row.value() else { return nil }
            self.init(.verbatim(try value.json()), TypedText(value))
        } catch {
            let problem = row.isLeftInLog ? "\(error)" : "invalid value: \(error)"
            self.init(.null, text: "(\(problem))", problem: problem)
        }
    }
}
