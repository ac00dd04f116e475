public import Automerge

extension Document {
    /// How deep ``parseToSchema(_:from:)`` follows objects in objects. A file can nest them as deep
    /// as it is long, and the stack cannot.
    public static var deepestSchema: Int { 500 }

    /// Whether the root has no key.
    public func isEmpty() throws -> Bool { try mapEntries(obj: .ROOT).isEmpty }

    /// The whole present content. Of conflicting values, it has the winner.
    ///
    /// - Throws: As ``parseToSchema(_:from:)``.
    public func schema() throws -> AutomergeValue { try parseToSchema(self, from: .ROOT) }

    /// The present content of the object `objId` of `doc`.
    ///
    /// - Throws: ``Automerge/DocError`` with code `.unknownObject` for an object that `doc` does not
    ///   have, `.tooLarge` where objects nest deeper than ``deepestSchema``.
    public func parseToSchema(_ doc: Document, from objId: ObjId) throws -> AutomergeValue {
        try doc.content(of: objId, depth: 0)
    }

    /// Whether the other document has the same present content, whatever its history.
    ///
    /// Documents nested deeper than ``deepestSchema`` are never equivalent.
    public func equivalentContents(_ anotherDoc: Document) -> Bool {
        guard let mine = try? schema(), let theirs = try? anotherDoc.schema() else { return false }
        return mine == theirs
    }

    private func content(of object: ObjId, depth: Int) throws -> AutomergeValue {
        guard depth < Self.deepestSchema else {
            throw DocError(.tooLarge, "objects nest deeper than \(Self.deepestSchema)")
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
