import Foundation
import Replication
import TidelineCore

/// How rows are written to a file.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// An array of objects.
    case json
    /// An object a line.
    case jsonLines = "jsonl"
    /// RFC 4180, with a line of names first. As in PostgreSQL, nothing between two commas is null
    /// and `""` is empty text.
    case csv
}

/// Rows as the bytes of a file, a part at a time.
struct ExportWriter {
    private let format: ExportFormat
    private var bytes: [UInt8] = []
    private var names: [String]?

    init(_ format: ExportFormat) { self.format = format }

    /// Whether there is enough to be written out.
    var isFull: Bool { bytes.count >= 1 << 16 }

    mutating func add(_ record: RowRecord) {
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

    /// What is left to be written when there are no more rows.
    mutating func end() -> [UInt8] {
        if format == .json { put(names == nil ? "[]\n" : "\n]\n") }
        return take()
    }

    /// What was added since the last time.
    mutating func take() -> [UInt8] {
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

    /// A string as it is, an infinite number as `Inf`, the rest as JSON; `nil` for null.
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
        // Line ends of either kind: \r\n is one character, and neither of the two.
        let isPlain = !field.utf8.contains {
            $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 10 || $0 == 13
        }
        return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
    }
}
