import Foundation
import KeyValueStore
import Replication

/// A key with the row of its value, now or at an instant of the past.
struct KeyRow {
    let key: String
    private(set) var device: DeviceID?
    private(set) var timestamp: Timestamp
    /// `nil` for a deletion, and for a long value, which isn't loaded.
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

    /// Records the keys in conflict, with the original rows of their values.
    mutating func note(_ conflicts: [Name: LogRow.Reference]) {
        guard let original = conflicts[Name(key)] else { return }
        isConflict = true
        (device, timestamp) = (original.device, original.timestamp)
    }

    /// The value; `nil` for a deletion and for invalid bytes.
    var value: PropertyList? { bytes.flatMap { try? PropertyList(binary: $0) } }

    static let columns = [
        Column("key", "KEY", minimumWidth: 12, isSortable: true),
        Column("value", "VALUE", minimumWidth: 12, isSortable: true),
        Column("type", "TYPE", width: 7, isSortable: true),
        Column("device", "DEVICE", minimumWidth: 6, width: 14, isSortable: true),
        Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
    ]

    /// The type names that a filter accepts.
    static let types = PropertyList.typeNames.flatMap { $0 }

    static let fields = [
        FilterField("key", example: "key:note/*"),
        FilterField("value", .value, example: "value~/^a/i"),
        FilterField("type", .choice(types), example: "type:date"),
        FilterField("device", .name, example: "device:ipad"),
        FilterField("age", .age, example: "age<10m"),
        FilterField("size", .size, example: "size>4k"),
        FilterField("conflict", .choice(FilterField.yesNo), example: "conflict:yes"),
    ]

    /// Returns the row as a list shows it.
    func row(deviceName: (DeviceID) -> String) -> Row {
        let value = value
        let text: RowCell =
            switch (bytes, value) {
            case (nil, _) where byteCount > 0:
                RowCell(PropertyList.line(ofByteCount: byteCount), .dim)
            case (nil, _): RowCell("deleted", .deletion)
            case (_, nil):
                RowCell("invalid value (\(Counted.text(byteCount, "byte")))", .problem)
            case (_, let value?): RowCell(value.line, value.role, value: CellValue(value))
            }
        return Row(
            id: RowID(key),
            cells: [
                RowCell(key, .key), text, RowCell(value?.typeName ?? "-", .dim),
                RowCell(device.map(deviceName) ?? "", .device),
                RowCell(timestamp.iso8601, .timestamp, instant: timestamp),
            ], device: device, isConflict: isConflict)
    }
}

/// A key for the filter.
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
        case "type": row.value?.typeName
        case "conflict": row.isConflict ? "yes" : "no"
        default: nil
        }
    }

    func texts(of field: String) -> [String] {
        if field == "device" { return row.device.map { [deviceName($0), $0.name] } ?? [] }
        if field == "type" { return row.value?.typeNames ?? [] }
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

    /// Returns the text of a string, or the line of any other value.
    private static func searchable(_ value: PropertyList) -> String {
        if case .string(let text) = value { text } else { value.line }
    }
}
