package import Automerge

extension DocumentView {
    /// A key or element for which several values stand side by side.
    public struct Conflict: Sendable {
        public struct Side: Sendable {
            package let written: WrittenValue
            /// The value as plain JSON.
            public let json: String
            /// In hexadecimal digits.
            public let actor: String
            /// `12@06a2b97e`.
            public let operation: String
        }

        public let pointer: String
        /// The value that is shown: that of the greatest operation.
        public let winner: Side
        /// The others, from the greatest operation to the least.
        public let others: [Side]

        public var sides: [Side] { [winner] + others }
    }

    /// Calls `body` with every conflict that the shown values lead to, in the order of the
    /// document.
    public func forEachConflict(at heads: Heads? = nil, _ body: (Conflict) throws -> Void) throws {
        try forEachConflictedPlace(at: heads) { pointer, place in
            try body(try conflict(pointer, place, at: heads))
        }
    }

    package func conflict(
        _ pointer: String, _ place: WrittenPlace, at heads: Heads?
    ) throws -> Conflict {
        Conflict(
            pointer: pointer, winner: try side(place.winner, at: heads),
            others: try place.others.map { try side($0, at: heads) })
    }

    private func side(_ written: WrittenValue, at heads: Heads?) throws -> Conflict.Side {
        Conflict.Side(
            written: written, json: try json(of: written.content, at: heads),
            actor: written.operation.actor.hexadecimal,
            operation: written.operation.description)
    }

    package func forEachConflictedPlace(
        at heads: Heads?, _ body: (String, WrittenPlace) throws -> Void
    ) throws {
        // Objects that are being gone through, the innermost last.
        var open: [(pointer: String, places: [WrittenPlace], next: Int)] = [
            ("", try places(of: .ROOT, at: heads), 0)
        ]
        while let (pointer, places, next) = open.last {
            guard next < places.count else {
                open.removeLast()
                continue
            }
            open[open.count - 1].next += 1
            let place = places[next]
            let inner = pointer + "/" + JSONPointer.step(place.prop)
            if !place.others.isEmpty { try body(inner, place) }
            if case .object(let id, let type) = place.winner.content, type != .Text {
                open.append((inner, try self.places(of: id, at: heads), 0))
            }
        }
    }

    /// What a map or list holds.
    package func places(of id: ObjId, at heads: Heads?) throws -> [WrittenPlace] {
        do {
            return try document.places(of: id, at: heads?.hashes)
        } catch let error as DocError {
            throw CoreError(.noAnswer, error.message)
        }
    }
}

extension DocumentView.Conflict {
    public var json: JSONValue {
        [
            "pointer": .string(pointer), "winner": winner.jsonValue,
            "others": .array(others.map(\.jsonValue)),
        ]
    }
}

extension DocumentView.Conflict.Side {
    fileprivate var jsonValue: JSONValue {
        ["value": .verbatim(json), "actor": .string(actor), "op": .string(operation)]
    }
}
