import Foundation
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
        guard depth < JSONParser.maximumDepth - 8 else {
            throw EntityStoreError(.invalidValue, "a value is nested too deeply")
        }
        switch self {
        case .string(let value): writer.string(value)
        case .integer(let value): writer.raw(String(value))
        case .double(let value) where value.isFinite: writer.double(value)
        case .double(let value):
            writer.raw("{\"$real\":\"\(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf")\"}")
        case .boolean(let value): writer.raw(value ? "true" : "false")
        case .date(let value):
            writer.raw("{\"$date\":\"\(InstantText.write(value))\"}")
        case .data(let value): writer.raw("{\"$data\":\"\(value.base64EncodedString())\"}")
        case .relationship:
            throw EntityStoreError(
                .invalidValue, "a relationship cannot stand inside an array or a dictionary")
        case .array(let elements):
            writer.raw("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.raw(",") }
                try element.writeJSON(to: &writer, depth: depth + 1)
            }
            writer.raw("]")
        case .dictionary(let members):
            let isWrapped = members.count == 1 && members.keys.allSatisfy { $0.hasPrefix("$") }
            if isWrapped { writer.raw("{\"$dictionary\":") }
            writer.raw("{")
            let names = members.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            for (index, name) in names.enumerated() {
                if index > 0 { writer.raw(",") }
                writer.string(name)
                writer.raw(":")
                try members[name]?.writeJSON(to: &writer, depth: depth + (isWrapped ? 2 : 1))
            }
            writer.raw(isWrapped ? "}}" : "}")
        }
    }

    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for what no value is written as.
    init(json: JSON) throws(EntityStoreError) {
        switch json {
        case .null: throw EntityStoreError(.invalidValue, "null is no value")
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
        if digits.utf8.contains(where: { $0 == 0x2E || $0 == 0x65 || $0 == 0x45 }) {
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
        var values: [String: EntityValue] = [:]
        for member in members {
            guard values.updateValue(try Self(json: member.value), forKey: member.name) == nil
            else {
                throw EntityStoreError(
                    .invalidValue, "a dictionary has \(member.name.debugDescription) twice")
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
                throw EntityStoreError(.invalidValue, "$date is no ISO 8601 instant")
            }
            self = .date(date)
        case ("$real", .string("nan")): self = .double(.nan)
        case ("$real", .string("inf")): self = .double(.infinity)
        case ("$real", .string("-inf")): self = .double(-.infinity)
        case ("$dictionary", .object(let members)): self = try Self(members: members)
        default:
            throw EntityStoreError(
                .invalidValue, "\(member.name.debugDescription) marks no value like this")
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
