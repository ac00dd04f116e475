package import Foundation

/// A value that may be an array or a dictionary of other values of its type, for encoding and
/// decoding Swift's `Codable` types.
///
/// A type provides the content of its values (``treeContent``) and an initializer for the contents
/// that it supports (``init(tree:)``). It gets `encoding(_:)` and `decode(as:)`.
package protocol TreeValue: Sendable {
    /// The maximum nesting depth of arrays and dictionaries.
    static var treeDepthLimit: Int { get }

    /// Creates the value with this content. Returns `nil` if this type can't represent it, such as
    /// null or a number that is too large.
    init?(tree content: TreeContent<Self>)

    var treeContent: TreeContent<Self> { get }

    /// The kind of the value, as a word for messages.
    var treeKind: String { get }

    /// Returns whether Swift values of a type have their own kind, regardless of their `Codable`
    /// conformance.
    static func hasOwnKind(_ type: Any.Type) -> Bool

    /// Creates the value for a Swift value of such a type. Returns `nil` if that isn't possible.
    init?(ownKind value: Any)

    /// Returns the Swift value of such a type, or `nil` if this value is of another kind.
    func ownKind(_ type: Any.Type) -> Any?
}

extension TreeValue {
    package static func hasOwnKind(_ type: Any.Type) -> Bool { false }
    package init?(ownKind value: Any) { nil }
    package func ownKind(_ type: Any.Type) -> Any? { nil }
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
    case array([Value])
    case dictionary([Name: Value])
    /// A kind of value that only ``TreeValue/ownKind(_:)`` reads.
    case ownKind
}
