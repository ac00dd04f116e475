import Foundation
import TestSupport

@testable import Automerge

/// An error for an edit with an unexpected effect.
struct WrongEffect: Error { let message: String }

/// Makes random edits through the public interface. After each edit it checks that the object holds
/// the same content as an array or dictionary would.
struct RandomEditor {
    var random: SeededRandom
    /// Whether the editor also marks texts.
    var marks = true

    private static let keys = ["a", "b", "c", "key/with~odd", "日", "é", "e\u{301}", ""]
    private static let pieces = [
        "x", "lorem", "é", "e\u{301}", "日本", "🇬🇧", "👨‍👩‍👧", "\n", "a b c", "🎉", "\u{FFFC}",
    ]

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func edit(_ document: Document) throws {
        let (object, type) = random.pick(try Self.objects(document))
        switch type {
        case .Map: try editMap(document, object)
        case .List: try editList(document, object)
        case .Text: try editText(document, object)
        }
    }

    /// The reachable objects, including the root.
    static func objects(_ document: Document) throws -> [(ObjId, ObjType)] {
        var found: [(ObjId, ObjType)] = []
        var waiting: [(ObjId, ObjType)] = [(.ROOT, .Map)]
        while let (object, type) = waiting.popLast() {
            found.append((object, type))
            guard type != .Text else { continue }
            for case .Object(let child, let childType) in try document.values(obj: object) {
                waiting.append((child, childType))
            }
        }
        return found
    }

    mutating func scalar() -> ScalarValue {
        switch random.number(0..<12) {
        case 0: return .Null
        case 1: return .Boolean(Bool.random(using: &random))
        case 2: return .Uint(UInt64.random(in: .min ... .max, using: &random))
        case 3: return .Int(Int64.random(in: .min ... .max, using: &random))
        case 4: return .F64(Double.random(in: -1e6...1e6, using: &random))
        case 5: return .F64(random.pick([.nan, .infinity, -0.0, .leastNonzeroMagnitude]))
        case 6:
            return .Bytes(
                Data(
                    (0..<random.number(0..<9)).map { _ in UInt8.random(in: 0...255, using: &random)
                    }))
        case 7:
            let milliseconds = Int64.random(
                in: -4_000_000_000_000...4_000_000_000_000, using: &random)
            return .timestamp(milliseconds: milliseconds)
        case 8, 9: return .Counter(Int64.random(in: -1_000_000...1_000_000, using: &random))
        default: return .String(text())
        }
    }

    mutating func text() -> String {
        (0..<random.number(0..<4)).map { _ in random.pick(Self.pieces) }.joined()
    }

    private mutating func type() -> ObjType { random.pick([.Map, .List, .Text, .Text]) }

