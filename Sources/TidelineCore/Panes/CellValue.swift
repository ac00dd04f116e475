package import Replication

/// The typed value behind a cell's text. The values of every data model conform to it.
package protocol CellContent: Hashable, Sendable {
    /// The value in the JSON form of the command line.
    ///
    /// - Complexity: O(*n*) in the size of the value, which may have to be decoded.
    var asJSON: JSONValue { get }
    /// Whether the value itself was loaded, not only its size.
    var isLoaded: Bool { get }
    /// The number, if the value is one.
    var asNumber: FilterNumber? { get }
    /// The text without quotation marks, if the value is a text.
    var asText: String? { get }
    /// The instant, if the value is one.
    var asInstant: Timestamp? { get }
}

/// By default, a value is loaded with its row, and is neither a number, a text nor an instant.
extension CellContent {
    package var isLoaded: Bool { true }
    package var asNumber: FilterNumber? { nil }
    package var asText: String? { nil }
    package var asInstant: Timestamp? { nil }
}

extension CellContent where Self: TreeValue {
    package var asNumber: FilterNumber? {
        switch treeContent {
        case .integer(let number): FilterNumber(integer: Int128(number))
        case .unsigned(let number): FilterNumber(integer: Int128(number))
        case .double(let number): FilterNumber(number)
        default: nil
        }
    }

    package var asText: String? { if case .string(let text) = treeContent { text } else { nil } }

    package var asInstant: Timestamp? {
        switch treeContent {
        case .date(let date): Timestamp(date)
        case .instant(let instant): instant
        default: nil
        }
    }
}

/// The value that a cell shows, for comparison and export.
public struct CellValue: Hashable, Sendable {
    private let content: any CellContent

    /// Wraps a value of any data model.
    package init(_ content: any CellContent) { self.content = content }

    /// Wraps a value that is already JSON.
    public static func json(_ json: JSONValue) -> Self { Self(json) }

    /// The value in the JSON form of the command line.
    ///
    /// - Complexity: O(*n*) in the size of the value, which may have to be decoded.
    public var json: JSONValue { content.asJSON }
    /// Returns the value as a value of a data model; `nil` if it belongs to another data model.
    func unwrapped<Content: CellContent>(as type: Content.Type) -> Content? {
        content as? Content
    }
    var isLoaded: Bool { content.isLoaded }
    var number: FilterNumber? { content.asNumber }
    package var string: String? { content.asText }
    var instant: Timestamp? { content.asInstant }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        AnyHashable(lhs.content) == AnyHashable(rhs.content)
    }

    public func hash(into hasher: inout Hasher) { content.hash(into: &hasher) }
}

extension JSONValue: CellContent {
    package var asJSON: JSONValue { self }

    package var asNumber: FilterNumber? {
        switch self {
        case .integer(let number): FilterNumber(integer: Int128(number))
        case .unsigned(let number): FilterNumber(integer: Int128(number))
        case .real(let number): FilterNumber(number)
        default: nil
        }
    }

    package var asText: String? { if case .string(let text) = self { text } else { nil } }
}
