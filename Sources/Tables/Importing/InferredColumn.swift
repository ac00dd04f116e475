import LosslessJSON
import Replication

/// A column for a new table, with the type that fits all imported values.
public struct InferredColumn: Hashable, Sendable {
    /// The name of the column.
    public let name: String
    /// `INTEGER`, `REAL`, `TEXT`, `BLOB`, or empty for a column that keeps each value unchanged.
    public let declaredType: String

    /// The definition as SQL.
    public var sql: String {
        SQLName.quoted(name) + (declaredType.isEmpty ? "" : " \(declaredType)")
    }
}

extension TableImport {
    /// Reads all rows and returns a column for each name, in order of appearance.
    ///
    /// Converting values to the types doesn't lose information. For example, numbers with leading
    /// zeros or too many digits stay text.
    ///
    /// - Throws: As for inserting the rows, and if the file has no columns.
    public func inferredColumns() throws -> [InferredColumn] {
        var columns: [(name: String, types: ValueTypes, lastObject: Int)] = []
        func add(_ name: String, _ place: ImportPlace) throws {
            guard !name.isEmpty else { throw place.error("a column has no name") }
            guard !columns.contains(where: { SQLName.areSame($0.name, name) }) else {
                throw place.error("the column \(name) appears twice")
            }
            guard columns.count < ImportPlace.columnLimit else {
                throw place.error("the file has more than \(ImportPlace.columnLimit) columns")
            }
            columns.append((name, [], 0))
        }
        var objectCount = 0
        func begin(_ header: [(name: String, place: ImportPlace)]) throws {
            try header.forEach(add)
            guard header.count == 1, format == .csv, header[0].name.contains(";") else { return }
            throw header[0].place.error("the fields are separated by semicolons, not by commas")
        }
        try forEachRow(header: begin) { row in
            switch row {
            case .fields(let record):
                for (index, field) in record.fields.enumerated()
                where !isNull(field, of: record) {
                    columns[index].types.formUnion(
                        try tagged(field, of: record).map(ValueTypes.init)
                            ?? ValueTypes(parsing: try record.text(field)))
                }
            case .members(let members, let place):
                objectCount += 1
                for (position, member) in members.enumerated() {
                    let isAtPosition =
                        position < columns.count
                        && Name(columns[position].name) == Name(member.name)
                    var index =
                        isAtPosition
                        ? position
                        : columns.firstIndex { SQLName.areSame($0.name, member.name) }
                    if index == nil {
                        try add(member.name, place)
                        index = columns.count - 1
                    }
                    guard let index else { continue }
                    guard columns[index].lastObject < objectCount else {
                        throw place.error("the column \(member.name) appears twice")
                    }
                    columns[index].lastObject = objectCount
                    let value = try Self.value(of: member, place)
                    columns[index].types.formUnion(
                        member.value.largeNumber == nil ? ValueTypes(value) : .digits)
                }
            }
        }
        let isText = format == .csv || format == .tsv
        let inferred = columns.map {
            InferredColumn(name: $0.name, declaredType: $0.types.declaredType(isText: isText))
        }
        // Every new table already has an integer `rowid`, and exports spell it like this. Other
        // spellings are names of columns, such as `ROWID` in the database of Apple's Messages.
        let kept = inferred.filter { !($0.name == "rowid" && $0.declaredType == "INTEGER") }
        guard !kept.isEmpty else {
            let exception = inferred.isEmpty ? "" : " other than rowid"
            throw ImportPlace().error("the file names no columns\(exception)")
        }
        return kept
    }
}

/// The types that the values of a column have.
private struct ValueTypes: OptionSet {
    let rawValue: Int

    static let integer = Self(rawValue: 1)
    static let real = Self(rawValue: 2)
    static let text = Self(rawValue: 4)
    static let blob = Self(rawValue: 8)
    /// An integer that a real can't represent.
    static let largeInteger = Self(rawValue: 16)
    /// An integer that 64 bits can't represent.
    static let digits = Self(rawValue: 32)

    init(rawValue: Int) { self.rawValue = rawValue }

    init(_ value: TableValue) {
        switch value {
        case .null, .unread: self = []
        case .integer: self = .integer
        case .real: self = .real
        case .text, .malformedText: self = .text
        case .blob: self = .blob
        }
    }

    init(parsing text: String) {
        if let number = PlainNumber.integer(text) {
            self = number.magnitude <= 1 << 53 ? .integer : [.integer, .largeInteger]
        } else if text == "Inf" || text == "-Inf" || PlainNumber.isReal(text) {
            self = .real
        } else {
            self = .text
        }
    }

    /// Returns the type to declare for a column with these values.
    ///
    /// - Parameter isText: Whether the file contains only text, which SQLite converts to the type.
    func declaredType(isText: Bool) -> String {
        switch self {
        case .integer, [.integer, .largeInteger]: "INTEGER"
        case .real: "REAL"
        case [.integer, .real] where isText: "REAL"
        case .blob: "BLOB"
        case [], .text, .digits, [.integer, .digits]: "TEXT"
        default: isText && !contains(.blob) ? "TEXT" : ""
        }
    }
}
