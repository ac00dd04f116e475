import Foundation

@testable import Automerge

/// A snapshot in the form of the corpus records.
extension Snapshot {
    /// The content of an object, with winners only.
    func json(of id: ModelID? = nil) -> JSONValue {
        switch contents[id] {
        case .map(_, let places): .object(places.mapValues { json($0.winner) })
        case .list(let places): .array(places.map { json($0.winner) })
        case .text(let characters, _): .string(characters)
        case nil: .null
        }
    }

    func json(_ value: SeenValue) -> JSONValue {
        switch value {
        case .object(let id, _): json(of: id)
        case .scalar(.Null): .null
        case .scalar(.Boolean(let value)): .boolean(value)
        case .scalar(.Int(let value)), .scalar(.Counter(let value)): .integer(value)
        case .scalar(.Uint(let value)): JSONValue(value)
        case .scalar(.F64(let value)): JSONValue(value)
        case .scalar(.String(let value)): .string(ExactText(value))
        case .scalar(.Timestamp(let date)):
            JSONValue((date.timeIntervalSince1970 * 1000).rounded())
        case .scalar(.Bytes(let data)), .scalar(.Unknown(_, let data)):
            .array(data.map { .integer(Int64($0)) })
        }
    }

    /// Visits every place that is reachable through winners, with its JSON Pointer.
    private func visit(
        _ id: ModelID? = nil, _ pointer: String = "",
        place: (String, Place) -> Void, text: (String, [[String: ScalarValue]]) -> Void
    ) {
        func go(_ step: String, _ found: Place) {
            let next = pointer + "/" + step
            place(next, found)
            if case .object(let child, _) = found.winner {
                visit(child, next, place: place, text: text)
            }
        }
        switch contents[id] {
        case .map(let keys, let places):
            for key in keys {
                let step = key.description.replacing("~", with: "~0").replacing("/", with: "~1")
                if let found = places[key] { go(step, found) }
            }
        case .list(let places):
            for (index, found) in places.enumerated() { go(String(index), found) }
        case .text(_, let marks): text(pointer, marks)
        case nil: break
        }
    }

    /// The places with more than one value, and their values.
    func conflicts() -> [String: Set<JSONValue>] {
        var result: [String: Set<JSONValue>] = [:]
        visit(
            place: { pointer, place in
                if place.all.count > 1 { result[pointer] = Set(place.all.map(json)) }
            }, text: { _, _ in })
        return result
    }

    /// The marks at each position of every marked text.
    func marks() -> [String: [[String: JSONValue]]] {
        var result: [String: [[String: JSONValue]]] = [:]
        visit(
            place: { _, _ in },
            text: { pointer, marks in
                guard marks.contains(where: { !$0.isEmpty }) else { return }
                result[pointer] = marks.map { $0.mapValues { json(.scalar($0)) } }
            })
        return result
    }
}
