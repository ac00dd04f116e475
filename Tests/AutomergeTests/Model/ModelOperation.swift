@testable import Automerge

/// The identity of an operation. The order decides which concurrent operation wins.
struct ModelID: Hashable, Comparable, CustomStringConvertible {
    let counter: UInt64
    let actor: [UInt8]

    static func < (lhs: ModelID, rhs: ModelID) -> Bool {
        lhs.counter == rhs.counter
            ? lhs.actor.lexicographicallyPrecedes(rhs.actor) : lhs.counter < rhs.counter
    }

    var description: String { "\(counter)@\(actor.map { String($0, radix: 16) }.joined())" }
}

/// One operation of a change.
struct ModelOperation {
    enum Key: Hashable {
        case map(ExactText)
        /// An element of a list or text; `nil` is the place before the first element.
        case element(ModelID?)
    }

    enum Action {
        case make(ObjType)
        case put(ScalarValue)
        case delete
        case increment(Int64)
        case beginMark(name: String, value: ScalarValue)
        case endMark
    }

    let id: ModelID
    /// The object; `nil` is the root.
    let object: ModelID?
    let key: Key
    let isInsert: Bool
    let action: Action
    let predecessors: [ModelID]

    var isCounter: Bool { if case .put(.Counter) = action { true } else { false } }

    /// Whether the operation has a value that is visible unless others replace it.
    var isValue: Bool {
        switch action {
        case .make, .put: true
        case .delete, .increment, .beginMark, .endMark: false
        }
    }
}

/// One change.
struct ModelChange {
    let actor: [UInt8]
    let sequence: UInt64
    let firstCounter: UInt64
    let time: Int64
    let message: String?
    let dependencies: [ChangeHash]
    let operations: [ModelOperation]
}
