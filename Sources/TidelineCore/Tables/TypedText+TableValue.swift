public import Foundation
import KeyValueStore
import Replication
public import Tables

extension TypedText {
    /// Parses the value of a table's column.
    ///
    /// A boolean is 1 or 0. The text of a UUID becomes its bytes if the column holds UUIDs. A date
    /// has the column's form: text in a text column, seconds since 2001 in a Core Data store,
    /// otherwise a number with the same epoch as the replaced value. JSON is written as text.
    ///
    /// - Parameters:
    ///   - old: The replaced value; `nil` for a new row.
    ///   - epoch: The epoch of the column's numbers, if known.
    /// - Throws: ``EditError`` with code `.invalid` and the expected form.
    public func tableValue(
        for column: NamedTable.Column, replacing old: TableValue?, counting epoch: Epoch? = nil
    ) throws(EditError) -> TableValue {
        switch kind {
        case .null: return .null
        case .string, .text:
            guard column.attributeType == .uuid else { return .text(text) }
            guard let uuid = UUID(uuidString: text) else {
                throw EditError(.invalid, "\(column.name) takes a UUID, not \(text.quoted)")
            }
            return .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .integer, .real, .boolean, .data:
            switch try value(as: PropertyList.self) {
            case .integer(let number): return .integer(number)
            case .real(let number): return .real(number)
            case .boolean(let truth): return .integer(truth ? 1 : 0)
            case .data(let data): return .blob(data)
            default: throw EditError(.invalid, "\(text) is too large for a column")
            }
        case .json:
            _ = try value(as: PropertyList.self)
            return .text(text)
        case .date:
            guard case .date(let date) = try value(as: PropertyList.self) else {
                throw EditError(.invalid, "not a date")
            }
            if column.isCoreDataDate { return Epoch.seconds2001.value(date) }
            if let epoch { return epoch.value(date) }
            if let old, let epoch = Epoch.guess(column: column.schema, values: [old]) {
                return epoch.value(date)
            }
            if column.schema.affinity == .text || column.schema.isDate {
                return .text(Timestamp(date).iso8601)
            }
            throw EditError(
                .invalid, "unknown date format of \(column.name): type the number or text"
            )
        case .counter, .timestamp, .map, .list, .relationship:
            throw EditError(.unsupported, "tables have no values of type \(kind.rawValue)")
        }
    }

    /// Creates the text for editing a table's value; `nil` for a value that isn't loaded or isn't
    /// UTF-8.
    public init?(_ value: TableValue, _ column: NamedTable.Column) {
        switch value {
        case .null: self.init(.null, "")
        case .integer(let number): self.init(.integer, String(number))
        case .real(let number):
            if column.isCoreDataDate, let date = Epoch.seconds2001.date(number) {
                self.init(.date, Timestamp(date).iso8601)
            } else {
                self.init(.real, "\(number)")
            }
        case .text(let text): self.init(.string, text)
        case .blob(let data):
            if column.attributeType == .uuid,
                case .uuid(let text) = BlobContent(data, uuid: .always).kind
            {
                self.init(.string, text)
            } else {
                self.init(.data, data.base64EncodedString())
            }
        case .malformedText, .unread: return nil
        }
    }
}

extension NamedTable.Column {
    /// Returns the value as the command line prints it. Core Data's dates are printed as dates.
    ///
    /// - Parameter folder: The folder of the store's files, to add their sizes.
    public func json(_ value: TableValue, in folder: ExternalFolder? = nil) -> JSONValue {
        if isCoreDataDate, let date = Epoch.seconds2001.date(value) {
            return .date(Timestamp(date))
        }
        if case .blob(let data) = value {
            switch external(data) {
            case .file(let name)?:
                guard let folder else { return .external(name) }
                return .external(name, byteCount: (try? folder.byteCount(of: name)) ?? nil)
            case .inline(let data)?: return .verbatim(TableValue.blob(data).json)
            case nil: break
            }
        }
        return .verbatim(value.json)
    }

    /// If Core Data may store the column's values in files, returns the value that the bytes
    /// represent. Otherwise, returns `nil`, because the bytes are the value itself.
    public func external(_ data: Data) -> ExternalBinary? {
        isExternalBinary ? ExternalBinary(stored: data) : nil
    }
}
