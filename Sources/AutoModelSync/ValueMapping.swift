import AutoModel
import EntityStore
import Foundation
import Replication

extension SyncedModel.Column {
    var key: String { EntityNames.key(name) }

    /// Returns the row that a stored value refers to; `nil` if the value isn't a reference.
    func target(of value: SQLValue) -> RowKey? {
        guard case .reference(let table) = kind, case .integer(let id) = value else { return nil }
        return RowKey(table: table, id: id)
    }

    /// Returns the property value for a stored value; `nil` for `NULL`.
    ///
    /// - Parameter target: Returns the entity of a referenced row; `nil` if the row has no entity.
    func entityValue(_ value: SQLValue, target: (RowKey) -> String?) -> EntityValue? {
        switch (kind, value) {
        case (_, .null): return nil
        case (.boolean, .integer(let number)) where number == 0 || number == 1:
            return .boolean(number == 1)
        case (.date, .real(let seconds)):
            let stamp = Timestamp(Date(timeIntervalSince1970: seconds))
            // A date that isn't a whole number of microseconds is sent as a number.
            for candidate in [
                stamp, stamp.successor, Timestamp(microseconds: stamp.microseconds &- 1),
            ]
            where candidate.isRecordable && candidate.date.timeIntervalSince1970 == seconds {
                return .date(candidate)
            }
            return .double(seconds)
        case (.reference, .integer):
            return self.target(of: value).flatMap(target).map { .relationship(.identifier($0)) }
        case (_, .integer(let number)): return .integer(number)
        case (_, .real(let number)): return .double(number)
        case (_, .text(let text)): return .string(text)
        case (_, .blob(let data)): return .data(data)
        }
    }

    /// Returns the stored value of a property; `nil` if the column can't hold the value.
    func sqlValue(_ value: EntityValue, id: (_ identifier: String, _ table: String) -> Int64)
        -> SQLValue?
    {
        let stored: SQLValue? =
            switch (kind, value) {
            case (.boolean, .boolean(let isTrue)): .integer(isTrue ? 1 : 0)
            case (.boolean, .integer(let number)): .integer(number)
            case (.date, .date(let date)): .real(date.date.timeIntervalSince1970)
            case (.date, .double(let number)) where !number.isNaN: .real(number)
            case (.date, .integer(let number)): .real(Double(number))
            case (.reference(let table), .relationship(let target)):
                target.identifier.map { .integer(id($0, table)) }
            case (.other(.integer), .integer(let number)): .integer(number)
            case (.other(.real), .double(let number)) where !number.isNaN: .real(number)
            case (.other(.real), .integer(let number)): .real(Double(number))
            case (.other(.text), .string(let text)): .text(text)
            case (.other(.blob), .data(let data)): .blob(data)
            default: nil
            }
        return stored.flatMap { fits($0) ? $0 : nil }
    }
}
