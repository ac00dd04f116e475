@testable import Automerge

/// The content of a document, maintained only by applying patches, as in a program that displays
/// it.
struct PatchedDocument {
    enum Node: Equatable {
        case map([ExactText: Value])
        case list([Value])
        /// The units of the text encoding, each with its marks.
        case text([Unit])
    }

    struct Unit: Equatable {
        var scalar: Unicode.Scalar
        var marks: [String: ScalarValue]
    }

    private(set) var nodes: [ObjId: Node]

    /// Copies the content of the document. Positions must be counted in Unicode scalars.
    init(_ document: Document, at heads: Set<ChangeHash>) throws {
        nodes = [:]
        var waiting: [(ObjId, ObjType)] = [(.ROOT, .Map)]
        while let (id, type) = waiting.popLast() {
            var values: [Value] = []
            switch type {
            case .Map:
                let entries = try document.mapEntriesAt(obj: id, heads: heads)
                nodes[id] = .map(
                    Dictionary(uniqueKeysWithValues: entries.map { (ExactText($0.0), $0.1) }))
                values = entries.map(\.1)
            case .List:
                values = try document.valuesAt(obj: id, heads: heads)
                nodes[id] = .list(values)
            case .Text:
                let text = try document.textAt(obj: id, heads: heads)
                var units = text.unicodeScalars.map { Unit(scalar: $0, marks: [:]) }
                for mark in try document.marksAt(obj: id, heads: heads) {
                    Self.apply(mark, to: &units)
                }
                nodes[id] = .text(units)
            }
            for case .Object(let child, let childType) in values {
                waiting.append((child, childType))
            }
        }
    }

    private static func apply(_ mark: Mark, to units: inout [Unit]) {
        guard case .Scalar(let value) = mark.value else { return }
        for position in Int(mark.start)..<min(Int(mark.end), units.count) {
            units[position].marks[mark.name] = value == .Null ? nil : value
        }
    }

    /// The nodes that are reachable from the root. Only these are compared.
    var reachable: [ObjId: Node] {
        var found: [ObjId: Node] = [:]
        var waiting = [ObjId.ROOT]
        while let id = waiting.popLast() {
            guard found[id] == nil, let node = nodes[id] else { continue }
            found[id] = node
            let values: [Value] =
                switch node {
                case .map(let entries): Array(entries.values)
                case .list(let values): values
                case .text: []
                }
            for case .Object(let child, _) in values { waiting.append(child) }
        }
        return found
    }

    struct BadPatch: Error { let patch: Patch }

    mutating func apply(_ patches: [Patch]) throws {
        for patch in patches {
            guard apply(patch.action) else { throw BadPatch(patch: patch) }
        }
    }

    /// A new object starts empty; separate patches fill it.
    private mutating func begin(_ value: Value) {
        guard case .Object(let id, let type) = value else { return }
        switch type {
        case .Map: nodes[id] = .map([:])
        case .List: nodes[id] = .list([])
        case .Text: nodes[id] = .text([])
        }
    }

    private mutating func apply(_ action: PatchAction) -> Bool {
        switch action {
        case .Put(let id, let prop, let value):
            begin(value)
            return update(id, prop) { $0 = value }
        case .Increment(let id, let prop, let amount):
            return update(id, prop) { value in
                if case .Scalar(.Counter(let sum)) = value {
                    value = .Scalar(.Counter(sum &+ amount))
                }
            }
        case .Conflict: return true
        case .DeleteMap(let id, let key):
            guard case .map(var entries) = nodes[id] else { return false }
            guard entries.removeValue(forKey: ExactText(key)) != nil else { return false }
            nodes[id] = .map(entries)
            return true
        case .Insert(let id, let index, let inserted, _):
            for value in inserted { begin(value) }
            guard case .list(var values) = nodes[id], index <= values.count else { return false }
            values.insert(contentsOf: inserted, at: Int(index))
            nodes[id] = .list(values)
            return true
        case .SpliceText(let id, let index, let text, let marks):
            guard case .text(var units) = nodes[id], index <= units.count else { return false }
            var present: [String: ScalarValue] = [:]
            for case (let name, .Scalar(let value)) in marks where value != .Null {
                present[name] = value
            }
            let inserted = text.unicodeScalars.map { Unit(scalar: $0, marks: present) }
            units.insert(contentsOf: inserted, at: Int(index))
            nodes[id] = .text(units)
            return true
        case .DeleteSeq(let deletion): return delete(deletion)
        case .Marks(let id, let marks):
            guard case .text(var units) = nodes[id] else { return false }
            for mark in marks { Self.apply(mark, to: &units) }
            nodes[id] = .text(units)
            return true
        }
    }

    private mutating func delete(_ deletion: DeleteSeq) -> Bool {
        let range = Int(deletion.index)..<Int(deletion.index + deletion.length)
        switch nodes[deletion.obj] {
        case .list(var values):
            guard range.upperBound <= values.count else { return false }
            values.removeSubrange(range)
            nodes[deletion.obj] = .list(values)
        case .text(var units):
            guard range.upperBound <= units.count else { return false }
            units.removeSubrange(range)
            nodes[deletion.obj] = .text(units)
        case .map, nil: return false
        }
        return true
    }

    private mutating func update(
        _ id: ObjId, _ prop: Prop, _ change: (inout Value) -> Void
    ) -> Bool {
        switch (nodes[id], prop) {
        case (.map(var entries), .Key(let key)):
            var value = entries[ExactText(key)] ?? .Scalar(.Null)
            change(&value)
            entries[ExactText(key)] = value
            nodes[id] = .map(entries)
        case (.list(var values), .Index(let index)):
            guard index < values.count else { return false }
            change(&values[Int(index)])
            nodes[id] = .list(values)
        default: return false
        }
        return true
    }
}
