import Replication

extension ColumnSchema {
    /// Checks that a value fits the column.
    ///
    /// SQLite's affinity converts values and rejects none. This method rejects text in a column
    /// that is clearly declared as a number, and numbers or text in a column declared `BLOB`,
    /// because these are most likely mistakes. The type of the old value is always accepted.
    ///
    /// - Parameters:
    ///   - old: The value to be replaced; `nil` for a new row.
    ///   - acceptsAnyType: Whether values that don't have the declared type fit.
    /// - Throws: ``TablesError``: `.readOnly` for a generated column, `.usage` for a value that
    ///   does not fit.
    public func check(
        _ value: TableValue, replacing old: TableValue?, acceptsAnyType: Bool = false
    ) throws(TablesError) {
        guard isWritable else {
            throw TablesError(
                .readOnly,
                "\(name) is \(storage == .hidden ? "hidden" : "computed by the database")")
        }
        if value == .null {
            guard !isNotNull else { throw TablesError(.usage, "\(name) can't be NULL") }
            return
        }
        if case .real(let number) = value, number.isNaN {
            throw TablesError(.usage, "\(name) can't be NaN: a database stores NULL instead")
        }
        if let old, old != .null, old.typeName == value.typeName { return }
        if fits(value) || acceptsAnyType && value.isLoaded { return }
        let type = declaredType.isEmpty ? "" : " \(declaredType)"
        throw TablesError(
            .usage, "\(name)\(type) accepts \(expectation), not \(Self.word(for: value))",
            suggestion: Suggestion(
                "specify the type of the value: integer, real, string, bytes, boolean, date or null",
                .specifyType))
    }

    private func fits(_ value: TableValue) -> Bool {
        switch (affinity, value) {
        case (_, .unread): false
        case (.integer, .integer): true
        case (.integer, .text(let text)): Int64(text) != nil || !isPlainNumber
        case (.integer, .real(let number)): Int64(exactly: number) != nil || !isPlainNumber
        case (.real, .integer), (.real, .real): true
        case (.real, .text(let text)): Self.isNumber(text) || !isPlainNumber
        case (.integer, _), (.real, _): !isPlainNumber
        // Types that SQLite doesn't know have numeric affinity: `JSON`, `UUID`, `GEOMETRY`, `ANY`.
        case (.numeric, _): true
        case (.text, .blob): false
        case (.text, _): true
        case (.blob, .blob): true
        case (.blob, _): !SQLName.areSame(declaredType, "BLOB")
        }
    }

    /// Returns whether SQLite converts a text to a finite number. It doesn't convert hexadecimal
    /// numbers and words such as `inf`, which `Double` accepts.
    private static func isNumber(_ text: String) -> Bool {
        Double(text)?.isFinite == true
            && text.utf8.allSatisfy { "0123456789.eE+-".utf8.contains($0) }
    }

    /// Whether the first word of the declared type is the name of a number type. `POINT` isn't a
    /// number type, although it contains `INT`.
    private var isPlainNumber: Bool {
        let word = declaredType.uppercased().prefix { $0.isLetter || $0.isNumber }
        return Self.numberWords.contains(String(word))
    }

    private static let numberWords: Set<String> = [
        "INT", "INTEGER", "TINYINT", "SMALLINT", "MEDIUMINT", "BIGINT", "INT2", "INT4", "INT8",
        "UNSIGNED", "REAL", "FLOAT", "DOUBLE",
    ]

    /// Whether the column has numeric affinity, and its declared type names numbers, booleans or
    /// dates. Other types with numeric affinity, such as `STRING`, can be meant for text.
    var isNumeric: Bool {
        guard affinity == .numeric else { return false }
        let type = declaredType.uppercased()
        return isDate || ["NUM", "DEC", "BOOL"].contains { type.hasPrefix($0) }
    }

    /// Whether the declared type names dates, which SQLite stores as numbers or text.
    public var isDate: Bool {
        let type = declaredType.uppercased()
        return type.contains("DATE") || type.contains("TIME")
    }

    private var expectation: String {
        switch affinity {
        case .integer: "an integer"
        case .real: "a number"
        case .numeric: "any value"
        case .text: "a text"
        case .blob: "bytes"
        }
    }

    private static func word(for value: TableValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer: "an integer"
        case .real: "a real"
        case .text, .malformedText, .unread(isText: true, _): "a text"
        case .blob, .unread(isText: false, _): "bytes"
        }
    }
}
