import Automerge
import Foundation
import LosslessJSON
import Replication

/// A value to be put into a document.
enum DocumentValue: JSONTreeReadable {
    case scalar(ScalarValue)
    case text(String)
    case list([DocumentValue])
    case map([Name: DocumentValue])

    /// The maximum depth of a copied or parsed value.
    static let treeDepthLimit = 200

    init?(tree content: TreeContent<Self>) {
        switch content {
        case .null: self = .scalar(.Null)
        case .boolean(let truth): self = .scalar(.Boolean(truth))
        case .integer(let number): self = .scalar(.Int(number))
        case .unsigned(let number): self = .scalar(.Uint(number))
        case .double(let number): self = .scalar(.F64(number))
        case .string(let text): self = .scalar(.String(text))
        case .data(let data): self = .scalar(.Bytes(data))
        case .date(let date): self = .scalar(.Timestamp(date))
        case .instant(let instant): self = .scalar(.Timestamp(instant.date))
        case .array(let values): self = .list(values)
        case .dictionary(let members): self = .map(members)
        case .ownKind: return nil
        }
    }

    /// Returns whether an object is a tagged value. Documents are shown as plain JSON, so an object
    /// only counts as tagged if it can't be anything else.
    static func isTag(_ name: String, of content: JSON?) -> Bool {
        guard case .string? = content else { return false }
        return switch JSONTag(rawValue: name) {
        case .data, .date, .real: true
        case .dictionary, .text, .external, .entity, nil: false
        }
    }

    /// Parses a typed value.
    ///
    /// - Throws: ``EditError`` with the expected form.
    init(_ typed: TypedText) throws(EditError) {
        switch typed.kind {
        case .text: self = .text(typed.text)
        case .counter:
            guard let number = Int64(typed.trimmed) else {
                throw typed.invalid("an integer of at most 64 bits")
            }
            self = .scalar(.Counter(number))
        case .timestamp:
            // Milliseconds since 1970, or a date.
            if let milliseconds = Int64(typed.trimmed) {
                self = .scalar(
                    .Timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1_000)))
            } else {
                self = try TypedText(.date, typed.text).value()
            }
        case .map:
            self = try TypedText(.json, typed.trimmed.isEmpty ? "{}" : typed.text).value()
            guard case .map = self else { throw typed.invalid("a JSON object") }
        case .list:
            self = try TypedText(.json, typed.trimmed.isEmpty ? "[]" : typed.text).value()
            guard case .list = self else { throw typed.invalid("a JSON array") }
        default: self = try typed.value()
        }
    }
}
