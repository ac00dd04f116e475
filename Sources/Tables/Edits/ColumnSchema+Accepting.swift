extension ColumnSchema {
    /// Whether a value may stand in the column.
    ///
    /// SQLite would take any; a person who writes a text into a column of integers has made a
    /// mistake, unless a text is what stands there.
    ///
    /// - Parameter old: What it replaces; `nil` for a new row.
    /// - Throws: ``TablesError``: `.readOnly` for a generated column, `.usage` for a value that does
    ///   not fit.
    public func check(_ value: TableValue, replacing old: TableValue?) throws(TablesError) {
        guard isWritable else {
            throw TablesError(
                .readOnly,
                "\(name) is \(storage == .hidden ? "hidden" : "computed by the database")")
        }
        if value == .null {
            guard !isNotNull else { throw TablesError(.usage, "\(name) may not be NULL") }
            return
        }
        if let old, old != .null, old.typeName == value.typeName { return }
        if fits(value) { return }
        let type = declaredType.isEmpty ? "" : " \(declaredType)"
        throw TablesError(
            .usage, "\(name)\(type) takes \(expectation), not \(Self.word(for: value))",
            wayOut: "Say what VALUE is with --as: integer, real, string, data, boolean, date, null."
        )
    }

    private func fits(_ value: TableValue) -> Bool {
        switch (affinity, value) {
        case (.integer, .integer): true
        case (.integer, .text(let text)): Int64(text) != nil
        case (.integer, .real(let number)): Int64(exactly: number) != nil
        case (.real, .integer), (.real, .real), (.numeric, .integer), (.numeric, .real): true
        case (.real, .text(let text)): Double(text) != nil
        case (.numeric, .text(let text)): Double(text) != nil || isDate
        case (.text, .text): true
        case (.blob, .blob): true
        // A column without a type takes what comes.
        case (.blob, _): declaredType.isEmpty
        default: SQLName.areSame(declaredType, "ANY")
        }
    }

    /// Whether the declared type names dates, which SQLite keeps as numbers or as text.
    public var isDate: Bool {
        let type = declaredType.uppercased()
        return type.contains("DATE") || type.contains("TIME")
    }

    private var expectation: String {
        switch affinity {
        case .integer: "an integer"
        case .real: "a number"
        case .numeric: isDate ? "a number or a text" : "a number"
        case .text: "a text"
        case .blob: "bytes"
        }
    }

    private static func word(for value: TableValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer: "an integer"
        case .real: "a real"
        case .text, .unread(isText: true, _): "a text"
        case .blob, .unread(isText: false, _): "bytes"
        }
    }
}