    private func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard condition else { throw WrongEffect(message: message()) }
    }

    // MARK: Maps

    private mutating func editMap(_ document: Document, _ object: ObjId) throws {
        let key = random.pick(Self.keys)
        var expected: [ExactText: Value] = [:]
        for (key, value) in try document.mapEntries(obj: object) {
            expected[ExactText(key)] = value
        }
        let counters = try document.getAll(obj: object, key: key).filter(\.isCounter)
        switch random.number(0..<10) {
        case 0..<5:
            let value = scalar()
            try document.put(obj: object, key: key, value: value)
            expected[ExactText(key)] = .Scalar(value)
            try expect(
                try document.getAll(obj: object, key: key) == [.Scalar(value)],
                "a put leaves one value")
        case 5, 6:
            let type = type()
            let child = try document.putObject(obj: object, key: key, ty: type)
            expected[ExactText(key)] = .Object(child, type)
            try expect(
                try document.getAll(obj: object, key: key) == [.Object(child, type)],
                "putting an object leaves one value")
        case 7 where expected[ExactText(key)] != nil:
            try document.delete(obj: object, key: key)
            expected[ExactText(key)] = nil
            try expect(
                try document.getAll(obj: object, key: key).isEmpty, "a delete leaves no value")
        case 8, 9:
            guard !counters.isEmpty else { return }
            let amount = Int64.random(in: -100...100, using: &random)
            try document.increment(obj: object, key: key, by: amount)
            let after = try document.getAll(obj: object, key: key)
            try expect(
                after == Set(counters.map { $0.incremented(by: amount) }),
                "\(counters) incremented by \(amount) are \(after)")
            return
        default: return
        }
        var found: [ExactText: Value] = [:]
        for (key, value) in try document.mapEntries(obj: object) { found[ExactText(key)] = value }
        try expect(found == expected, "map is \(found), not \(expected)")
    }

    // MARK: Lists

    private mutating func editList(_ document: Document, _ object: ObjId) throws {
        var expected = try document.values(obj: object)
        let count = expected.count
        let index = random.number(0..<count + 1)
        switch random.number(0..<10) {
        case 0..<3:
            let value = scalar()
            try document.insert(obj: object, index: UInt64(index), value: value)
            expected.insert(.Scalar(value), at: index)
        case 3:
            let type = type()
            let child = try document.insertObject(obj: object, index: UInt64(index), ty: type)
            expected.insert(.Object(child, type), at: index)
        case 4 where index < count:
            let value = scalar()
            try document.put(obj: object, index: UInt64(index), value: value)
            expected[index] = .Scalar(value)
        case 5 where index < count:
            let type = type()
            let child = try document.putObject(obj: object, index: UInt64(index), ty: type)
            expected[index] = .Object(child, type)
        case 6 where index < count:
            try document.delete(obj: object, index: UInt64(index))
            expected.remove(at: index)
        case 7,
            8 where index < count:
            guard index < count else { return }
            let counters = try document.getAll(obj: object, index: UInt64(index)).filter(
                \.isCounter)
            guard !counters.isEmpty else { return }
            let amount = Int64.random(in: -100...100, using: &random)
            try document.increment(obj: object, index: UInt64(index), by: amount)
            let after = try document.getAll(obj: object, index: UInt64(index))
            try expect(
                after == Set(counters.map { $0.incremented(by: amount) }),
                "\(counters) incremented by \(amount) are \(after)")
            return
        default:
            let deleted = random.number(0..<count - index + 1)
            let values = (0..<random.number(0..<4)).map { _ in scalar() }
            // A negative number deletes backwards from the index.
            let backwards = random.chance(1, in: 3)
            let start = backwards ? index + deleted : index
            try document.splice(
                obj: object, start: UInt64(start),
                delete: backwards ? -Int64(deleted) : Int64(deleted), values: values)
            expected.replaceSubrange(index..<index + deleted, with: values.map(Value.Scalar))
        }
        let found = try document.values(obj: object)
        try expect(found == expected, "list is \(found), not \(expected)")
    }

    // MARK: Texts

    private mutating func editText(_ document: Document, _ object: ObjId) throws {
        let before = Array(try document.text(obj: object).unicodeScalars)
        let encoding = document.textEncoding
        /// The position of a scalar in units of the encoding.
        func position(_ index: Int) -> UInt64 {
            UInt64(encoding.width(String(String.UnicodeScalarView(before[..<index]))))
        }
        let start = random.number(0..<before.count + 1)
        let end = start + random.number(0..<min(before.count - start, 12) + 1)
        var expected = before
        switch random.number(0..<10) {
        case 0..<6:
            let deletes = random.chance(1, in: 3)
            let inserted = random.chance(1, in: 8) ? nil : text()
            let length = deletes ? Int64(position(end) - position(start)) : 0
            let backwards = deletes && random.chance(1, in: 3)
            try document.spliceText(
                obj: object, start: position(backwards ? end : start),
                delete: backwards ? -length : length, value: inserted)
            expected.replaceSubrange(
                start..<(deletes ? end : start), with: (inserted ?? "").unicodeScalars)
        case 6:
            expected.replaceSubrange(start..<end, with: text().unicodeScalars)
            try document.updateText(
                obj: object, value: String(String.UnicodeScalarView(expected)))
        default:
            guard marks, start < end else { return }
            try mark(document, object, position(start)..<position(end))
        }
        let found = try document.text(obj: object)
        try expect(
            ExactText(found) == ExactText(String(String.UnicodeScalarView(expected))),
            "text is \(found.debugDescription)")
    }

    private mutating func mark(
        _ document: Document, _ object: ObjId, _ range: Range<UInt64>
    ) throws {
        let name = random.pick(["bold", "link", "日"])
        let value: ScalarValue = random.chance(1, in: 3) ? .Null : random.pick([true, "x", 7])
        let expand = random.pick([ExpandMark.before, .after, .both, .none])
        try document.mark(
            obj: object, start: range.lowerBound, end: range.upperBound, expand: expand,
            name: name, value: value)
        let inside = try document.marks(obj: object).filter { $0.name == name }
        if value == .Null {
            let touching = inside.filter {
                $0.start < range.upperBound && range.lowerBound < $0.end
            }
            try expect(touching.isEmpty, "null removes the mark: \(touching)")
        } else {
            let covering = inside.filter {
                $0.start <= range.lowerBound && range.upperBound <= $0.end
                    && $0.value == .Scalar(value)
            }
            try expect(covering.count == 1, "\(name) over \(range) is in \(inside)")
        }
    }
}

extension Value {
    var isCounter: Bool { if case .Scalar(.Counter) = self { true } else { false } }

    func incremented(by amount: Int64) -> Value {
        if case .Scalar(.Counter(let sum)) = self { .Scalar(.Counter(sum &+ amount)) } else { self }
    }
}
