package import Automerge
import Foundation
import Replication

extension DocumentView {
    /// One step between two states of a document, applied to the result of the previous step.
    public struct Difference: Sendable {
        package let patch: Patch

        /// The pointer of the key, item or object.
        public var pointer: String { JSONPointer.pointer(patch.place) }

        /// The step as `docs diff --json` prints it: its action, operands and pointer.
        public var json: JSONValue {
            var members = patch.action.members
            members["pointer"] = .string(pointer)
            return .object(members)
        }

        /// The step in one readable line.
        public var line: String { patch.action.line(pointer) }
    }

    /// The steps between two states.
    public struct Differences: Sendable {
        /// The steps, in the order in which they apply.
        public let steps: [Difference]
        /// The number of steps that aren't listed because their pointers exceed
        /// ``DocumentView/longestPointer``.
        public let leftOutCount: Int

        init(_ comparison: (patches: [Patch], leftOut: Int)) {
            steps = comparison.patches.filter(\.hasShortPointer).map(Difference.init)
            leftOutCount = comparison.leftOut + comparison.patches.count - steps.count
        }

        /// The message about steps that aren't listed.
        public var problem: String? {
            guard leftOutCount > 0 else { return nil }
            return "at least \(Counted.text(leftOutCount, "more step")) not listed: "
                + "nested so deep that their pointers exceed \(Counted.text(longestPointer, "byte"))"
        }
    }

    /// Returns the steps that turn the document at `before` into the one at `after`.
    ///
    /// - Parameters:
    ///   - before: The first point of the history.
    ///   - after: The second point of the history.
    /// - Complexity: O(*n*) in the number of operations between the two points, and in the length
    ///   of the affected lists.
    public func differences(from before: Heads, to after: Heads) -> Differences {
        Differences(document.comparison(from: before.hashes, to: after.hashes))
    }

    /// Returns the steps of a change, relative to its dependencies.
    func differences(by change: RecordedChange) -> Differences {
        Differences(document.comparison(from: Set(change.dependencies), to: [change.hash]))
    }
}

extension Patch {
    /// Whether the step's pointer is short enough to be listed.
    fileprivate var hasShortPointer: Bool {
        var count = 0
        for element in path {
            count += 1
            if case .Key(let key) = element.prop { count += key.utf8.count }
            guard count <= DocumentView.longestPointer else { return false }
        }
        return true
    }

    /// The path of the key or item that the step changes. If the step changes a range, the path of
    /// the list or text.
    var place: [Prop] { action.place(inObjectAt: path) }
}

extension PatchAction {
    /// Returns the path of the changed key or item or, if a range is changed, of its object.
    func place(inObjectAt path: [PathElement]) -> [Prop] {
        let object = path.map(\.prop)
        switch self {
        case .Put(_, let prop, _), .Increment(_, let prop, _), .Conflict(_, let prop):
            return object + [prop]
        case .DeleteMap(_, let key): return object + [.Key(key)]
        case .Insert, .SpliceText, .DeleteSeq, .Marks: return object
        }
    }

    fileprivate var members: [Name: JSONValue] {
        switch self {
        case .Put(_, _, let value):
            ["action": "put", "type": .string(value.typeName), "value": value.json]
        case .Insert(_, let index, let values, _):
            [
                "action": "insert", "index": .unsigned(index),
                "types": .array(values.map { .string($0.typeName) }),
                "values": .array(values.map(\.json)),
            ]
        case .SpliceText(_, let index, let text, let marks):
            [
                "action": "splice", "index": .unsigned(index), "text": .string(text),
                "marks": .object(Dictionary(marks.mapValues(\.json))),
            ]
        case .Increment(_, _, let amount): ["action": "increment", "by": .integer(amount)]
        case .DeleteMap: ["action": "delete"]
        case .DeleteSeq(let range):
            [
                "action": "delete", "index": .unsigned(range.index),
                "length": .unsigned(range.length),
            ]
        case .Marks(_, let marks):
            ["action": "mark", "marks": .array(marks.map(\.json))]
        case .Conflict: ["action": "conflict"]
        }
    }

