import Foundation
import LosslessJSON
import Replication

/// The text form of arrays and dictionaries in a file, and of what is inside them in interchange.
///
/// JSON with what JSON lacks in objects of one member: `{"$data": BASE64}`, `{"$date": TIME}`,
/// `{"$real": "nan"}` (or `inf`, `-inf`). A dictionary of one member whose name begins with `$`
/// is wrapped, `{"$dictionary": {…}}`, so that it cannot be taken for one of these. Members are in
/// byte order of their names: equal values have equal text.
extension EntityValue {
    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for a relationship, which cannot be
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
        case .date(let value): writer.form("$date", InstantText.write(value))
        case .data(let value): writer.form("$data", value.base64EncodedString())
        case .relationship:
            throw EntityStoreError(
                .invalidValue, "a relationship cannot stand inside an array or a dictionary")
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
                writer.key("$dictionary")
                try Self.write(members, to: &writer, depth + 1)
            }
        }
    }

    /// Levels below what a file may hold, as interchange puts values inside other objects.
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

    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for what no value is written as.
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

    /// An integer by its digits, or a double where there is a point or an exponent.
    init(number digits: String) throws(EntityStoreError) {
        if JSON.isReal(digits) {
            guard let value = Double(digits), value.isFinite else {
                throw EntityStoreError(.invalidValue, "\(digits) is too large for a double")
            }
            self = .double(value)
        } else {
            guard let value = Int64(digits) else {
                throw EntityStoreError(
                    .invalidValue, "\(digits) is too large for an integer of 64 bits")
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
        switch (member.name, member.value) {
        case ("$data", .string(let text)):
            guard let data = Data(base64Encoded: text) else {
                throw EntityStoreError(.invalidValue, "$data is not base64")
            }
            self = .data(data)
        case ("$date", .string(let text)):
            guard let date = InstantText.read(text) else {
                throw EntityStoreError(.invalidValue, "$date is not an ISO 8601 time")
            }
            self = .date(date)
        case ("$real", .string("nan")): self = .double(.nan)
        case ("$real", .string("inf")): self = .double(.infinity)
        case ("$real", .string("-inf")): self = .double(-.infinity)
        case ("$dictionary", .object(let members)): self = try Self(members: members)
        default:
            throw EntityStoreError(
                .invalidValue, "\(member.name.quoted) does not mark a value like this")
        }
    }

    /// One line for messages and lists: a string as it is, an array as JSON, a target's identifier.
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
