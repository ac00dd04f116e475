public import Automerge

extension Document {
    /// The maximum nesting depth that ``parseToSchema(_:from:)`` supports. A file can nest objects
    /// more deeply than the stack allows.
    public static var deepestSchema: Int { 500 }

    /// Returns whether the root has no keys.
    ///
    /// - Throws: The errors of `Document.mapEntries(obj:)` for the root. In practice, none.
    public func isEmpty() throws -> Bool { try mapEntries(obj: .ROOT).isEmpty }

    /// Returns the entire current content. If values conflict, it contains the winner.
    ///
    /// - Throws: The errors of ``parseToSchema(_:from:)``.
    /// - Complexity: O(*n*) in the size of the current content.
    public func schema() throws -> AutomergeValue { try parseToSchema(self, from: .ROOT) }

    /// Returns the current content of the object `objId` of `doc`.
    ///
    /// - Throws: `DocError` with code `.unknownObject` if `doc` doesn't have the object, and
    ///   `.tooLarge` if objects are nested deeper than ``deepestSchema``.
    /// - Complexity: O(*n*) in the size of that content.
    public func parseToSchema(_ doc: Document, from objId: ObjId) throws -> AutomergeValue {
        try doc.content(of: objId, depth: 0)
    }

    /// Returns whether both documents have the same current content, regardless of their history.
    /// Keys and texts are compared by their bytes.
    ///
    /// Documents nested deeper than ``deepestSchema`` are never equivalent.
    ///
    /// - Complexity: O(*n*) in the size of both contents.
    public func equivalentContents(_ anotherDoc: Document) -> Bool {
        (try? hasContent(of: .ROOT, as: .ROOT, in: anotherDoc, depth: 0)) ?? false
    }

    private func hasContent(
        of mine: ObjId, as theirs: ObjId, in other: Document, depth: Int
    ) throws -> Bool {
        guard depth < Self.deepestSchema else { return false }
        let type = objectType(obj: mine)
        guard type == other.objectType(obj: theirs) else { return false }
        func isSame(_ mine: Value, _ theirs: Value) throws -> Bool {
            switch (mine, theirs) {
            case (.Scalar(let mine), .Scalar(let theirs)): mine == theirs
            case (.Object(let mine, _), .Object(let theirs, _)):
                try hasContent(of: mine, as: theirs, in: other, depth: depth + 1)
            default: false
            }
        }
        switch type {
        case .Map:
            // Entries are sorted by the bytes of their keys.
            let (mine, theirs) = (try mapEntries(obj: mine), try other.mapEntries(obj: theirs))
            return try mine.count == theirs.count
                && zip(mine, theirs).allSatisfy {
                    try $0.0.utf8.elementsEqual($1.0.utf8) && isSame($0.1, $1.1)
                }
        case .List:
            let (mine, theirs) = (try values(obj: mine), try other.values(obj: theirs))
            return try mine.count == theirs.count && zip(mine, theirs).allSatisfy(isSame)
        case .Text:
            return try text(obj: mine).utf8.elementsEqual(other.text(obj: theirs).utf8)
        }
    }

    private func content(of object: ObjId, depth: Int) throws -> AutomergeValue {
        guard depth < Self.deepestSchema else {
            throw DocError(.tooLarge, "objects are nested deeper than \(Self.deepestSchema) levels")
        }
        switch objectType(obj: object) {
        case .Map:
            var entries: [String: AutomergeValue] = [:]
            for (key, value) in try mapEntries(obj: object) {
                entries[key] = try content(of: value, depth: depth + 1)
            }
            return .dict(entries)
        case .List:
            return .array(try values(obj: object).map { try content(of: $0, depth: depth + 1) })
        case .Text:
            return .text(try text(obj: object))
        }
    }

    private func content(of value: Value, depth: Int) throws -> AutomergeValue {
        switch value {
        case .Scalar(let scalar): .scalar(scalar)
        case .Object(let object, _): try content(of: object, depth: depth)
        }
    }
}
