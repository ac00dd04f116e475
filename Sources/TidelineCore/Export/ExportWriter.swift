import Foundation
import Replication

/// File formats for exported rows.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// A JSON array of objects.
    case json
    /// One JSON object per line.
    case jsonLines = "jsonl"
    /// RFC 4180, with column names in the first line. As in PostgreSQL, an empty field is null and
    /// `""` is empty text.
    case csv
}

/// Encodes rows as the bytes of a file, part by part.
public struct ExportWriter {
    private let format: ExportFormat
    private var bytes: [UInt8] = []
    private var names: [String]?

    /// Creates a writer.
    public init(_ format: ExportFormat) { self.format = format }

    /// Whether enough data is buffered to be written.
    public var isFull: Bool { bytes.count >= 1 << 16 }

    /// Adds a row.
    public mutating func add(_ record: RowRecord) {
        let isFirst = names == nil
        if isFirst { names = record.members.map(\.name) }
        switch format {
        case .json:
            put(isFirst ? "[\n" : ",\n")
            put(Self.object(record).line)
        case .jsonLines:
            put(Self.object(record).line)
            put("\n")
        case .csv:
            if isFirst { putLine(record.members.map(\.name)) }
            putLine(record.members.map { Self.text(of: $0.value) })
        }
    }

    /// Returns the end of the file, after the last row.
    public mutating func end() -> [UInt8] {
        if format == .json { put(names == nil ? "[]\n" : "\n]\n") }
        return take()
    }

    /// Returns the data encoded since the last call.
    public mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private static func object(_ record: RowRecord) -> JSONValue {
        .object(
            Dictionary(
                record.members.map { (Name($0.name), $0.value) },
                uniquingKeysWith: { first, _ in first }))
    }

    private mutating func put(_ text: String) { bytes += text.utf8 }

    private mutating func putLine(_ fields: [String?]) {
        put(fields.map(Self.quoted).joined(separator: ","))
        put("\r\n")
    }

    /// Returns a string as it is, an infinite number as `Inf`, and anything else as JSON; `nil` for
    /// null.
    private static func text(of value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .null, .verbatim("null"): nil
        case .verbatim(#"{"$real":"inf"}"#), ["$real": "inf"]: "Inf"
        case .verbatim(#"{"$real":"-inf"}"#), ["$real": "-inf"]: "-Inf"
        case .verbatim(let json) where json.first == "\"":
            (try? JSONDecoder().decode(String.self, from: Data(json.utf8))) ?? json
        default: value.line
        }
    }

    private static func quoted(_ field: String?) -> String {
        guard let field else { return "" }
        if field.isEmpty { return "\"\"" }
        // Includes `\r\n`, which is a single character different from both.
        let isPlain = !field.utf8.contains {
            $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 10 || $0 == 13
        }
        return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
    }
}
