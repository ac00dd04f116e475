@testable import Automerge

/// A simple model of Automerge's semantics: operations, sorted and replayed.
///
/// - An operation supersedes its predecessors. An increment instead adds to the counters among them.
/// - Values that no operation supersedes are concurrent. The value with the greatest identity wins.
/// - An element follows the element that it was inserted after. If several elements were inserted
///   after the same element, the one with the greatest identity comes first.
/// - A mark extends from its begin to its end. If several marks have the same name, the one with the
///   greatest identity wins. A null value removes the mark.
struct ModelDocument {
    private var values: [ModelID?: [ModelOperation.Key: [ModelOperation]]] = [:]
    private var inserted: [ModelID?: [ModelID?: [ModelOperation]]] = [:]
    private var superseded: Set<ModelID> = []
    private var increments: [ModelID: Int64] = [:]
    private var kinds: [ModelID: ObjType] = [:]

    init(_ changes: [ModelChange]) {
        let operations = changes.flatMap(\.operations).sorted { $0.id < $1.id }
        let counters = Set(operations.filter(\.isCounter).map(\.id))
        for operation in operations {
            for predecessor in operation.predecessors {
                if case .increment(let amount) = operation.action, counters.contains(predecessor) {
                    increments[predecessor, default: 0] &+= amount
                } else {
                    superseded.insert(predecessor)
                }
            }
            if case .make(let type) = operation.action { kinds[operation.id] = type }
            if operation.isInsert, case .element(let after) = operation.key {
                inserted[operation.object, default: [:]][after, default: []].append(operation)
            }
            // An insertion puts the value of the element it creates.
            let key = operation.isInsert ? .element(operation.id) : operation.key
            if operation.isValue {
                values[operation.object, default: [:]][key, default: []].append(operation)
            }
        }
    }

    /// All visible content, with positions in texts counted in units of `encoding`.
    func snapshot(_ encoding: TextEncoding) -> Snapshot {
        var snapshot = Snapshot()
        var waiting: [(ModelID?, ObjType)] = [(nil, .Map)]
        while let (id, type) = waiting.popLast() {
            guard snapshot.contents[id] == nil else { continue }
            let content = content(of: id, type, encoding)
            snapshot.contents[id] = content
            for place in content.places {
                for case .object(let child, let childType) in place.all {
                    waiting.append((child, childType))
                }
            }
        }
        return snapshot
    }

    private func content(
        of id: ModelID?, _ type: ObjType, _ encoding: TextEncoding
    ) -> Snapshot.Content {
        switch type {
        case .Map:
            var places: [ExactText: Snapshot.Place] = [:]
            for case (.map(let key), _) in values[id] ?? [:] {
                places[key] = place(id, .map(key))
            }
            return .map(places.keys.sorted(), places)
        case .List:
            return .list(order(of: id).compactMap { place(id, .element($0.id)) })
        case .Text: return text(id, encoding)
        }
    }

    private func place(_ object: ModelID?, _ key: ModelOperation.Key) -> Snapshot.Place? {
        let visible = (values[object]?[key] ?? []).filter { !superseded.contains($0.id) }
        guard let winner = visible.last else { return nil }
        return Snapshot.Place(winner: seen(winner), all: Set(visible.map(seen)))
    }

    private func seen(_ operation: ModelOperation) -> Snapshot.SeenValue {
        switch operation.action {
        case .make(let type): .object(operation.id, type)
        case .put(.Counter(let start)): .scalar(.Counter(start &+ (increments[operation.id] ?? 0)))
        case .put(let value): .scalar(value)
        case .delete, .increment, .beginMark, .endMark: .scalar(.Null)
        }
    }

    /// The insertions of a list or text in order, including deleted elements and marks.
    private func order(of object: ModelID?) -> [ModelOperation] {
        let children = inserted[object] ?? [:]
        var result: [ModelOperation] = []
        // The operations are sorted. The greatest is last and is popped first.
        var waiting = children[nil] ?? []
        while let next = waiting.popLast() {
            result.append(next)
            waiting += children[next.id] ?? []
        }
        return result
    }

    private func text(_ object: ModelID?, _ encoding: TextEncoding) -> Snapshot.Content {
        var characters = ""
        var marks: [[String: ScalarValue]] = []
        var active: [ModelID: (name: String, value: ScalarValue)] = [:]
        for element in order(of: object) {
            switch element.action {
            case .beginMark(let name, let value): active[element.id] = (name, value)
            case .endMark:
                let begin = ModelID(counter: element.id.counter - 1, actor: element.id.actor)
                active[begin] = nil
            default:
                guard let place = place(object, .element(element.id)) else { continue }
                var piece = "\u{FFFC}"
                if case .scalar(.String(let string)) = place.winner { piece = string }
                characters += piece
                var present: [String: ScalarValue] = [:]
                for (_, mark) in active.sorted(by: { $0.key < $1.key }) {
                    present[mark.name] = mark.value
                }
                let shown = present.filter { $0.value != .Null }
                marks += Array(repeating: shown, count: encoding.width(piece))
            }
        }
        return .text(ExactText(characters), marks: marks)
    }
}

extension Snapshot.Content {
    /// The places whose values can be objects.
    var places: [Snapshot.Place] {
        switch self {
        case .map(_, let places): Array(places.values)
        case .list(let places): places
        case .text: []
        }
    }
}
