import Foundation
package import KeyValueStore
import Replication

/// The form of values in lists and in the inspector.
extension PropertyList {
    /// The maximum number of characters that a list shows.
    static let longestLine = 400

    /// The maximum number of bytes in a line.
    private static let shownBytes = 16

    /// The value in one line: strings in quotation marks, dates in ISO 8601, JSON for everything
    /// else.
    var line: String {
        switch self {
        case .string(let text):
            let shown = text.prefix(Self.longestLine)
            let cut = shown.endIndex < text.endIndex
            return
                "\"\(shown)\(cut ? "…" : "")\"\(cut ? " (\(ByteCount.text(text.utf8.count)))" : "")"
        case .date(let date):
            return Timestamp(date).iso8601.replacing(/\.0+Z$/, with: "Z")
        case .data(let data):
            let bytes = data.prefix(Self.shownBytes).map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }
            return "<\(bytes.joined(separator: " "))\(data.count > Self.shownBytes ? " …" : "")> "
                + ByteCount.text(data.count)
        case .array(let elements) where elements.count > 50:
            return "[\(Counted.text(elements.count, "item"))]"
        case .dictionary(let members) where members.count > 50:
            return "{\(Counted.text(members.count, "member"))}"
        default:
            let json = description
            return json.count > Self.longestLine ? json.prefix(Self.longestLine) + "…" : json
        }
    }

    var shown: EditPreview.Value {
        let isCut =
            switch self {
            case .string(let text): text.dropFirst(Self.longestLine).first != nil
            case .data(let data): data.count > Self.shownBytes
            case .array(let elements): elements.count > 50 || line.hasSuffix("…")
            case .dictionary(let members): members.count > 50 || line.hasSuffix("…")
            default: false
            }
        return EditPreview.Value(line, whole: TypedText(self), isCut: isCut)
    }

    /// Returns the line of a value that is too large to load.
    static func line(ofByteCount byteCount: Int) -> String { "<… \(ByteCount.text(byteCount))>" }

    /// The names of all types. The first name of a type is shown, and a filter accepts all names.
    static let typeNames = [
        ["string", "str"], ["integer", "int"], ["real"], ["boolean", "bool"], ["date"],
        ["bytes", "data"], ["list", "array"], ["map", "dict", "dictionary"],
    ]

    /// The name of the type, as lists show it.
    package var typeName: String { typeNames[0] }

    var typeNames: [String] {
        let index =
            switch self {
            case .string: 0
            case .integer, .unsigned: 1
            case .real: 2
            case .boolean: 3
            case .date: 4
            case .data: 5
            case .array: 6
            case .dictionary: 7
            }
        return Self.typeNames[index]
    }

    /// The maximum number of lines of a tree.
    private static let longestTree = 500

    /// Returns the value as lines of a tree with open containers.
    func tree() -> [Detail.Line] {
        var lines: [Detail.Line] = []
        appendTree(label: "", field: FieldPath(), addition: nil, to: &lines)
        if lines.count >= Self.longestTree {
            // Put the line inside the outermost list or map, so that both are folded together.
            let isInside = if case .string = self { false } else { true }
            lines.append(.omission(depth: isInside ? 1 : 0))
        }
        return lines
    }

    private func appendTree(
        label: String, field: FieldPath, addition: Detail.Addition?, to lines: inout [Detail.Line]
    ) {
        guard lines.count < Self.longestTree else { return }
        let depth = field.steps.count
        switch self {
        case .dictionary(let members):
            let addition = Detail.Addition.member(of: field)
            lines.append(
                Detail.Line(
                    label, "{\(members.count)}", .dim, depth: depth, field: field,
                    addition: addition))
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                value.appendTree(
                    label: key.text, field: field.inside(key.text), addition: addition, to: &lines)
            }
        case .array(let elements):
            lines.append(
                Detail.Line(
                    label, "[\(elements.count)]", .dim, depth: depth, field: field,
                    addition: .item(of: field, number: elements.count)))
            for (index, value) in elements.enumerated() {
                value.appendTree(
                    label: String(index), field: field.inside(String(index)),
                    addition: .item(of: field, number: index + 1), to: &lines)
            }
        case .string(let text):
            // Keep the paragraphs of the text.
            let parts = text.utf8.split(
                separator: UInt8(ascii: "\n"), maxSplits: Self.longestTree,
                omittingEmptySubsequences: false)
            lines += Detail.Line.linesOfText(
                parts.prefix(Self.longestTree).map { part in
                    Detail.Line(
                        label, String(Substring(part)), .string, depth: depth, field: field,
                        addition: addition)
                })
        case .data(let data) where data.count > Self.shownBytes:
            var whole = Detail.Line(
                label, line, role, depth: depth, field: field, addition: addition)
            whole.startsFolded = true
            lines.append(whole)
            lines += Detail.Line.hex(data, depth: depth + 1)
        default:
            lines.append(
                Detail.Line(
                    label, line, role, depth: depth, field: field, addition: addition))
        }
    }
}
