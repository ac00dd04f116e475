import LosslessJSON

/// Rows of a CSV, TSV or JSON file, read in pieces with bounded memory.
public struct TableImport {
    /// A function that passes the bytes of the file to its argument, piece by piece, from the
    /// beginning.
    public typealias Pieces = ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

    let format: ImportFormat
    private let null: [UInt8]
    private let pieces: Pieces

    /// Creates a reader of rows. The file isn't read before the rows are requested.
    ///
    /// - Parameter null: The unquoted field that represents NULL in CSV and TSV. The default is an
    ///   empty field. A quoted empty field, `""`, is then an empty text.
    public init(_ format: ImportFormat, null: String = "", pieces: @escaping Pieces) {
        self.format = format
        self.null = Array(null.utf8)
        self.pieces = pieces
    }

    enum Row {
        case fields(DelimitedRecord)
        case members([JSON.Member], ImportPlace)
    }

    /// If the file starts with column names, calls `header` with them. Calls `body` with each row.
    ///
    /// - Throws: ``TablesError``, `.unreadable`, with line and column; errors of `header`, `body`
    ///   and the file.
    func forEachRow(
        header: ([(name: String, place: ImportPlace)]) throws -> Void, _ body: (Row) throws -> Void
    ) throws {
        switch format {
        case .csv, .tsv:
            var text = DelimitedText(delimiter: UInt8(ascii: format == .csv ? "," : "\t"))
            var count: Int?
            func take(_ record: DelimitedRecord) throws {
                guard let count else {
                    count = record.fields.count
                    return try header(record.fields.map { (try record.text($0), $0.place) })
                }
                guard record.fields.count == count else {
                    // Blank lines are skipped, unless the file has a single column.
                    if record.fields.count == 1, record.bytes.isEmpty, !record.fields[0].isQuoted {
                        return
                    }
                    let last = record.fields[min(count, record.fields.count - 1)]
                    throw last.place.error(
                        "the row has \(record.fields.count) of the \(count) fields of the header")
                }
                try body(.fields(record))
            }
            try pieces { try text.read($0, take) }
            try text.end(take)
            guard count != nil else { throw ImportPlace().error("the file has no header") }
        case .json, .jsonLines:
            var objects = JSONObjects(isArray: format == .json)
            try pieces { try objects.read($0) { try body(.members($0, $1)) } }
            try objects.end()
        }
    }

    func isNull(_ field: DelimitedRecord.Field, of record: DelimitedRecord) -> Bool {
        !field.isQuoted && record.bytes[field.range].elementsEqual(null)
    }

    /// Returns the value of a field that is written like a tagged value on the command line, such
    /// as `{"$data":"AA=="}`; `nil` for other fields. CSV itself has no notation for these values.
    func tagged(
        _ field: DelimitedRecord.Field, of record: DelimitedRecord
    ) throws(TablesError) -> TableValue? {
        let bytes = record.bytes[field.range]
        guard bytes.first == UInt8(ascii: "{"), bytes.starts(with: #"{"$"#.utf8) else { return nil }
        return TableValue(jsonText: try record.text(field))
    }

    /// Returns the value of a member. Arrays, objects, and integers that 64 bits can't represent
    /// are stored as JSON text.
    ///
    /// - Throws: ``TablesError``, `.unreadable`, for a tag with invalid content.
    static func value(
        of member: JSON.Member, _ place: ImportPlace
    ) throws(TablesError) -> TableValue {
        if let value = TableValue(member.value) { return value }
        if let tag = member.value.tagged?.tag, let expected = TableValue.contents[tag] {
            throw place.error("\(tag.rawValue) of \(member.name) must contain \(expected)")
        }
        return .text(member.value.text)
    }
}

extension TableValue {
    /// The expected contents of the tags that are table values.
    fileprivate static let contents: [JSONTag: String] = [
        .data: "base64 text", .text: "base64 text",
        .real: "\"inf\" or \"-inf\", because a database can't store NaN",
    ]
}

extension JSON {
    /// The digits of a number that 64 bits can't represent; `nil` for any other value.
    var largeNumber: String? {
        guard case .number(let digits) = self else { return nil }
        guard Self.isReal(digits) else { return PlainNumber.largeInteger(digits) }
        return Double(digits)?.isFinite == false ? digits : nil
    }
}
