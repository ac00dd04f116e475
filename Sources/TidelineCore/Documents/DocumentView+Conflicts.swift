package import Automerge
public import Replication

extension DocumentView {
    /// A key or item with concurrent values.
    public struct Conflict: Sendable {
        /// One of the values, with its writer.
        public struct Side: Sendable {
            package let written: WrittenValue
            /// The value as plain JSON.
            public let json: String
            /// The actor in hexadecimal digits.
            public let actor: String
            /// The operation: `12@06a2b97e`.
            public let operation: String
            /// The device that wrote the value, if known; otherwise its actor.
            public let author: Author
            /// The time of the write, by its author's clock; `nil` if it wasn't recorded.
            public let date: Timestamp?
        }

        /// The JSON Pointer (RFC 6901) of the key or item.
        public let pointer: String
        /// The visible value: the value of the greatest operation.
        public let winner: Side
        /// The other values, by descending operation.
        public let others: [Side]
    }

    /// The maximum length of a pointer in bytes. A document of a few hundred kilobytes can be
    /// nested so deep that its pointers take up gigabytes.
    public static let longestPointer = 4_096
    /// The maximum total length of all pointers in a list of conflicts.
    static let pointerBytes = 64 << 20

    /// Calls `body` with every conflict among the visible values, in document order.
    ///
    /// - Returns: The number of further conflicts, whose pointers exceed ``longestPointer``.
    /// - Throws: Errors of `body`.
    /// - Complexity: O(*n*) in the number of values and in the bytes of the returned pointers.
    @discardableResult
    public func forEachConflict(_ body: (Conflict) throws -> Void) throws -> Int {
        try forEachConflictedPlace(at: nil) { pointer, place in
            try body(try conflict(pointer, place, at: nil))
        }
    }

    /// Returns a message about conflicts that aren't listed; `nil` for a count of zero.
    public static func unlisted(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        return "\(Counted.text(count, "more conflict")) not listed: the pointers are longer than "
            + "\(Counted.text(longestPointer, "byte")), or than 64 MiB in total"
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
            operation: written.operation.description,
            author: author(of: written.operation.actor),
            date: written.change.flatMap { document.recordedChange($0)?.timestamp })
    }

    /// Returns the number of keys and items in conflict.
    ///
    /// - Complexity: O(*n*) in the number of values, at any depth.
    package func conflictCount(at heads: Heads? = nil) throws -> Int {
        var walk = PlaceWalk(longestPointer: 0)
        while try walk.next(in: self, at: heads) != nil {}
        return walk.unlisted
    }

    /// Calls `body` with every key and item in conflict, and its pointer.
    ///
    /// - Complexity: O(*n*) in the number of values and in the bytes of the returned pointers.
    @discardableResult
    package func forEachConflictedPlace(
        at heads: Heads?, _ body: (String, WrittenPlace) throws -> Void
    ) throws -> Int {
        var walk = PlaceWalk(longestPointer: Self.longestPointer)
        while let (pointer, place) = try walk.next(in: self, at: heads) { try body(pointer, place) }
        return walk.unlisted
    }

    /// The conflicts inside a map or list, at any depth.
    package struct ConflictsInside: Sendable {
        /// The number of conflicts.
        package var count = 0
        /// The pointer of the first listed conflict.
        package var first: String?
    }

    /// Returns the maps and lists that contain conflicts.
    ///
    /// - Returns: The maps and lists, and the number of conflicts that ``forEachConflict(_:)``
    ///   does not list.
    /// - Complexity: As ``forEachConflict(_:)``.
    package func conflictsInside(
        at heads: Heads?
    ) throws -> (inside: [ObjId: ConflictsInside], unlisted: Int) {
        var walk = PlaceWalk(longestPointer: Self.longestPointer)
        while try walk.next(in: self, at: heads) != nil {}
        return (walk.inside, walk.unlisted)
    }

    /// Walks all visible values, with one pointer that grows and shrinks.
    private struct PlaceWalk {
        let longestPointer: Int
        /// The number of conflicts that aren't listed, because one pointer, or all pointers
        /// together, would be too long.
        private(set) var unlisted = 0
        /// The conflicts inside the objects visited so far.
        private(set) var inside: [ObjId: ConflictsInside] = [:]
        /// The number of pointer bytes that may still be returned.
        private var pointerBytes = DocumentView.pointerBytes
        /// The objects being visited, innermost last; `nil` before the first.
        private var open: [Frame]?
        private var pointer: [UInt8] = []

        private struct Frame {
            let object: ObjId
            let places: [WrittenPlace]
            var next = 0
            var inside = ConflictsInside()
            /// The length of the object's pointer.
            let pointerCount: Int
        }

        init(longestPointer: Int) { self.longestPointer = longestPointer }

        mutating func next(
            in view: DocumentView, at heads: Heads?
        ) throws -> (pointer: String, place: WrittenPlace)? {
            var open =
                try self.open ?? [
                    Frame(
                        object: .ROOT, places: view.places(of: .ROOT, at: heads), pointerCount: 0)
                ]
            self.open = []
            defer { self.open = open }
            while let last = open.indices.last {
                pointer.removeLast(pointer.count - open[last].pointerCount)
                guard open[last].next < open[last].places.count else {
                    close(&open)
                    continue
                }
                let place = open[last].places[open[last].next]
                open[last].next += 1
                // Don't extend a pointer that is already too long.
                if pointer.count <= longestPointer {
                    pointer.append(UInt8(ascii: "/"))
                    pointer.append(contentsOf: JSONPointer.step(place.prop).utf8)
                }
                if case .object(let id, let type) = place.winner.content, type != .Text {
                    open.append(
                        Frame(
                            object: id, places: try view.places(of: id, at: heads),
                            pointerCount: pointer.count))
                }
                guard !place.others.isEmpty else { continue }
                open[last].inside.count += 1
                if pointer.count <= longestPointer, pointer.count <= pointerBytes {
                    pointerBytes -= pointer.count
                    let text = String(decoding: pointer, as: UTF8.self)
                    open[last].inside.first = open[last].inside.first ?? text
                    return (text, place)
                }
                unlisted += 1
            }
            return nil
        }

        /// Adds the conflicts inside the innermost object to the object that contains it.
        private mutating func close(_ open: inout [Frame]) {
            let frame = open.removeLast()
            guard frame.inside.count > 0 else { return }
            inside[frame.object] = frame.inside
            guard let outer = open.indices.last else { return }
            open[outer].inside.count += frame.inside.count
            open[outer].inside.first = open[outer].inside.first ?? frame.inside.first
        }
    }

    /// Returns the keys of a map or the items of a list.
    package func places(of id: ObjId, at heads: Heads?) throws -> [WrittenPlace] {
        do {
            return try document.places(of: id, at: heads?.hashes)
        } catch let error as DocError {
            throw CoreError(.noAnswer, error.message)
        }
    }
}

extension DocumentView.Conflict {
    /// The conflict in the output of the command line.
    public var json: JSONValue { json(inDocument: nil) }

    /// Returns the conflict in the output of a command; with `document` if the command is about
    /// several documents.
    package func json(inDocument document: String?) -> JSONValue {
        var members: [Name: JSONValue] = [
            "pointer": .string(pointer), "winner": winner.jsonValue,
            "others": .array(others.map(\.jsonValue)),
        ]
        members["document"] = document.map(JSONValue.string)
        return .object(members)
    }
}

extension DocumentView.Conflict.Side {
    fileprivate var jsonValue: JSONValue {
        ["value": .verbatim(json), "actor": .string(actor), "op": .string(operation)]
    }
}
