@testable import Automerge

extension Snapshot {
    /// Creates a snapshot of the engine's content, now or at `heads`.
    ///
    /// Reads the same content through several APIs, and throws if they disagree.
    init(of document: Document, at heads: Set<ChangeHash>? = nil, encoding: TextEncoding) throws {
        let reader = EngineReader(document: document, heads: heads, encoding: encoding)
        var waiting: [(ObjId, ObjType)] = [(.ROOT, .Map)]
        while let (id, type) = waiting.popLast() {
            let key = id.isRoot ? nil : ModelID(id)
            guard contents[key] == nil else { continue }
            let (content, children) = try reader.content(of: id, type)
            contents[key] = content
            waiting += children
        }
    }
}

extension ModelID {
    init(_ id: ObjId) { self.init(counter: id.counter, actor: id.actor.bytes) }
}

extension Snapshot.SeenValue {
    init(_ value: Value) {
        switch value {
        case .Object(let id, let type): self = .object(ModelID(id), type)
        case .Scalar(let scalar): self = .scalar(scalar)
        }
    }
}

/// An error for two APIs of the engine that return different answers.
struct EngineDisagreement: Error { let message: String }

private struct EngineReader {
    let document: Document
    let heads: Set<ChangeHash>?
    let encoding: TextEncoding

    typealias Children = [(ObjId, ObjType)]

    func content(of id: ObjId, _ type: ObjType) throws -> (Snapshot.Content, Children) {
        if heads == nil {
            try agree(document.objectType(obj: id) == type, "objectType of \(id)")
        }
        switch type {
        case .Map: return try map(id)
        case .List: return try list(id)
        case .Text: return (try text(id), [])
        }
    }

    private func agree(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        guard condition else { throw EngineDisagreement(message: what()) }
    }

    private func place(_ winner: Value?, _ all: Set<Value>) throws -> Snapshot.Place {
        guard let winner else { throw EngineDisagreement(message: "no winner of \(all)") }
        try agree(all.contains(winner), "\(winner) is not in \(all)")
        return Snapshot.Place(winner: .init(winner), all: Set(all.map(Snapshot.SeenValue.init)))
    }

    private func children(_ values: Set<Value>) -> Children {
        values.compactMap { if case .Object(let id, let type) = $0 { (id, type) } else { nil } }
    }

    private func map(_ id: ObjId) throws -> (Snapshot.Content, Children) {
        let keys: [String]
        let entries: [(String, Value)]
        let length: UInt64
        if let heads {
            keys = document.keysAt(obj: id, heads: heads)
            entries = try document.mapEntriesAt(obj: id, heads: heads)
            length = document.lengthAt(obj: id, heads: heads)
        } else {
            keys = document.keys(obj: id)
            entries = try document.mapEntries(obj: id)
            length = document.length(obj: id)
        }
        try agree(entries.map { ExactText($0.0) } == keys.map(ExactText.init), "keys of \(id)")
        try agree(length == UInt64(keys.count), "length of the map \(id)")
        var places: [ExactText: Snapshot.Place] = [:]
        var found: Children = []
        for (key, value) in entries {
            let winner: Value?
            let all: Set<Value>
            if let heads {
                winner = try document.getAt(obj: id, key: key, heads: heads)
                all = try document.getAllAt(obj: id, key: key, heads: heads)
            } else {
                winner = try document.get(obj: id, key: key)
                all = try document.getAll(obj: id, key: key)
            }
            try agree(winner == value, "\(key) of \(id)")
            places[ExactText(key)] = try place(winner, all)
            found += children(all)
        }
        return (.map(keys.map(ExactText.init), places), found)
    }

    private func list(_ id: ObjId) throws -> (Snapshot.Content, Children) {
        let values: [Value]
        let length: UInt64
        if let heads {
            values = try document.valuesAt(obj: id, heads: heads)
            length = document.lengthAt(obj: id, heads: heads)
        } else {
            values = try document.values(obj: id)
            length = document.length(obj: id)
        }
        try agree(length == UInt64(values.count), "length of the list \(id)")
        var places: [Snapshot.Place] = []
        var found: Children = []
        for (index, value) in values.enumerated() {
            let winner: Value?
            let all: Set<Value>
            if let heads {
                winner = try document.getAt(obj: id, index: UInt64(index), heads: heads)
                all = try document.getAllAt(obj: id, index: UInt64(index), heads: heads)
            } else {
                winner = try document.get(obj: id, index: UInt64(index))
                all = try document.getAll(obj: id, index: UInt64(index))
            }
            try agree(winner == value, "\(index) of \(id)")
            places.append(try place(winner, all))
            found += children(all)
        }
        return (.list(places), found)
    }

    private func text(_ id: ObjId) throws -> Snapshot.Content {
        let characters: String
        let length: UInt64
        let marks: [Mark]
        if let heads {
            characters = try document.textAt(obj: id, heads: heads)
            length = document.lengthAt(obj: id, heads: heads)
            marks = try document.marksAt(obj: id, heads: heads)
        } else {
            characters = try document.text(obj: id)
            length = document.length(obj: id)
            marks = try document.marks(obj: id)
        }
        let width = encoding.width(characters)
        try agree(length == UInt64(width), "length of the text \(id): \(length), not \(width)")
        var present = [[String: ScalarValue]](repeating: [:], count: width)
        for mark in marks {
            try agree(mark.start < mark.end && mark.end <= UInt64(width), "range of \(mark)")
            guard case .Scalar(let value) = mark.value else {
                throw EngineDisagreement(message: "value of \(mark)")
            }
            for position in Int(mark.start)..<Int(mark.end) {
                try agree(present[position][mark.name] == nil, "two \(mark.name) at \(position)")
                present[position][mark.name] = value
            }
        }
        return .text(ExactText(characters), marks: present)
    }
}
