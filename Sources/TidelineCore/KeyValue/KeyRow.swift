import Foundation
import KeyValueStore
import Replication

/// A key with the row of its value, now or at an instant of the past.
struct KeyRow: FolderItem {
    let key: String
    private(set) var device: DeviceID?
    private(set) var timestamp: Timestamp
    /// The bytes of the value; `nil` for a deletion, and for a long value, which isn't loaded.
    let bytes: [UInt8]?
    let byteCount: Int
    var isConflict: Bool
    var path: String { key }

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

    /// Marks the row if its key is in conflict. A marked row has the device and time of the log row
    /// that wrote the value.
    ///
    /// - Parameter conflicts: For each key in conflict, the row that wrote its value.
    mutating func note(_ conflicts: [Name: LogRow.Reference]) {
        guard let original = conflicts[Name(key)] else { return }
        isConflict = true
        (device, timestamp) = (original.device, original.timestamp)
    }

    /// The value; `nil` for a deletion and for invalid bytes.
    var value: PropertyList? { decoded ?? bytes.flatMap { try? PropertyList(binary: $0) } }
    private var decoded: PropertyList??

    /// Returns the row with its value decoded, so that its cells don't decode the value again.
    func decodingValue() -> KeyRow {
        var row = self
        row.decoded = .some(value)
        return row
    }

    /// The type names that a filter accepts.
    static let types = PropertyList.typeNames.flatMap { $0 }

    static func schema(
        deviceName: @escaping @Sendable (DeviceID) -> String
    ) -> ListSchema<KeyRow> {
        ListSchema(
            [
                ListColumn(
                    "key", "KEY", minimumWidth: 12, example: "key:note/*",
                    order: .by { NaturalText($0.key) }
                ) { RowCell($0.key, .key) },
                ListColumn(
                    "value", "VALUE", minimumWidth: 12, .value, example: "value~/^a/i",
                    value: \.comparedValue, order: .by { ValueOrder($0.value) }, cell: \.valueCell),
                ListColumn(
                    "type", "TYPE", width: 7, .choice(types), example: "type:date",
                    value: \.comparedTypes, order: .by { $0.value?.typeName ?? "" }
                ) { RowCell($0.value?.typeName ?? "-", .dim) },
                .device(
                    minimumWidth: 6, width: 14, id: \.device,
                    name: { $0.device.map(deviceName) ?? "" }),
                .age(example: "age<10m") { $0.timestamp },
                .field(sizeField) { .number(Double($0.byteCount)) },
                .conflict(\.isConflict),
            ], id: { RowID($0.key) }, words: { $0.contains(where: $1) },
            mark: { row, key in
                row.device = key.device
                row.isConflict = key.isConflict
                row.conflictCount = key.isConflict ? 1 : 0
            })
    }

    /// The value in one line.
    var valueCell: RowCell {
        switch (bytes, value) {
        case (nil, _) where byteCount > 0:
            RowCell(PropertyList.line(ofByteCount: byteCount), .dim)
        case (nil, _): RowCell("deleted", .deletion)
        case (_, nil): RowCell("invalid value (\(Counted.text(byteCount, "byte")))", .problem)
        case (_, let value?): RowCell(value.line, value.role, value: CellValue(value))
        }
    }

    // MARK: Filters

    static let sizeField = FilterField("size", .size, example: "size>4k")

    /// Returns whether the key or the value satisfies a test, for filter terms without a field.
    func contains(where test: (String) -> Bool) -> Bool {
        test(key) || (value.map { test(Self.searchable($0)) } ?? false)
    }

    var comparedValue: FilterValue {
        guard let value else { return .texts([]) }
        return .typed(
            texts: { [Self.searchable(value)] }, numbers: value.asNumber.map { [$0] } ?? [],
            instant: value.asInstant)
    }

    var comparedTypes: FilterValue { .texts(value?.typeNames ?? []) }

    /// Returns the text of a string, or the line of any other value.
    private static func searchable(_ value: PropertyList) -> String {
        if case .string(let text) = value { text } else { value.line }
    }
}
