public import Foundation

extension Document {
    /// Returns a new document with the current content and without history.
    ///
    /// The new document has one change by a new actor. If values are concurrent, it has only the
    /// winner. Marks keep their ranges, and grow when text is inserted at their end, because the
    /// original ``ExpandMark`` of a mark can't be read. The documents have no common history:
    /// merging them doesn't merge their contents.
    ///
    /// - Parameters:
    ///   - message: The description of the change.
    ///   - timestamp: The time of the change.
    /// - Throws: ``DocError`` for content that can't be written again.
    /// - Complexity: O(*n*) in the number of operations of this document.
    public func withoutHistory(
        message: String? = nil, timestamp: Date = Date()
    ) throws -> Document {
        // Read a fork: other threads may change this document while it is copied.
        let source = fork()
        let copy = Document(textEncoding: textEncoding)
        var pending: [(old: ObjId, new: ObjId)] = [(.ROOT, .ROOT)]
        while let (old, new) = pending.popLast() {
            switch source.objectType(obj: old) {
            case .Map:
                for (key, value) in try source.mapEntries(obj: old) {
                    switch value {
                    case .Scalar(let scalar): try copy.put(obj: new, key: key, value: scalar)
                    case .Object(let id, let type):
                        pending.append((id, try copy.putObject(obj: new, key: key, ty: type)))
                    }
                }
            case .List:
                try copy.append(try source.values(obj: old), to: new) { pending.append(($0, $1)) }
            case .Text:
                let text = try source.text(obj: old)
                if text.unicodeScalars.contains("\u{FFFC}") {
                    try copy.append(try source.values(obj: old), toText: new) {
                        pending.append(($0, $1))
                    }
                } else {
                    try copy.spliceText(obj: new, start: 0, delete: 0, value: text)
                }
                for mark in try source.marks(obj: old) {
                    guard case .Scalar(let value) = mark.value else { continue }
                    try copy.mark(
                        obj: new, start: mark.start, end: mark.end, expand: .after,
                        name: mark.name, value: value)
                }
            }
        }
        copy.commitWith(message: message, timestamp: timestamp)
        return copy
    }

    /// Appends the elements of a list.
    ///
    /// - Parameter body: Called with each object among the elements and its replacement.
    private func append(
        _ values: [Value], to list: ObjId, _ body: (_ old: ObjId, _ new: ObjId) -> Void
    ) throws {
        var scalars: [ScalarValue] = []
        func flush() throws {
            guard !scalars.isEmpty else { return }
            try splice(obj: list, start: length(obj: list), delete: 0, values: scalars)
            scalars = []
        }
        for value in values {
            switch value {
            case .Scalar(let scalar): scalars.append(scalar)
            case .Object(let id, let type):
                try flush()
                body(id, try insertObject(obj: list, index: length(obj: list), ty: type))
            }
        }
        try flush()
    }

    /// Appends the characters and block markers of a text.
    private func append(
        _ values: [Value], toText text: ObjId, _ body: (_ old: ObjId, _ new: ObjId) -> Void
    ) throws {
        var characters = ""
        func flush() throws {
            try spliceText(obj: text, start: length(obj: text), delete: 0, value: characters)
            characters = ""
        }
        for value in values {
            switch value {
            case .Scalar(.String(let part)): characters += part
            case .Scalar: characters += "\u{FFFC}"
            case .Object(let id, let type):
                try flush()
                body(id, try appendBlock(type, to: text))
            }
        }
        try flush()
    }

    /// Appends an object to a text: a block marker.
    func appendBlock(_ type: ObjType, to text: ObjId) throws -> ObjId {
        try withEngine { (engine) throws(FormatError) in
            let object = try engine.text(text)
            try engine.begin()
            let row = engine.opSet.insertElement(
                at: engine.opSet.objects[object].root.width, of: object, action: type.action,
                value: .nothing)
            return engine.id(madeBy: row)
        }
    }
}
