import Foundation
import LosslessJSON
import Replication

/// One operation of a write, which becomes a row.
struct EntityOperation: Equatable, Sendable, Codable {
    enum Action: Equatable, Sendable, Codable {
        case creation(type: String)
        case entry(key: String, value: EntityValue, tag: String?)
        case removal(key: String, cover: EntityRowBatch.Cover)
        case deletion

        /// Whether the latest row of this kind wins by its time alone.
        var isOrdered: Bool {
            switch self {
            case .creation, .deletion: true
            case .entry, .removal: false
            }
        }
    }

    /// The maximum length of an entity's value, in bytes. Store longer values as blobs; longer
    /// values in a log aren't read.
    static let longestValue = 16 << 20

    @Name var identifier: String
    var action: Action
    /// The datestamp, if it differs from the time of the write.
    var date: Timestamp?
    /// The minimum datestamp, if ``date`` is `nil`. It makes a new value win over a value with a
    /// datestamp in the future.
    var notBefore: Timestamp?
    /// Whether this value replaces the property's earlier values.
    var isReplacing = false
    /// Whether a creation fails if another process of this device has created the entity since the
    /// log was read. `nil` means `false`, because records of earlier versions lack this member.
    var mustBeNew: Bool?
    /// For a restored entry that was set, not added: the causes that make it a side of the conflict
    /// again.
    var side: Side?

    /// The causes of a restored value. They make the value a side of the same conflict as before,
    /// with the same base and author.
    struct Side: Equatable, Sendable, Codable {
        /// The entry that had the value first, if the value was in conflict. If `nil`, the device
        /// that restores the value counts as its author.
        var original: PropertyEntry.ID?
        /// Per device, the last row of the property that the value's first writer had seen.
        var seen: [DeviceID: UInt32] = [:]
    }
}

extension EntityOperation {
    /// Returns the datestamp of a row written at `timestamp`.
    ///
    /// If a set value replaces a value with a datestamp far in the future, the row's datestamp is
    /// still the time of its write, because it names the replaced value explicitly.
    fileprivate func datestamp(writtenAt timestamp: Timestamp) -> Timestamp {
        if let date { return date }
        guard let notBefore else { return timestamp }
        let isFarAhead = notBefore > HybridClock.limit(at: timestamp)
        return isReplacing && isFarAhead ? timestamp : max(timestamp, notBefore)
    }
}

/// An encoder of operations as rows: it numbers names and encodes values.
struct RowEncoder {
    private var names: StringTable
    /// The numbers in the device's list of names, by number in `names`.
    private var ids: [UInt32]
    private var nextName: UInt32
    private(set) var nextRow: UInt32

    init() {
        names = StringTable()
        ids = [0]
        nextName = 1
        nextRow = 1
    }

    /// A state to restore if the encoded rows could not be written.
    struct Mark {
        fileprivate let names: Int
        fileprivate let nextName: UInt32
        fileprivate let nextRow: UInt32
    }

    var mark: Mark { Mark(names: names.count, nextName: nextName, nextRow: nextRow) }

    mutating func rollBack(to mark: Mark) {
        names.truncate(to: mark.names)
        ids.removeSubrange(min(mark.names, ids.count)...)
        nextName = mark.nextName
        nextRow = mark.nextRow
    }

    /// Records rows that are in the device's log already.
    mutating func observe(_ batch: EntityRowBatch) {
        names.reserve(batch.names.count)
        for name in batch.names {
            // If a name occurs twice, its first number is used.
            if Int(names.intern(name)) == ids.count { ids.append(nextName) }
            nextName += 1
        }
        let last = max(batch.lastRow, batch.rows.last?.id ?? 0)
        if last > 0 { nextRow = last + 1 }
    }

    /// Encodes the operations of one write.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for a value that has no encoding.
    mutating func encode(
        _ operations: [EntityOperation], device: DeviceID, timestamp: Timestamp
    ) throws(EntityStoreError) -> EntityRowBatch {
        try encode(operations.map { ($0, timestamp) }, device: device)
    }

