import Foundation
import KeyValueStore
import Replication

/// A key with the row that wins for it, now or at an instant of the past.
struct KeyRow {
    let key: String
    let device: DeviceID?
    let timestamp: Timestamp
    let bytes: [UInt8]?
    var isConflict: Bool

    init(_ entry: KeyValueStore.Entry) {
        key = entry.key
        device = entry.device
        timestamp = entry.timestamp
        bytes = entry.bytes
        isConflict = entry.isConflict
    }

    init(_ row: LogRow) {
        key = row.key
        device = row.device
        timestamp = row.timestamp
        bytes = row.bytes.map { [UInt8]($0) }
        isConflict = false
    }

    /// The value; `nil` for a removal, and for bytes that are no value.
    var value: PropertyList? { bytes.flatMap { try? PropertyList(binary: $0) } }

    static let columns = [
        Column("key", "KEY", minimumWidth: 12, isSortable: true),
        Column("value", "VALUE", minimumWidth: 12),
        Column("type", "TYPE", width: 4, isSortable: true),
        Column("device", "DEVICE", minimumWidth: 6, width: 14, isSortable: true),
        Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
    ]

    static let fields = [
        FilterField("key", example: "key:note/*"), FilterField("value", example: "value~/^A/"),
        FilterField("type", example: "type:date"), FilterField("device", example: "device:ipad"),
        FilterField("age", example: "age<10m"), FilterField("size", example: "size>4k"),
        FilterField("conflict", example: "conflict:yes"),
    ]

    /// The row as a list shows it.
    func row(deviceName: (DeviceID) -> String) -> Row {
        let value = value
        let text: RowCell =
            switch (bytes, value) {
            case (nil, _): RowCell("removed", .deletion)
            case (_, nil): RowCell("\(bytes?.count ?? 0) bytes that are no value", .problem)
            case (_, let value?): RowCell(value.line, value.role)
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
        return text(of: field).map { [$0] } ?? []
    }

    func number(of field: String) -> Double? {
        switch field {
        case "age":
            Double(now.microseconds.subtractingReportingOverflow(row.timestamp.microseconds).0)
                / 1_000_000
        case "size": Double(row.bytes?.count ?? 0)
        case "value":
            switch row.value {
            case .integer(let number)?: Double(number)
            case .unsigned(let number)?: Double(number)
            case .real(let number)?: number
            default: nil
            }
        default: nil
        }
    }

    /// A string as it is, anything else as its line.
    private static func searchable(_ value: PropertyList) -> String {
        if case .string(let text) = value { text } else { value.line }
    }
}
