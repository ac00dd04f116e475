import Foundation
import LosslessJSON
import Replication

/// The text form of arrays and dictionaries in a file, and of their elements in interchange files.
///
/// JSON, extended by objects of one member: `{"$data": BASE64}`, `{"$date": TIME}`, `{"$real":
/// "nan"}` (or `inf`, `-inf`). A dictionary whose only member has a name that starts with `$` is
/// wrapped as `{"$dictionary": {…}}` to avoid ambiguity. Members are in byte order of their names,
/// so equal values have equal text. `{"$real": "1.0"}` is read, too: `Codable` interchange has it
/// where an encoder would write the integer 1.
extension EntityValue {
    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for a relationship, which can't be
    ///   inside another value.
    func writeJSON(to writer: inout JSONWriter, depth: Int = 0) throws(EntityStoreError) {
        guard depth < Self.depthLimit else {
            throw EntityStoreError(.invalidValue, "a value is nested too deeply")
        }
        switch self {
        case .string(let value): writer.string(value)
        case .integer(let value): writer.integer(value)
        case .double(let value): writer.real(value)
        case .boolean(let value): writer.boolean(value)
        case .date(let value): writer.tagged(.date, InstantText.write(value))
        case .data(let value): writer.tagged(.data, value.base64EncodedString())
        case .relationship:
            throw EntityStoreError(
                .invalidValue, "a relationship can't be inside an array or a dictionary")
        case .array(let elements):
            try writer.array { (writer) throws(EntityStoreError) in
                for element in elements {
                    try element.writeJSON(to: &writer, depth: depth + 1)
                }
            }
        case .dictionary(let members):
            guard members.count == 1, members.keys.allSatisfy({ $0.hasPrefix("$") }) else {
                return try Self.write(members, to: &writer, depth)
            }
            try writer.object { (writer) throws(EntityStoreError) in
                writer.key(JSONTag.dictionary.rawValue)
                try Self.write(members, to: &writer, depth + 1)
            }
        }
    }

    /// Fewer levels than a file may have, because interchange files nest values in other objects.
    static let depthLimit = 192

    private static func write(
        _ members: [Name: EntityValue], to writer: inout JSONWriter, _ depth: Int
    ) throws(EntityStoreError) {
        try writer.object { (writer) throws(EntityStoreError) in
            let sorted = members.sorted { $0.key < $1.key }
            for (name, value) in sorted {
                writer.key(name.text)
                try value.writeJSON(to: &writer, depth: depth + 1)
            }
        }
    }

    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for JSON that no value is written
    ///   as.
    init(json: JSON) throws(EntityStoreError) {
        switch json {
        case .null: throw EntityStoreError(.invalidValue, "null is not a value")
        case .boolean(let value): self = .boolean(value)
        case .string(let value): self = .string(value)
        case .number(let digits): self = try Self(number: digits)
        case .array(let elements):
            var values: [EntityValue] = []
            for element in elements { values.append(try EntityValue(json: element)) }
            self = .array(values)
        case .object(let members):
            if let only = members.first, members.count == 1, only.name.hasPrefix("$") {
                self = try Self(marked: only)
            } else {
                self = try Self(members: members)
            }
        }
    }

    /// Parses an integer, or a double if there is a decimal point or an exponent.
    init(number digits: String) throws(EntityStoreError) {
        if JSON.isReal(digits) {
            guard let value = Double(digits), value.isFinite else {
                throw EntityStoreError(.invalidValue, "\(digits) is too large for a double")
            }
            self = .double(value)
        } else {
            guard let value = Int64(digits) else {
                throw EntityStoreError(
                    .invalidValue, "\(digits) is too large for a 64-bit integer")
            }
            self = .integer(value)
        }
    }

    private init(members: [JSON.Member]) throws(EntityStoreError) {
        var values: [Name: EntityValue] = [:]
        for member in members {
            guard values.updateValue(try Self(json: member.value), forKey: member.name) == nil
            else {
                throw EntityStoreError(
                    .invalidValue, "a dictionary has \(member.name.quoted) twice")
            }
        }
        self = .dictionary(values)
    }

    private init(marked member: JSON.Member) throws(EntityStoreError) {
        switch (JSONTag(rawValue: member.name), member.value) {
        case (.data, .string(let text)):
            guard let data = Data(base64Encoded: text) else {
                throw EntityStoreError(.invalidValue, "$data isn't base64")
            }
            self = .data(data)
        case (.date, .string(let text)):
            guard let date = InstantText.read(text) else {
                throw EntityStoreError(.invalidValue, "$date isn't an ISO 8601 time")
            }
            self = .date(date)
        case (.real, .string(let text)):
            if let value = JSONTag.number(for: text) {
                self = .double(value)
            } else if JSON.isReal(text), let value = Double(text), value.isFinite {
                self = .double(value)
            } else {
                throw EntityStoreError(.invalidValue, "$real isn't a number that fits a double")
            }
        case (.dictionary, .object(let members)): self = try Self(members: members)
        default:
            throw EntityStoreError(
                .invalidValue, "\(member.name.quoted) isn't a known tag for this value")
        }
    }

    /// The value on one line for messages and lists: a string as it is, an array as JSON, a
    /// relationship as its target's identifier.
    public var text: String {
        switch self {
        case .string(let value): return value
        case .integer(let value): return String(value)
        case .double(let value): return value.description
        case .boolean(let value): return value ? "true" : "false"
        case .date(let value): return InstantText.write(value)
        case .data(let value): return value.base64EncodedString()
        case .relationship(let value): return value.description
        case .array, .dictionary:
            var writer = JSONWriter()
            do {
                try writeJSON(to: &writer)
                return writer.text
            } catch {
                return kind.name
            }
        }
    }
}