    /// Encodes operations of different times.
    ///
    /// - Throws: As ``encode(_:device:timestamp:)``.
    mutating func encode(
        _ operations: [(operation: EntityOperation, timestamp: Timestamp)], device: DeviceID
    ) throws(EntityStoreError) -> EntityRowBatch {
        guard operations.count < Int(UInt32.max) / 2 - Int(nextRow) else {
            throw EntityStoreError(.invalidValue, "the log can't hold more rows")
        }
        var batch = EntityRowBatch(device: device)
        batch.rows.reserveCapacity(operations.count)
        for (operation, timestamp) in operations { try encode(operation, timestamp, &batch) }
        return batch
    }

    private mutating func encode(
        _ operation: EntityOperation, _ timestamp: Timestamp, _ batch: inout EntityRowBatch
    ) throws(EntityStoreError) {
        let date = operation.datestamp(writtenAt: timestamp)
        guard timestamp.isRecordable, date.isRecordable else {
            throw EntityStoreError(
                .timeOutOfRange,
                "the datestamp \(date.iso8601) of \(operation.identifier.quoted) is "
                    + "not within the years 1 to 9999")
        }
        let entity = number(operation.identifier, &batch)
        var row = EntityRowBatch.Row(
            id: nextRow, entity: entity, timestamp: timestamp.microseconds,
            date: date.microseconds, operation: .deletion)
        switch operation.action {
        case .deletion: break
        case .creation(let type):
            row.operation = .creation
            row.tag = number(type, &batch)
        case .removal(let key, let cover):
            row.operation = .removal
            row.key = number(key, &batch)
            row.payload = UInt64(batch.covers.count)
            batch.covers.append(cover)
        case .entry(let key, let value, let tag):
            row.operation = .entry
            row.kind = value.kind
            row.key = number(key, &batch)
            if let tag, tag != value.kind.name { row.tag = number(tag, &batch) }
            try encode(value, &row, &batch)
        }
        batch.rows.append(row)
        nextRow += 1
    }

    private mutating func number(_ name: String, _ batch: inout EntityRowBatch) -> UInt32 {
        if name.isEmpty { return 0 }
        let number = Int(names.intern(name))
        if number == ids.count {
            ids.append(nextName)
            nextName += 1
            batch.names.append(name)
        }
        return ids[number]
    }

    private mutating func encode(
        _ value: EntityValue, _ row: inout EntityRowBatch.Row, _ batch: inout EntityRowBatch
    ) throws(EntityStoreError) {
        switch value {
        case .integer(let number): row.payload = UInt64(bitPattern: number)
        case .double(let number): row.payload = number.bitPattern
        case .boolean(let flag): row.payload = flag ? 1 : 0
        case .date(let date): row.payload = UInt64(bitPattern: date.microseconds)
        case .relationship(let reference):
            guard let target = reference.identifier, !target.isEmpty else {
                throw EntityStoreError(.invalidValue, "a relationship has no target")
            }
            row.payload = UInt64(number(target, &batch))
        case .string(let text): try append(text.utf8, &row, &batch)
        case .data(let data): try append(data, &row, &batch)
        case .array, .dictionary:
            var writer = JSONWriter()
            try value.writeJSON(to: &writer)
            try append(writer.bytes, &row, &batch)
        }
    }

    private func append(
        _ bytes: some Collection<UInt8>, _ row: inout EntityRowBatch.Row,
        _ batch: inout EntityRowBatch
    ) throws(EntityStoreError) {
        guard bytes.count <= EntityOperation.longestValue else {
            throw EntityStoreError(
                .invalidValue,
                "a value is longer than \(EntityOperation.longestValue) bytes: store it as a blob")
        }
        row.payload = UInt64(batch.bytes.count)
        row.length = UInt32(bytes.count)
        batch.bytes.append(contentsOf: bytes)
    }
}
