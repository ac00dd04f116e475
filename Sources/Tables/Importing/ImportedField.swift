package import LosslessJSON
import Replication

/// A value of an imported row, for stores other than tables.
package struct ImportedField {
    /// The content, as exact as in the file's format.
    package enum Content: Hashable, Sendable {
        case null
        /// A field of CSV or TSV, which has no type, or a text of JSON.
        case text(String)
        /// Any other value of JSON.
        case json(JSON)
    }

    /// The name of the column or member.
    package let name: String
    package let content: Content
    /// The place of the value. In JSON, only the position of the object is known.
    package let place: ImportPlace
}

extension TableImport {
    /// Whether the values of the file have types. Values in JSON do; fields of delimited text
    /// don't.
    package var hasTypes: Bool { format == .json || format == .jsonLines }

    /// If the file starts with column names, calls `header` with them. Calls `body` with each row.
    ///
    /// - Throws: ``TablesError``, `.unreadable`, with line and column; errors of `header`, `body`
    ///   and the file.
    package func forEachRow(
        header: ([(name: String, place: ImportPlace)]) throws -> Void = { _ in },
        fields body: ([ImportedField], ImportPlace) throws -> Void
    ) throws {
        var names: [String] = []
        func begin(_ columns: [(name: String, place: ImportPlace)]) throws {
            names = columns.map(\.name)
            try requireDistinct(columns)
            try header(columns)
        }
        try forEachRow(header: begin) { row in
            switch row {
            case .fields(let record):
                let fields = try zip(names, record.fields).map { name, field in
                    ImportedField(
                        name: name, content: try content(field, of: record), place: field.place)
                }
                try body(fields, fields.first?.place ?? ImportPlace())
            case .members(let members, let place):
                try requireDistinct(members.map { ($0.name, place) })
                try body(
                    members.map {
                        ImportedField(
                            name: $0.name, content: Self.content($0.value), place: place)
                    }, place)
            }
        }
    }

    private func requireDistinct(
        _ columns: [(name: String, place: ImportPlace)]
    ) throws(TablesError) {
        var seen: Set<Name> = []
        for (name, place) in columns where !seen.insert(Name(name)).inserted {
            throw place.error("the column \(name) appears twice")
        }
    }

    private func content(
        _ field: DelimitedRecord.Field, of record: DelimitedRecord
    ) throws(TablesError) -> ImportedField.Content {
        if isNull(field, of: record) { return .null }
        // An export marks a text that has the same form as another kind of value.
        if case .text(let text)? = try tagged(field, of: record) { return .text(text) }
        return .text(try record.text(field))
    }

    private static func content(_ json: JSON) -> ImportedField.Content {
        switch json {
        case .null: .null
        case .string(let text): .text(text)
        default: .json(json)
        }
    }
}
