import Foundation
import Replication
import Tables

/// An encoder of rows as the bytes of a file, part by part.
///
/// Values are as exact as in SQLite's files. CSV has no notation for bytes and for text that isn't
/// UTF-8. Such values are written in the JSON form of the command line, such as `{"$data":
/// "AAE="}`, which an import reads. Text that has this form is also encoded, so that an import
/// reads it as text.
public struct ExportWriter {
    /// The names and statements of an SQL file.
    public struct SQLNames: Hashable, Sendable {
        /// The table that rows are inserted into.
        public var table: String
        /// The statements before the first row and after the last row, without semicolons.
        public var before: [String]
        public var after: [String]
        /// Whether the file creates the table, with the columns of its first row.
        public var createsTable = false

        /// Creates the names and statements for a file that inserts rows into a table. By default,
        /// the file doesn't create the table.
        public init(_ table: String, before: [String] = [], after: [String] = []) {
            (self.table, self.before, self.after) = (table, before, after)
        }
    }

    /// The column names for a file without rows; by default, those of the first row.
    public var names: [String]?
    private let format: ExportFormat
    private let null: String
    private let sql: SQLNames
    private let literals = SQLLiterals()
    private var bytes: [UInt8] = []
    private var hasBegun = false
    /// The columns of the last row, and the start of its statement.
    private var insertion: (columns: [String], text: String) = ([], "")

    /// Creates a writer.
    ///
    /// - Parameter null: The field that means null in CSV and TSV. A text equal to it is quoted.
    public init(
        _ format: ExportFormat, null: String = "", sql: SQLNames = SQLNames("rows")
    ) {
        (self.format, self.null, self.sql) = (format, null, sql)
    }

    /// Whether enough data is buffered to be written.
    public var isFull: Bool { bytes.count >= 1 << 16 }

    /// Adds a row.
    public mutating func add(_ record: RowRecord) {
        let isFirst = !hasBegun
        if isFirst {
            names = record.members.map(\.name)
            begin()
        }
        switch format {
        case .json:
            if !isFirst { put(",\n") }
            put(record.object.line)
        case .jsonLines:
            put(record.object.line)
            put("\n")
        case .csv, .tsv: putLine(record.members.map(Self.text))
        case .sql: putInsertion(record)
        }
    }

    /// Returns the end of the file, after the last row.
    public mutating func end() -> [UInt8] {
        if format == .json { put(hasBegun ? "\n]\n" : "[]\n") } else if !hasBegun { begin() }
        if format == .sql { put((sql.after + ["COMMIT"]).map { "\($0);\n" }.joined()) }
        return take()
    }

    /// Returns the data encoded since the last call, which ends with a whole row.
    public mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func begin() {
        hasBegun = true
        switch format {
        case .json: put("[\n")
        case .jsonLines: break
        case .csv, .tsv: if let names, !names.isEmpty { putLine(names) }
        case .sql: put((["BEGIN"] + sql.before + creation).map { "\($0);\n" }.joined())
        }
    }

    private mutating func put(_ text: String) { bytes += text.utf8 }

    // MARK: SQL

    /// The statement that creates the table, if the file has one. Its columns have no types, so
    /// that values are stored unchanged.
    private var creation: [String] {
        guard sql.createsTable, let names, !names.isEmpty else { return [] }
        let columns = names.map(SQLName.quoted).joined(separator: ", ")
        return ["CREATE TABLE \(SQLName.quoted(sql.table)) (\(columns))"]
    }

    private mutating func putInsertion(_ record: RowRecord) {
        let members = record.members.filter { !$0.isComputed }
        let columns = members.map(\.name)
        if insertion.text.isEmpty || insertion.columns != columns {
            let names = columns.map(SQLName.quoted).joined(separator: ", ")
            let table = SQLName.quoted(sql.table)
            insertion =
                columns.isEmpty
                ? (columns, "INSERT INTO \(table) DEFAULT VALUES")
                : (columns, "INSERT INTO \(table) (\(names)) VALUES (")
        }
        put(insertion.text)
        if !columns.isEmpty {
            put(literals.literals(members.map(\.storedValue)).joined(separator: ", "))
            put(")")
        }
        put(";\n")
    }

    // MARK: Fields

    private mutating func putLine(_ fields: [String?]) {
        for (index, field) in fields.enumerated() {
            if index > 0, let delimiter = format.delimiter { bytes.append(delimiter) }
            putField(field)
        }
        put("\r\n")
    }

    private mutating func putField(_ field: String?) {
        guard let field else { return put(null) }
        // Compare bytes, because `\r\n` is a single character that equals neither `\r` nor `\n`.
        let isPlain =
            !field.isEmpty && field != null
            && !field.utf8.contains {
                $0 == UInt8(ascii: "\"") || $0 == 10 || $0 == 13 || $0 == format.delimiter
            }
        put(isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\"")
    }

    /// Returns the field of a value: text unchanged, an infinite number as `Inf`, a date without
    /// its tag, and anything else as JSON; `nil` for null.
    private static func text(of member: RowRecord.Member) -> String? {
        switch member.value {
        case .null: return nil
        case .string(let text): return untagged(text)
        case .verbatim(let json):
            switch member.stored ?? TableValue(jsonText: json) {
            case .null?: return nil
            case .text(let text)?: return untagged(text)
            case .real(let number)? where !number.isFinite: return TableValue.words(for: number)
            default: return json
            }
        case .object:
            if let date = member.value.dateText { return date }
            if case .real(let number) = member.storedValue { return TableValue.words(for: number) }
            return member.value.line
        case .real(let number): return TableValue.words(for: number)
        case .boolean, .integer, .unsigned, .array: return member.value.line
        }
    }

    /// Returns a text, encoded if an import would mistake it for the JSON form of another value.
    private static func untagged(_ text: String) -> String {
        let isTagged = text.utf8.starts(with: "{\"$".utf8) && TableValue(jsonText: text) != nil
        return isTagged ? TableValue.malformedText(Data(text.utf8)).json : text
    }
}

extension RowRecord {
    /// The values by name. If two values have the same name, the first value is used.
    public var object: JSONValue {
        .object(Dictionary(keepingFirst: members.map { (Name($0.name), $0.value) }))
    }
}

extension RowRecord.Member {
    /// The value in the form that SQLite stores.
    fileprivate var storedValue: TableValue {
        if let stored { return stored }
        switch value {
        case .null: return .null
        case .boolean(let truth): return .integer(truth ? 1 : 0)
        case .integer(let number): return .integer(number)
        case .unsigned(let number):
            return Int64(exactly: number).map { .integer($0) } ?? .text("\(number)")
        case .real(let number): return .real(number)
        case .string(let text): return .text(text)
        case .verbatim(let json):
            return TableValue(jsonText: json) ?? .text(json)
        case .array, .object:
            if let date = value.dateText { return .text(date) }
            return TableValue(jsonText: value.line) ?? .text(value.line)
        }
    }
}
