import EntityStore
import Foundation
import Replication

/// An entity as lists show it and filters see it.
struct EntityRow: FilterSubject {
    let record: EntityRecord
    let now: Timestamp
    let deviceName: (DeviceID) -> String
    /// What to call the entities that it points to, by identifier.
    var targets: [Name: String] = [:]

    /// The properties that name an entity, in the order in which they are looked for.
    static let nameKeys = ["name", "title", "label"]

    static let flatColumns = [
        Column("name", "NAME", minimumWidth: 10, isSortable: true),
        Column("type", "TYPE", minimumWidth: 4, width: 12, isSortable: true),
        Column("properties", "PROPERTIES", minimumWidth: 12),
        Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
        Column("device", "DEVICE", minimumWidth: 6, width: 12),
        Column("identifier", "IDENTIFIER", minimumWidth: 8, width: 20, isSortable: true),
    ]

    static let fields = [
        FilterField("type", example: "type:person"), FilterField("id", example: "id:C41D*"),
        FilterField("device", example: "device:ipad"), FilterField("age", example: "age<10m"),
    ]

    /// What to call the entity.
    var name: String {
        for key in Self.nameKeys {
            if case .string(let name)? = record.properties[value: key], !name.isEmpty {
                return name
            }
        }
        return record.identifier
    }

    /// Who wrote the newest of its current values.
    var device: DeviceID? {
        record.properties.max {
            ($0.property.datestamp ?? .distantPast) < ($1.property.datestamp ?? .distantPast)
        }?.property.device
    }

    private var age: RowCell {
        RowCell(record.modified.iso8601, .timestamp, instant: record.modified)
    }

    /// The row of a list of all types.
    var flat: Row {
        let rest = record.properties.filter {
            !Self.nameKeys.contains($0.key) || $0.property.value.string != name
        }
        let text = rest.map { "\($0.key)=\(self.text($0.property.value))" }
            .joined(separator: "  ")
        return Row(
            id: RowID(record.identifier),
            cells: [
                RowCell(name, .key), RowCell(typeName, .label), RowCell(text), age,
                RowCell(device.map(deviceName) ?? "", .device),
                RowCell(record.identifier, .dim),
            ], device: device)
    }

    private func text(_ value: EntityValue) -> String {
        if let target = value.relationship?.identifier, let name = targets[target] {
            return "→ \(name)"
        }
        return value.shortText
    }

    var typeName: String { record.type.isEmpty ? "(unknown)" : record.type }

    /// The row of a table whose columns are properties.
    func table(keys: [String]) -> Row {
        var cells = [RowCell(name == record.identifier ? "" : name, .key)]
        for key in keys {
            guard let value = record.properties[value: key] else {
                cells.append(RowCell("", .dim))
                continue
            }
            cells.append(RowCell(text(value), value.role))
        }
        cells.append(age)
        cells.append(RowCell(device.map(deviceName) ?? "", .device))
        cells.append(RowCell(record.identifier, .dim))
        return Row(id: RowID(record.identifier), cells: cells, device: device)
    }

    // MARK: Filters

    func contains(where test: (String) -> Bool) -> Bool {
        test(record.identifier) || test(record.type)
            || record.properties.contains { test($0.property.value.text) }
            || record.further.values.contains { $0.contains { test($0.text) } }
    }

    /// Every value of a property, the newest first.
    func texts(of field: String) -> [String] {
        (text(of: field).map { [$0] } ?? []) + (record.further[field] ?? []).map(\.text)
    }

    func numbers(of field: String) -> [Double] {
        (number(of: field).map { [$0] } ?? []) + (record.further[field] ?? []).compactMap(\.double)
    }

    func text(of field: String) -> String? {
        switch field {
        case "type": record.type
        case "id", "identifier": record.identifier
        case "device": device.map(deviceName)
        case "conflict": "no"
        default: record.properties[value: field]?.text
        }
    }

    func number(of field: String) -> Double? {
        if field == "age" {
            let (age, overflow) = now.microseconds.subtractingReportingOverflow(
                record.modified.microseconds)
            return overflow ? nil : Double(age) / 1_000_000
        }
        return record.properties[value: field]?.double
    }
}

extension EntityValue {
    /// One line for a list.
    var shortText: String {
        switch self {
        case .relationship(let target): return "→ \(target)"
        case .data(let data): return "\(data.count) bytes"
        case .array, .dictionary:
            let json = self.json
            return json.utf8.count > 200 ? json.prefix(200) + "…" : json
        default: return text
        }
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
