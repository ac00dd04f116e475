import EntityStore
import Foundation
import Replication

/// An entity for lists and filters.
struct EntityRow: FilterSubject {
    let record: EntityRecord
    let now: Timestamp
    let deviceName: (DeviceID) -> String
    /// The names of related entities, by identifier.
    var targets: [Name: String] = [:]

    /// The properties that can name an entity, in order of preference.
    static let nameKeys = ["name", "title", "label"]

    /// The minimum width of the name column, which has priority over its neighbours.
    static let nameWidth = 18

    static let flatColumns = [
        Column("name", "NAME", minimumWidth: nameWidth, isSortable: true),
        Column("type", "TYPE", minimumWidth: 4, width: 12, isSortable: true),
        Column("properties", "PROPERTIES", minimumWidth: 12),
        Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
        Column("device", "DEVICE", minimumWidth: 6, width: 14),
        Column("identifier", "IDENTIFIER", minimumWidth: 8, isSortable: true),
    ]

    static let fields = [
        FilterField("name", example: "name:anna*"), FilterField("type", example: "type:person"),
        FilterField("id", example: "id:C41D*", aliases: ["identifier"]),
        FilterField("device", .name, example: "device:ipad"),
        FilterField("age", .age, example: "age<10m"),
        FilterField("conflict", .choice(FilterField.yesNo), example: "conflict:yes"),
    ]

    /// The display name.
    var name: String {
        for key in Self.nameKeys {
            if case .string(let name)? = record.properties[value: key], !name.isEmpty {
                return name
            }
        }
        return record.identifier
    }

    /// The device that wrote the newest current value.
    var device: DeviceID? {
        record.properties.max {
            ($0.property.datestamp ?? .distantPast) < ($1.property.datestamp ?? .distantPast)
        }?.property.device
    }

    private var age: RowCell {
        RowCell(record.modified.iso8601, .timestamp, instant: record.modified)
    }

    /// The row for a list of all types.
    var flat: Row {
        let rest = record.properties.filter {
            !Self.nameKeys.contains($0.key) || $0.property.value.string != name
        }
        let text = rest.map { "\($0.key)=\(self.text($0.property.value))" }
            .joined(separator: "  ")
        return Row(
            id: RowID(record.identifier),
            cells: [
                RowCell(name, .key), RowCell(typeName, .label),
                RowCell(text, value: CellValue(record.properties)), age,
                RowCell(device.map(deviceName) ?? "", .device),
                RowCell(record.identifier, .dim),
            ], device: device, isConflict: isConflict, conflictCount: record.conflicts.count)
    }

    /// Whether one of its properties is in conflict.
    private var isConflict: Bool { !record.conflicts.isEmpty }

    private func text(_ value: EntityValue) -> String {
        if let target = value.relationship?.identifier, let name = targets[target] {
            return "→ \(name)"
        }
        return value.shortText
    }

    var typeName: String { record.type.isEmpty ? "(unknown)" : record.type }

    /// Returns the row for a table whose columns are properties.
    func table(keys: [String]) -> Row {
        var cells = [RowCell(name == record.identifier ? "" : name, .key)]
        for key in keys {
            guard let value = record.properties[value: key] else {
                cells.append(RowCell("", .dim))
                continue
            }
            cells.append(RowCell(text(value), value.role, value: CellValue(value)))
        }
        cells.append(age)
        cells.append(RowCell(device.map(deviceName) ?? "", .device))
        cells.append(RowCell(record.identifier, .dim))
        return Row(
            id: RowID(record.identifier), cells: cells, device: device, isConflict: isConflict,
            conflictCount: record.conflicts.count)
    }

    // MARK: Filters

    func contains(where test: (String) -> Bool) -> Bool {
        test(record.identifier) || test(record.type)
            || record.properties.contains { test($0.property.value.text) }
            || record.further.values.contains { $0.contains { test($0.text) } }
    }

    func text(of field: String) -> String? {
        switch field {
        case "name": name
        case "type": record.type
        case "id": record.identifier
        case "device": device.map(deviceName)
        case "properties": flat.cells[2].text
        case "conflict": isConflict ? "yes" : "no"
        default: values(of: field).first?.text
        }
    }

    func texts(of field: String) -> [String] {
        switch field {
        case "name", "type", "id", "properties", "conflict": text(of: field).map { [$0] } ?? []
        case "device": device.map { [deviceName($0), $0.name] } ?? []
        default:
            values(of: field).flatMap { value in
                // A relationship also matches the name of its target.
                let target = value.relationship?.identifier
                return [value.text] + (target.flatMap { targets[$0] }.map { [$0] } ?? [])
            }
        }
    }

    /// Returns the values of the property that a filter field names.
    private func values(of field: String) -> [EntityValue] {
        let key = Self.key(of: field)
        return (record.properties[value: key].map { [$0] } ?? []) + (record.further[key] ?? [])
    }

    /// Returns the filter field of a property: its key, unless that is the name of a common field.
    static func field(of key: String) -> FilterField {
        let isTaken = (fields + [propertiesField]).contains {
            $0.name == key || $0.aliases.contains(key)
        }
        let name = isTaken ? propertyPrefix + key : key
        let isPlain = name.utf8.allSatisfy { $0 > 0x20 && !#":=~<>|()""#.utf8.contains($0) }
        return FilterField(
            name, .value, example: "\(isPlain ? name : "\"\(name)\""):…")
    }

    static let propertiesField = FilterField("properties", example: "properties:*ann*")
    private static let propertyPrefix = "property."

    private static func key(of field: String) -> String {
        field.hasPrefix(propertyPrefix) ? String(field.dropFirst(propertyPrefix.count)) : field
    }

    func number(of field: String) -> Double? {
        field == "age" ? now.seconds(since: record.modified) : numbers(of: field).first
    }

    func numbers(of field: String) -> [Double] {
        if field == "age" { return [now.seconds(since: record.modified)] }
        return values(of: field).compactMap(\.double)
    }

    func instant(of field: String) -> Timestamp? {
        for case .date(let instant) in values(of: field) { return instant }
        return nil
    }
}

extension EntityValue {
    /// The value in one line, for lists.
    var shortText: String {
        switch self {
        case .relationship(let target): return "→ \(target)"
        case .data(let data): return Counted.text(data.count, "byte")
        case .array, .dictionary:
            let json = self.json
            return json.utf8.count > 200 ? json.prefix(200) + "…" : json
        default: return text
        }
    }

    /// The value as a preview shows it.
    var shown: EditPreview.Value {
        let isCut =
            switch self {
            case .data: true
            case .array, .dictionary: shortText.hasSuffix("…")
            default: false
            }
        return EditPreview.Value(shortText, whole: TypedText(self), isCut: isCut)
    }

    var role: TextRole {
        switch self {
        case .string: .string
        case .integer, .double: .number
        case .boolean: .boolean
        case .date: .date
        case .data: .data
        case .relationship: .link
        case .array, .dictionary: .collection
        }
    }
}
