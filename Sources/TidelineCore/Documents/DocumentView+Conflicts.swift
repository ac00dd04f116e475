package import Automerge

extension DocumentView {
    /// A key or element for which several values stand side by side.
    public struct Conflict: Sendable {
        /// One of the values, and who wrote it.
        public struct Side: Sendable {
            package let written: WrittenValue
            /// The value as plain JSON.
            public let json: String
            /// In hexadecimal digits.
            public let actor: String
            /// `12@06a2b97e`.
            public let operation: String
        }

        /// Where it is: a JSON pointer (RFC 6901).
        public let pointer: String
        /// The value that is shown: that of the greatest operation.
        public let winner: Side
        /// The others, from the greatest operation to the least.
        public let others: [Side]

        /// The winner, then the others.
        public var sides: [Side] { [winner] + others }
    }

    /// The longest pointer that is listed, in bytes. A document of a few hundred kilobytes can be
    /// nested so deep that the pointers of its places are gigabytes together.
    public static let longestPointer = 4_096
    /// How many bytes all pointers of a list of conflicts may have together.
    static let pointerBytes = 64 << 20

    /// Calls `body` with every conflict that the shown values lead to, in the order of the
    /// document.
    ///
    /// - Returns: How many more there are, whose pointers would be longer than ``longestPointer``.
    /// - Throws: ``CoreError``, `.noAnswer`, for heads that the document does not have; what `body`
    ///   throws.
    /// - Complexity: O(*n*) in the number of values and in the bytes of the pointers that are
    ///   given.
    @discardableResult
    public func forEachConflict(
        at heads: Heads? = nil, _ body: (Conflict) throws -> Void
    ) throws -> Int {
        try forEachConflictedPlace(at: heads) { pointer, place in
            try body(try conflict(pointer, place, at: heads))
        }
    }

    /// What to tell people of conflicts that were not listed.
    public static func unlisted(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        return "\(count) more conflict\(count == 1 ? "" : "s") not listed: nested so deep that "
            + "pointers would be longer than \(longestPointer) bytes, or 64 MiB together"
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

    /// How many places hold several values.
    ///
    /// - Complexity: O(*n*) in the number of values, however deep they are nested.
    package func conflictCount(at heads: Heads? = nil) throws -> Int {
        var walk = PlaceWalk(longestPointer: 0)
        while try walk.next(in: self, at: heads) != nil {}
        return walk.unlisted
    }

    /// Calls `body` with every place that holds several values, and its pointer.
    ///
    /// - Returns: As ``forEachConflict(at:_:)``.
    /// - Complexity: O(*n*) in the number of values and in the bytes of the pointers that are given.
    @discardableResult
    package func forEachConflictedPlace(
        at heads: Heads?, _ body: (String, WrittenPlace) throws -> Void
    ) throws -> Int {
        var walk = PlaceWalk(longestPointer: Self.longestPointer)
        while let (pointer, place) = try walk.next(in: self, at: heads) { try body(pointer, place) }
        return walk.unlisted
    }

    /// The conflicts inside of a map or list, however deep.
    package struct ConflictsInside: Sendable {
        /// How many there are.
        package var count = 0
        /// The pointer of the first that is listed.
        package var first: String?
    }

    /// The maps and lists that have conflicts inside.
    ///
    /// - Returns: Them, and how many conflicts ``forEachConflict(at:_:)`` does not list.
    /// - Complexity: As ``forEachConflict(at:_:)``.
    package func conflictsInside(
        at heads: Heads?
    ) throws -> (inside: [ObjId: ConflictsInside], unlisted: Int) {
        var walk = PlaceWalk(longestPointer: Self.longestPointer)
        while try walk.next(in: self, at: heads) != nil {}
        return (walk.inside, walk.unlisted)
    }

    /// Goes through all values that are shown, with one pointer that grows and shrinks.
    private struct PlaceWalk {
        let longestPointer: Int
        /// How many conflicts lie behind longer pointers.
        private(set) var unlisted = 0
        /// What lies inside of the objects that have been gone through.
        private(set) var inside: [ObjId: ConflictsInside] = [:]
        /// How many bytes the pointers that are given may still have.
        private var pointerBytes = DocumentView.pointerBytes
        /// Objects that are being gone through, the innermost last; `nil` before the first.
        private var open: [Frame]?
        private var pointer: [UInt8] = []

        private struct Frame {
            let object: ObjId
            let places: [WrittenPlace]
            var next = 0
            var inside = ConflictsInside()
            /// How much of the pointer leads to the object.
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
                // Beyond the longest there is no more to be told than that it is too long.
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

        /// Notes what lies inside of the innermost object, which lies inside of the next.
        private mutating func close(_ open: inout [Frame]) {
            let frame = open.removeLast()
            guard frame.inside.count > 0 else { return }
            inside[frame.object] = frame.inside
            guard let outer = open.indices.last else { return }
            open[outer].inside.count += frame.inside.count
            open[outer].inside.first = open[outer].inside.first ?? frame.inside.first
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
    /// The conflict as the command line writes it.
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
