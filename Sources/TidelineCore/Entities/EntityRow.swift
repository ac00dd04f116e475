import EntityStore
import Foundation
import Replication

/// An entity for lists and filters.
struct EntityRow {
    let record: EntityRecord
    /// The names of related entities, by identifier.
    var targets: [Name: String] = [:]

    /// The minimum width of the name column, which has priority over its neighbors.
    private static let nameWidth = 18
    /// The maximum number of properties with a column.
    private static let shownKeys = 24

    static let propertiesField = FilterField("properties", example: "properties:*ann*")
    private static let propertyPrefix = "property."
    private static let commonFields = flat(deviceName: \.name).filterFields

    /// Returns the schema of a list of all types.
    ///
    /// - Parameter keys: The properties that a filter may name.
    static func flat(
        keys: [String] = [], deviceName: @escaping @Sendable (DeviceID) -> String
    ) -> ListSchema<EntityRow> {
        let shown: [ListColumn<EntityRow>] = [
            ListColumn("name", "NAME", minimumWidth: nameWidth) { RowCell($0.record.name, .key) },
            ListColumn("type", "TYPE", minimumWidth: 4, width: 12) {
                RowCell($0.record.typeName, .label)
            },
            ListColumn(
                Column("properties", "PROPERTIES", minimumWidth: 12), propertiesField,
                value: { .texts([$0.propertiesText]) }
            ) { RowCell($0.propertiesText, value: CellValue($0.record.properties)) },
        ]
        return schema(
            shown + rest(deviceName) + keys.filter(hasField).map(hiddenProperty), deviceName)
    }

    /// Returns the schema of a table of one type, whose columns are properties.
    ///
    /// - Parameters:
    ///   - keys: The type's properties, most common first.
    ///   - sample: Some rows, for the widths and alignments of the columns.
    static func table(
        keys: [String], sample: [Row], deviceName: @escaping @Sendable (DeviceID) -> String
    ) -> ListSchema<EntityRow> {
        let keys = keys.filter { $0 != "name" }
        let name = ListColumn<EntityRow>("name", "NAME", minimumWidth: nameWidth) {
            RowCell($0.record.name == $0.record.identifier ? "" : $0.record.name, .key)
        }
        let shown = keys.prefix(shownKeys).enumerated().map { index, key in
            let cells = sample.compactMap { row in
                row.cells.indices.contains(index + 1) ? row.cells[index + 1] : nil
            }.filter { !$0.text.isEmpty }
            let isNumeric = !cells.isEmpty && cells.allSatisfy { $0.role == .number }
            return ListColumn<EntityRow>(
                Column(
                    "p:\(key)", key.uppercased(), fitting: cells.map(\.text),
                    alignment: isNumeric ? .trailing : .leading, isSortable: true),
                hasField(key) ? field(of: key) : nil, value: { $0.comparedValue(of: key) }
            ) { $0.cell(of: key) }
        }
        let others = keys.dropFirst(shownKeys).filter(hasField).map(hiddenProperty)
        return schema([name] + shown + others + rest(deviceName), deviceName)
    }

    private static func rest(
        _ deviceName: @escaping @Sendable (DeviceID) -> String
    ) -> [ListColumn<EntityRow>] {
        [
            ListColumn("device", "DEVICE", minimumWidth: 6, width: 14, isSortable: false) {
                RowCell($0.device.map(deviceName) ?? "", .device)
            },
            ListColumn("age", "AGE", width: 4, alignment: .trailing) {
                RowCell(instant: $0.record.modified)
            },
            ListColumn("identifier", "IDENTIFIER", minimumWidth: 8) {
                RowCell($0.record.identifier, .dim)
            },
        ]
    }

    /// Adds the fields that every list of entities has.
    private static func schema(
        _ columns: [ListColumn<EntityRow>],
        _ deviceName: @escaping @Sendable (DeviceID) -> String
    ) -> ListSchema<EntityRow> {
        let common: [ListColumn<EntityRow>] = [
            .field("name", example: "name:anna*") { .texts([$0.record.name]) },
            .field("type", example: "type:person") { .texts([$0.record.type]) },
            .field("id", example: "id:C41D*", aliases: ["identifier"]) {
                .texts([$0.record.identifier])
            },
            .field("device", .name, example: "device:ipad") {
                .texts($0.device.map { [deviceName($0), $0.name] } ?? [])
            },
            .field("age", .age, example: "age<10m") { .age($0.record.modified) },
            .conflict { !$0.record.conflicts.isEmpty },
        ]
        return ListSchema(
            common + columns, id: { RowID($0.record.identifier) },
            words: { $0.contains(where: $1) },
            mark: { row, entity in
                row.device = entity.device
                row.editedProperty = EntityContext.nameKey(of: entity.record)
                row.conflictCount = entity.record.conflicts.count
                row.isConflict = row.conflictCount > 0
            })
    }

