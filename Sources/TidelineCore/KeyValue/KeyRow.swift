import Foundation
import KeyValueStore
import Replication

/// A key with the row whose value it has, now or at an instant of the past.
struct KeyRow {
    let key: String
    private(set) var device: DeviceID?
    private(set) var timestamp: Timestamp
    /// `nil` for a removal, and for a long value, which is not read.
    let bytes: [UInt8]?
    let byteCount: Int
    var isConflict: Bool

    init(_ entry: KeyValueStore.Entry) {
        key = entry.key
        device = entry.author
        timestamp = entry.authored
        bytes = entry.bytes
        byteCount = entry.byteCount
        isConflict = entry.isConflict
    }

    init(_ row: LogRow) {
        key = row.key
        device = row.device
        timestamp = row.timestamp
        bytes = row.bytes.map { [UInt8]($0) }
        byteCount = row.byteCount
        isConflict = false
    }

    /// Takes note of the keys that were in conflict, with the rows whose values they had.
    mutating func note(_ conflicts: [Name: LogRow.Reference]) {
        guard let original = conflicts[Name(key)] else { return }
        isConflict = true
        (device, timestamp) = (original.device, original.timestamp)
    }

    /// The value; `nil` for a removal, and for bytes that are not a value.
    var value: PropertyList? { bytes.flatMap { try? PropertyList(binary: $0) } }

    static let columns = [
        Column("key", "KEY", minimumWidth: 12, isSortable: true),
        Column("value", "VALUE", minimumWidth: 12, isSortable: true),
        Column("type", "TYPE", width: 4, isSortable: true),
        Column("device", "DEVICE", minimumWidth: 6, width: 14, isSortable: true),
        Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
    ]

    /// The names of the types, as the list shows them and as they are called elsewhere.
    static let types = PropertyList.kindNames.flatMap { $0 }

    static let fields = [
        FilterField("key", example: "key:note/*"),
        FilterField("value", .value, example: "value~/^a/i"),
        FilterField("type", .choice(types), example: "type:date"),
        FilterField("device", .name, example: "device:ipad"),
        FilterField("age", .age, example: "age<10m"),
        FilterField("size", .size, example: "size>4k"),
        FilterField("conflict", .choice(FilterField.yesNo), example: "conflict:yes"),
    ]

    /// The row as a list shows it.
    func row(deviceName: (DeviceID) -> String) -> Row {
        let value = value
        let text: RowCell =
            switch (bytes, value) {
            case (nil, _) where byteCount > 0:
                RowCell(PropertyList.line(ofByteCount: byteCount), .dim)
            case (nil, _): RowCell("removed", .deletion)
            case (_, nil):
                RowCell("\(Counted.text(byteCount, "byte")) that are not a value", .problem)
            case (_, let value?): RowCell(value.line, value.role, value: CellValue(value))
            }
        return Row(
            id: RowID(key),
            cells: [
                RowCell(key, .key), text, RowCell(value?.shortKind ?? "-", .dim),
                RowCell(device.map(deviceName) ?? "", .device),
                RowCell(timestamp.iso8601, .timestamp, instant: timestamp),
            ], device: device, isConflict: isConflict)
    }
}

/// A key as a filter sees it.
struct KeySubject: FilterSubject {
    let row: KeyRow
    let now: Timestamp
    let deviceName: (DeviceID) -> String

    func contains(where test: (String) -> Bool) -> Bool {
        test(row.key) || (row.value.map { test(Self.searchable($0)) } ?? false)
    }

    func text(of field: String) -> String? {
        switch field {
        case "key": row.key
        case "value": row.value.map(Self.searchable)
        case "type": row.value?.kind
        case "conflict": row.isConflict ? "yes" : "no"
        default: nil
        }
    }

    func texts(of field: String) -> [String] {
        if field == "device" { return row.device.map { [deviceName($0), $0.name] } ?? [] }
        if field == "type" { return row.value.map { [$0.kind, $0.shortKind] } ?? [] }
        return text(of: field).map { [$0] } ?? []
    }

    func number(of field: String) -> Double? {
        switch field {
        case "age":
            now.seconds(since: row.timestamp)
        case "size": Double(row.byteCount)
        case "value": row.value?.asNumber
        default: nil
        }
    }

    func instant(of field: String) -> Timestamp? {
        guard field == "value", case .date(let date)? = row.value else { return nil }
        return Timestamp(date)
    }

    /// A string as it is, anything else as its line.
    private static func searchable(_ value: PropertyList) -> String {
        if case .string(let text) = value { text } else { value.line }
    }
}
