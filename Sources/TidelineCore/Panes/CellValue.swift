public import EntityStore
public import KeyValueStore
import Replication

/// The value that a cell shows, for what its text does not tell: to be compared by, to be written
/// to a file.
public enum CellValue: Hashable, Sendable {
    case json(JSONValue)
    case propertyList(PropertyList)
    case entityValue(EntityValue)
    case properties(PropertyDictionary)
    /// The value of a row of a log; none where it removes.
    case row(LogRow)
    /// The values of several devices.
    case rows([LogRow])

    /// In the forms of the command line.
    ///
    /// - Complexity: O(*n*) in the size of the value, which may have to be decoded.
    public var json: JSONValue {
        switch self {
        case .json(let json): json
        case .propertyList(let value): .verbatim(value.description)
        case .entityValue(let value): .verbatim(value.json)
        case .properties(let properties):
            .object(
                Dictionary(
                    properties.map { (Name($0.key), JSONValue.verbatim($0.property.value.json)) },
                    uniquingKeysWith: { first, _ in first }))
        case .row(let row): Self.json(of: row)
        case .rows(let rows):
            .array(rows.map { ["device": .string($0.device.name), "value": Self.json(of: $0)] })
        }
    }

    private static func json(of row: LogRow) -> JSONValue {
        guard let value = (try? row.value()) ?? nil else { return .null }
        return .verbatim(value.description)
    }

    /// The number, where it is one.
    var number: Double? {
        switch self {
        case .json(.integer(let number)): Double(number)
        case .json(.unsigned(let number)): Double(number)
        case .json(.real(let number)): number
        case .propertyList(let value): value.number
        case .entityValue(let value): value.double
        case .row(let row): ((try? row.value()) ?? nil)?.number
        case .json, .properties, .rows: nil
        }
    }

    /// The text as it is, without quotation marks, where it is one.
    var string: String? {
        switch self {
        case .json(.string(let text)): text
        case .propertyList(.string(let text)): text
        case .entityValue(.string(let text)): text
        case .row(let row):
            if case .string(let text)? = (try? row.value()) ?? nil { text } else { nil }
        case .json, .propertyList, .entityValue, .properties, .rows: nil
        }
    }

    /// The instant, where it is one.
    var instant: Timestamp? {
        switch self {
        case .propertyList(.date(let date)): Timestamp(date)
        case .entityValue(.date(let instant)): instant
        case .row(let row):
            if case .date(let date)? = (try? row.value()) ?? nil { Timestamp(date) } else { nil }
        default: nil
        }
    }
}

extension PropertyList {
    /// The number, where it is one, as nearly as a real can have it.
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
}
