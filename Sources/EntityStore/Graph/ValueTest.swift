import Foundation
import LosslessJSON
import Replication

/// A condition's test, prepared for entries in the graph's form.
struct ValueTest {
    private enum Form {
        case exists
        case isIn([Operand])
        case contains([UInt8])
        case between(Operand?, Operand?)
    }

    /// A value in the form in which entries are compared with it.
    enum Operand {
        case text([UInt8])
        case encoded(EntityValueKind, [UInt8])
        case integer(Int64)
        case double(Double)
        case boolean(Bool)
        case date(Int64)
        case target(UInt32)
        /// A relationship to an unknown entity, which equals no entry.
        case nothing

        init(_ value: EntityValue, in graph: EntityGraph) throws(EntityStoreError) {
            switch value {
            case .string(let text): self = .text(Array(text.utf8))
            case .integer(let number): self = .integer(number)
            case .double(let number): self = .double(number)
            case .boolean(let flag): self = .boolean(flag)
            case .date(let date): self = .date(date.microseconds)
            case .data(let data): self = .encoded(.data, Array(data))
            case .relationship(let reference):
                guard let identifier = reference.identifier else {
                    throw EntityStoreError(
                        .invalidValue,
                        "a query for a relationship needs the identifier of its target")
                }
                self = graph.known(identifier).map { .target($0) } ?? .nothing
            case .array, .dictionary:
                var writer = JSONWriter()
                try value.writeJSON(to: &writer)
                self = .encoded(value.kind, writer.bytes)
            }
        }

        /// The hash of the entries that could equal the operand.
        var hash: UInt64? {
            switch self {
            case .text(let bytes), .encoded(_, let bytes): EntityGraph.hash(bytes[...])
            case .integer(let number), .date(let number):
                EntityGraph.hash(UInt64(bitPattern: number))
            case .double(let number): EntityGraph.hash(double: number)
            case .boolean(let flag): EntityGraph.hash(flag ? 1 : 0)
            case .target(let node): EntityGraph.hash(UInt64(node))
            case .nothing: nil
            }
        }
    }

    private let form: Form

    init(
        _ test: EntityCondition.Test, in graph: EntityGraph
    ) throws(EntityStoreError) {
        switch test {
        case .exists: form = .exists
        case .contains(let text): form = .contains(FoldedText.fold(text))
        case .isIn(let values):
            var operands: [Operand] = []
            for value in values { operands.append(try Operand(value, in: graph)) }
            form = .isIn(operands)
        case .between(let low, let high):
            var bounds: [Operand?] = []
            for bound in [low, high] {
                guard let bound else {
                    bounds.append(nil)
                    continue
                }
                switch bound {
                case .string(let text): bounds.append(.text(FoldedText.fold(text)))
                case .integer, .double, .date:
                    bounds.append(try Operand(bound, in: graph))
                default:
                    throw EntityStoreError(
                        .invalidValue,
                        "a range can't start or end with a value of type \(bound.kind.name)")
                }
            }
            form = .between(bounds[0], bounds[1])
        }
    }

    /// The hashes under which an index finds all matches; `nil` if there are none.
    var hashes: [UInt64]? {
        guard case .isIn(let operands) = form else { return nil }
        return operands.compactMap(\.hash)
    }

    func passes(_ entry: EntityGraph.Entry, in graph: EntityGraph) -> Bool {
        switch form {
        case .exists: return true
        case .isIn(let operands):
            return operands.contains { Self.order(entry, $0, in: graph) == 0 }
        case .contains(let part):
            guard entry.kind == .string || entry.kind == .array else { return false }
            if entry.kind == .string {
                return FoldedText.contains(FoldedText.fold(graph.text(of: entry)), part)
            }
            guard case .array(let elements) = graph.value(of: entry) else { return false }
            return elements.contains { FoldedText.fold($0.text) == part }
        case .between(let low, let high):
            func meets(_ bound: Operand?, _ isWithin: (Int) -> Bool) -> Bool {
                guard let bound else { return true }
                return Self.place(entry, bound, in: graph).map(isWithin) ?? false
            }
            return meets(low) { $0 >= 0 } && meets(high) { $0 <= 0 }
        }
    }

    /// Compares an entry with a bound. Text is compared without case and accents, as in sort
    /// orders.
    private static func place(
        _ entry: EntityGraph.Entry, _ bound: Operand, in graph: EntityGraph
    ) -> Int? {
        guard entry.kind == .string, case .text(let text) = bound else {
            return order(entry, bound, in: graph)
        }
        let folded = FoldedText.fold(graph.text(of: entry))
        return folded == text ? 0 : folded.lexicographicallyPrecedes(text) ? -1 : 1
    }

    /// Returns whether the entry is less than (negative), equal to, or greater than the operand;
    /// `nil` if they can't be compared. Values of kinds without an order are either equal or can't
    /// be compared.
    private static func order(
        _ entry: EntityGraph.Entry, _ operand: Operand, in graph: EntityGraph
    ) -> Int? {
        switch (entry.kind, operand) {
        case (.string, .text(let text)):
            let bytes = graph.bytes(of: entry)
            if bytes.elementsEqual(text) { return 0 }
            return bytes.lexicographicallyPrecedes(text) ? -1 : 1
        case (let kind, .encoded(let other, let bytes)):
            return kind == other && graph.bytes(of: entry).elementsEqual(bytes) ? 0 : nil
        case (.integer, .integer(let number)):
            return order(Int64(bitPattern: entry.payload), number)
        case (.date, .date(let number)):
            return order(Int64(bitPattern: entry.payload), number)
        case (.integer, .double(let number)):
            return order(Double(Int64(bitPattern: entry.payload)), number)
        case (.double, .integer(let number)):
            return order(Double(bitPattern: entry.payload), Double(number))
        case (.double, .double(let number)):
            let value = Double(bitPattern: entry.payload)
            if value.isNaN && number.isNaN { return 0 }
            return order(value, number)
        case (.boolean, .boolean(let flag)):
            return order(entry.payload == 0 ? 0 : 1, flag ? 1 : 0)
        case (.relationship, .target(let node)):
            return entry.payload == UInt64(node) ? 0 : nil
        default: return nil
        }
    }

    private static func order<Number: Comparable>(_ a: Number, _ b: Number) -> Int? {
        a < b ? -1 : a == b ? 0 : a > b ? 1 : nil
    }
}