    fileprivate func line(_ pointer: String) -> String {
        switch self {
        case .Put(_, _, let value): "\(pointer) = \(value.line)"
        case .Insert(_, let index, let values, _):
            "\(pointer) at \(index) + \(values.map(\.line).joined(separator: ", "))"
        case .SpliceText(_, let index, let text, _):
            "\(pointer) at \(index) + \(JSONValue.string(text).line)"
        case .Increment(_, _, let amount):
            "\(pointer) \(amount < 0 ? "-" : "+")= \(amount.magnitude)"
        case .DeleteMap: "\(pointer) deleted"
        case .DeleteSeq(let range):
            "\(pointer) at \(range.index) - \(range.length)"
                + (range.length == 1 ? " item" : " items")
        case .Marks(_, let marks):
            "\(pointer) marked " + marks.map(\.line).joined(separator: ", ")
        case .Conflict: "\(pointer) is in conflict"
        }
    }
}

extension Value {
    /// An object is encoded as an empty object, and its content follows in further steps.
    fileprivate var json: JSONValue {
        switch self {
        case .Object(_, .Map): .object([:])
        case .Object(_, .List): .array([])
        case .Object(_, .Text): .string("")
        case .Scalar(let value): value.json
        }
    }

    fileprivate var line: String {
        switch self {
        case .Object(_, .Map): "a map"
        case .Object(_, .List): "a list"
        case .Object(_, .Text): "a text"
        case .Scalar(let value): value.json.line
        }
    }

    fileprivate var typeName: String {
        switch self {
        case .Object(let id, let type): WrittenValue.Content.object(id, type).typeName
        case .Scalar(let value): WrittenValue.Content.scalar(value).typeName
        }
    }
}

extension ScalarValue {
    /// The value in the form of ``DocumentView/json(at:indented:)``.
    var json: JSONValue {
        switch self {
        case .Null: .null
        case .Boolean(let value): .boolean(value)
        case .Int(let value), .Counter(let value): .integer(value)
        case .Uint(let value): .unsigned(value)
        case .F64(let value): .real(value)
        case .String(let value): .string(value)
        case .Timestamp(let date):
            .integer(Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0)
        case .Bytes(let data), .Unknown(_, let data): .array(data.map { .integer(Int64($0)) })
        }
    }
}

extension Mark {
    var json: JSONValue {
        [
            "name": .string(name), "start": .unsigned(start), "end": .unsigned(end),
            "value": value.json,
        ]
    }

    /// `bold 3–7`, with the value unless it is `true`.
    var line: String {
        let place = "\(name) \(start)–\(end)"
        return value == .Scalar(.Boolean(true)) ? place : "\(place) \(value.line)"
    }
}

extension WrittenValue.Content {
    /// The names of all types. Types of later format versions are named `type` and
    /// their number: `type 12`.
    static let typeNames = [
        "map", "list", "text", "timestamp", "null", "boolean", "integer", "unsigned", "real",
        "string", "bytes", "counter", "type *",
    ]

    /// Whether the value is a map or a list, which opens as a list of rows.
    var isContainer: Bool {
        switch self {
        case .object(_, .Map), .object(_, .List): true
        default: false
        }
    }

    var isCounter: Bool {
        if case .scalar(.Counter) = self { true } else { false }
    }

    package var typeName: String {
        switch self {
        case .object(_, .Map): "map"
        case .object(_, .List): "list"
        case .object(_, .Text): "text"
        case .timestamp, .scalar(.Timestamp): "timestamp"
        case .scalar(.Null): "null"
        case .scalar(.Boolean): "boolean"
        case .scalar(.Int): "integer"
        case .scalar(.Uint): "unsigned"
        case .scalar(.F64): "real"
        case .scalar(.String): "string"
        case .scalar(.Bytes): "bytes"
        case .scalar(.Counter): "counter"
        case .scalar(.Unknown(let code, _)): "type \(code)"
        }
    }
}
