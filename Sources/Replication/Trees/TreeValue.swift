package import Foundation

/// A value that may be an array or a dictionary of others of its type: what Swift's `Codable` is
/// encoded to and decoded from.
///
/// A type says what its values hold (``treeContent``) and which contents it can hold
/// (``init(tree:)``), and has `encoding(_:)` and `decode(as:)` for it.
package protocol TreeValue: Sendable {
    /// How many arrays and dictionaries may stand inside one another.
    static var treeDepthLimit: Int { get }

    /// The value with this content; `nil` where no value of this type can hold it, such as null, or
    /// a number that is too large.
    init?(tree content: TreeContent<Self>)

    var treeContent: TreeContent<Self> { get }

    /// What kind of value it is, as a word for messages.
    var treeKind: String { get }

    /// Whether Swift values of a type are held as a kind of value of their own, whatever their own
    /// `Codable` says.
    static func hasOwnKind(_ type: Any.Type) -> Bool

    /// The value that holds a Swift value of such a type; `nil` where none can.
    init?(ownKind value: Any)

    /// The Swift value of such a type; `nil` where this one is of another kind.
    func ownKind(_ type: Any.Type) -> Any?
}

extension TreeValue {
    package static func hasOwnKind(_ type: Any.Type) -> Bool { false }
    package init?(ownKind value: Any) { nil }
    package func ownKind(_ type: Any.Type) -> Any? { nil }
}

/// What a value of a tree holds.
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
