public import EntityStore
import Foundation
public import KeyValueStore
import Replication

extension TypedText {
    /// Parses the value of a property, in the same forms as the value of a key.
    ///
    /// JSON may also be `{"$entity": IDENTIFIER}`, which is a relationship.
    ///
    /// - Returns: The value.
    /// - Throws: ``EditError`` with code `.invalid` and the expected form.
    public func entityValue() throws(EditError) -> EntityValue {
        guard kind != .json else {
            do {
                return try EntityValue(json: text)
            } catch {
                throw EditError(.invalid, error.message)
            }
        }
        return try EntityValue(try propertyList())
    }

    /// Creates the text for editing a value.
    public init(_ value: EntityValue) {
        switch value {
        case .string(let text): self.init(.string, text)
        case .integer(let number): self.init(.integer, String(number))
        case .double(let number): self.init(.real, number.description)
        case .boolean(let truth): self.init(.boolean, truth ? "true" : "false")
        case .date(let instant): self.init(.date, instant.plainISO8601)
        case .data(let data): self.init(.data, data.base64EncodedString())
        case .relationship(let target): self.init(.relationship, target.description)
        case .array, .dictionary: self.init(.json, value.json)
        }
    }
}

extension EntityValue {
    /// Converts a key's value to a property value.
    ///
    /// - Throws: ``EditError`` with code `.invalid` for an integer beyond the signed 64-bit range.
    public init(_ value: PropertyList) throws(EditError) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .unsigned(let number):
            guard let whole = Int64(exactly: number) else {
                throw EditError(.invalid, "\(number) is too large for an integer property")
            }
            self = .integer(whole)
        case .real(let number): self = .double(number)
        case .boolean(let truth): self = .boolean(truth)
        case .date(let date): self = .date(Timestamp(date))
        case .data(let data): self = .data(data)
        case .array(let elements):
            var values: [EntityValue] = []
            for element in elements { values.append(try EntityValue(element)) }
            self = .array(values)
        case .dictionary(let members):
            var values: [Name: EntityValue] = [:]
            for (key, member) in members { values[key] = try EntityValue(member) }
            self = .dictionary(values)
        }
    }

    /// The value as a key's value; `nil` if it is or contains a relationship.
    var propertyList: PropertyList? {
        switch self {
        case .string(let text): return .string(text)
        case .integer(let number): return .integer(number)
        case .double(let number): return .real(number)
        case .boolean(let truth): return .boolean(truth)
        case .date(let instant): return .date(instant.date)
        case .data(let data): return .data(data)
        case .relationship: return nil
        case .array(let elements):
            let values = elements.compactMap(\.propertyList)
            return values.count == elements.count ? .array(values) : nil
        case .dictionary(let members):
            let values = members.compactMapValues(\.propertyList)
            return values.count == members.count ? .dictionary(values) : nil
        }
    }
}
