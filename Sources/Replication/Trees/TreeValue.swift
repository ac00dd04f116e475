package import Foundation

/// A type whose values may be arrays or dictionaries of other values of the type, and can be
/// created from their content.
package protocol TreeReadable: Sendable {
    /// The maximum nesting depth of arrays and dictionaries.
    static var treeDepthLimit: Int { get }

    /// Creates the value with this content. Returns `nil` if this type can't represent it, such as
    /// null or a number that is too large.
    init?(tree content: TreeContent<Self>)
}

/// A value whose content can be read, for encoding and decoding Swift's `Codable` types.
///
/// A type provides the content of its values (``treeContent``). It gets `encoding(_:)` and
/// `decode(as:)`, and the conversion from other types of values.
package protocol TreeValue: TreeReadable {
    var treeContent: TreeContent<Self> { get }

    /// The kind of the value, as a word for messages.
    var treeKind: String { get }

    /// Returns whether Swift values of a type have their own kind, regardless of their `Codable`
    /// conformance.
    static func hasOwnKind(_ type: Any.Type) -> Bool

    /// Creates the value for a Swift value of a type that has its own kind. Returns `nil` if that
    /// isn't possible.
    init?(ownKind value: Any)

    /// Returns this value as a Swift value of a type that has its own kind; `nil` if this value is
    /// of another kind.
    func ownKind(_ type: Any.Type) -> Any?
}

extension TreeValue {
    package static func hasOwnKind(_ type: Any.Type) -> Bool { false }
    package init?(ownKind value: Any) { nil }
    package func ownKind(_ type: Any.Type) -> Any? { nil }
}

extension TreeReadable {
    /// Creates the same value as a value of another type. Returns `nil` if this type can't
    /// represent it or a part of it.
    package init?(converting other: some TreeValue) {
        let content: TreeContent<Self>
        switch other.treeContent {
        case .null: content = .null
        case .boolean(let truth): content = .boolean(truth)
        case .integer(let number): content = .integer(number)
        case .unsigned(let number): content = .unsigned(number)
        case .double(let number): content = .double(number)
        case .string(let text): content = .string(text)
        case .data(let data): content = .data(data)
        case .date(let date): content = .date(date)
        case .instant(let instant): content = .instant(instant)
        case .array(let elements):
            let values = elements.compactMap { Self(converting: $0) }
            guard values.count == elements.count else { return nil }
            content = .array(values)
        case .dictionary(let members):
            let values = members.compactMapValues { Self(converting: $0) }
            guard values.count == members.count else { return nil }
            content = .dictionary(values)
        case .ownKind: return nil
        }
        self.init(tree: content)
    }
}

/// The content of a value of a tree.
package enum TreeContent<Value> {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    /// A date in whole microseconds.
    case instant(Timestamp)
    case array([Value])
    case dictionary([Name: Value])
    /// A kind of value that only ``TreeValue/ownKind(_:)`` reads.
    case ownKind
}