    // MARK: Properties

    private static func hasField(_ key: String) -> Bool { !key.isEmpty && key != "name" }

    /// Returns the filter field of a property: its key, or another name if that is the name of a
    /// common field.
    private static func field(of key: String) -> FilterField {
        let isTaken = commonFields.contains {
            $0.name == key || $0.aliases.contains(key)
        }
        let name = isTaken ? propertyPrefix + key : key
        let special = FilterField.comparisonSigns + #"|()""#
        let isPlain = name.utf8.allSatisfy { $0 > 0x20 && !special.utf8.contains($0) }
        return FilterField(name, .value, example: "\(isPlain ? name : "\"\(name)\""):…")
    }

    private static func hiddenProperty(_ key: String) -> ListColumn<EntityRow> {
        .field(field(of: key)) { $0.comparedValue(of: key) }
    }

    private func comparedValue(of key: String) -> FilterValue {
        let values =
            (record.properties[value: key].map { [$0] } ?? []) + (record.further[key] ?? [])
        return .typed(
            texts: {
                values.flatMap { value in
                    // A relationship also matches the name of its target.
                    let target = value.relationship?.identifier
                    return [value.text] + (target.flatMap { targets[$0] }.map { [$0] } ?? [])
                }
            }, numbers: values.compactMap(\.asNumber),
            instant: values.lazy.compactMap(\.asInstant).first)
    }

    private func cell(of key: String) -> RowCell {
        guard let value = record.properties[value: key] else { return RowCell("", .dim) }
        return RowCell(text(value), value.role, value: CellValue(value))
    }

    private var propertiesText: String {
        let name = record.name
        return record.properties.filter {
            !EntityRecord.nameKeys.contains($0.key) || $0.property.value.string != name
        }.map { "\($0.key)=\(text($0.property.value))" }.joined(separator: "  ")
    }

    private func text(_ value: EntityValue) -> String {
        if let target = value.relationship?.identifier, let name = targets[target] {
            return "→ \(name)"
        }
        return value.shortText
    }

    /// The device that wrote the newest current value.
    private var device: DeviceID? {
        record.properties.max {
            ($0.property.datestamp ?? .distantPast) < ($1.property.datestamp ?? .distantPast)
        }?.property.device
    }

    private func contains(where test: (String) -> Bool) -> Bool {
        test(record.identifier) || test(record.type)
            || record.properties.contains { test($0.property.value.text) }
            || record.further.values.contains { $0.contains { test($0.text) } }
    }
}

extension EntityRecord {
    /// The properties that can name an entity, in order of preference.
    static let nameKeys = ["name", "title", "label"]

    /// The display name.
    var name: String {
        for key in Self.nameKeys {
            if case .string(let name)? = properties[value: key], !name.isEmpty { return name }
        }
        return identifier
    }

    /// The name in titles, summaries and messages. Long names are shortened.
    var title: String {
        let whole = name
        return whole.shortened(to: Self.longestTitle) ?? whole
    }

    private static let longestTitle = 200

    /// Returns the title of a property, as in the list of all conflicts: `Moby-Dick › stars`.
    func title(of property: String) -> String { "\(title) › \(property)" }

    /// The entities to which the entity is related.
    var targets: [EntityReference] {
        (properties.map(\.property.value) + further.values.joined()).compactMap(\.relationship)
    }

    fileprivate var typeName: String { type.isEmpty ? "(unknown)" : type }
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

    /// The value as previews show it. Texts are in quotation marks, as in the preview of a key.
    var shown: EditPreview.Value {
        if case .string(let text) = self {
            return EditPreview.Value("\"\(text)\"", whole: TypedText(self), isCut: false)
        }
        let isCut =
            switch self {
            case .data: true
            case .array, .dictionary: shortText.hasSuffix("…")
            default: false
            }
        return EditPreview.Value(shortText, whole: TypedText(self), isCut: isCut)
    }
}
