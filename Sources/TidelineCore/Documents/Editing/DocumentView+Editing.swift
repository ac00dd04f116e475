import Automerge
import Replication

/// Edits by JSON Pointer. ``commit()`` turns them into one change of the document.
extension DocumentView {
    /// The place that the last step of a pointer leads to.
    private enum Place {
        case root
        case key(ObjId, String)
        /// An index in a list. `isNew` if it is the index after the last item.
        case index(ObjId, UInt64, isNew: Bool)
    }

    /// Sets the value of a key or item. In a list, the index after the last item, or `-`, appends.
    ///
    /// If both the old and the new value are texts, the old text is edited until it is equal to the
    /// new text.
    ///
    /// - Parameter pointer: The JSON Pointer of the key or item.
    /// - Throws: ``CoreError``, `.noAnswer` if the pointer leads nowhere; ``EditError`` for a value
    ///   that doesn't match its type; `DocError`.
    public func set(_ typed: TypedText, at pointer: String) throws {
        try set(try DocumentValue(typed), at: pointer)
    }

    func set(_ value: DocumentValue, at pointer: String) throws {
        let place = try place(pointer)
        if case .text(let text) = value, let known = try object(at: place, ofType: .Text) {
            try document.updateText(obj: known, value: text)
        } else {
            try put(value, at: place)
        }
    }

    /// Replaces all concurrent values, even a text.
    func replace(at pointer: String, by value: DocumentValue) throws {
        try put(value, at: try existing(pointer))
    }

    /// Returns the number of items in a list.
    func count(ofListAt pointer: String) throws -> UInt64 {
        guard let list = try object(at: try existing(pointer), ofType: .List) else {
            throw CoreError(.usage, "\(pointer.quoted) is not a list")
        }
        return document.length(obj: list)
    }

    /// Inserts an item before the item at a pointer.
    func insert(_ value: DocumentValue, at pointer: String) throws {
        guard case .index(let list, let index, _) = try place(pointer) else {
            throw CoreError(.usage, "\(pointer.quoted) is not in a list")
        }
        try put(value, at: .index(list, index, isNew: true))
    }

    /// Deletes a key or an item.
    ///
    /// - Parameter pointer: The JSON Pointer of the key or item.
    /// - Throws: ``CoreError``, `.noAnswer` if the key or item doesn't exist.
    public func delete(at pointer: String) throws {
        switch try existing(pointer) {
        case .root: throw CoreError(.usage, "the document itself can't be deleted")
        case .key(let map, let key): try document.delete(obj: map, key: key)
        case .index(let list, let index, _): try document.delete(obj: list, index: index)
        }
    }

    /// Adds to a counter.
    ///
    /// - Parameters:
    ///   - pointer: The JSON Pointer of the counter.
    ///   - amount: The amount to add, which can be negative. If it is 0, nothing is written.
    /// - Throws: ``CoreError``: `.noAnswer` if the counter doesn't exist, `.usage` for a value of
    ///   another type.
    public func increment(at pointer: String, by amount: Int64) throws {
        let place = try existing(pointer)
        guard case .Scalar(.Counter(let count))? = try value(at: place) else {
            throw CoreError(
                .usage, "\(pointer.quoted) is not a counter",
                suggestion: "to create one: tideline docs set … --as counter")
        }
        guard !count.addingReportingOverflow(amount).overflow else {
            throw CoreError(
                .usage,
                "\(pointer.quoted) is \(count): adding \(amount) exceeds "
                    + "the counter's 64 bits")
        }
        // An operation that adds 0 couldn't be undone.
        guard amount != 0 else { return }
        switch place {
        case .root: break
        case .key(let map, let key):
            try document.increment(obj: map, key: key, by: amount)
        case .index(let list, let index, _):
            try document.increment(obj: list, index: index, by: amount)
        }
    }

    /// Replaces a part of a text.
    ///
    /// - Parameters:
    ///   - pointer: The JSON Pointer of the text.
    ///   - position: The start of the replaced part, in Unicode scalars.
    ///   - count: The length of the replaced part, in Unicode scalars.
    /// - Throws: ``CoreError``: `.noAnswer` if the text doesn't exist, `.usage` for a value of
    ///   another type and for a range outside the text.
    public func splice(
        at pointer: String, position: UInt64, deleting count: UInt64, inserting text: String
    ) throws {
        guard let object = try object(at: try existing(pointer), ofType: .Text) else {
            throw CoreError(
                .usage, "\(pointer.quoted) is not a text",
                suggestion: "to create one: tideline docs set … --as text")
        }
        let length = document.length(obj: object)
        let (end, overflow) = position.addingReportingOverflow(count)
        guard !overflow, end <= length, let deleted = Int64(exactly: count) else {
            throw CoreError(.usage, "the text has only \(Counted.text(length, "character"))")
        }
        try document.spliceText(obj: object, start: position, delete: deleted, value: text)
    }

    /// Turns the edits into a change.
    public func commit() { document.commitWith() }

    // MARK: Places

    /// Returns the place at a pointer; `nil` if there is none.
    ///
    /// - Throws: ``CoreError`` if the object that would contain the place doesn't exist.
    func written(at pointer: String) throws -> WrittenPlace? {
        switch try place(pointer) {
        case .root: nil
        case .key(let map, let key): try document.place(.Key(key), of: map, at: nil)
        case .index(let list, let index, let isNew):
            isNew ? nil : try document.place(.Index(index), of: list, at: nil)
        }
    }

    private func existing(_ pointer: String) throws -> Place {
        let place = try place(pointer)
        if case .root = place { return place }
        guard try value(at: place) != nil else { throw Self.nothing(at: pointer) }
        return place
    }

    private static func nothing(at pointer: String) -> CoreError {
        CoreError(.noAnswer, "no such place: \(pointer.quoted)")
    }

    private func place(_ pointer: String) throws -> Place {
        var place = Place.root
        for step in try JSONPointer.steps(of: pointer) {
            let object: ObjId
            switch place {
            case .root: object = .ROOT
            default:
                guard case .Object(let found, _)? = try value(at: place) else {
                    throw Self.nothing(at: pointer)
                }
                object = found
            }
            switch document.objectType(obj: object) {
            case .Map: place = .key(object, step)
            case .List: place = try element(step, of: object, pointer)
            case .Text:
                throw CoreError(
                    .usage, "\(pointer.quoted) points into a text",
                    suggestion: "to edit a text by position: tideline docs splice")
            }
        }
        return place
    }

    private func element(_ step: String, of list: ObjId, _ pointer: String) throws -> Place {
        let length = document.length(obj: list)
        if step == "-" { return .index(list, length, isNew: true) }
        guard let index = UInt64(step), String(index) == step, index <= length else {
            throw Self.nothing(at: pointer)
        }
        return .index(list, index, isNew: index == length)
    }

    private func value(at place: Place) throws -> Value? {
        switch place {
        case .root: .Object(.ROOT, .Map)
        case .key(let map, let key): try document.get(obj: map, key: key)
        case .index(let list, let index, let isNew):
            isNew ? nil : try document.get(obj: list, index: index)
        }
    }

    private func object(at place: Place, ofType type: ObjType) throws -> ObjId? {
        guard case .Object(let object, type)? = try value(at: place) else { return nil }
        return object
    }

    // MARK: Values

    private func put(_ value: DocumentValue, at place: Place) throws {
        switch (place, value) {
        case (.root, .map): try fill(.ROOT, with: value)
        case (.root, _): throw CoreError(.usage, "a document must be a JSON object")
        case (.key(let map, let key), .scalar(let scalar)):
            try document.put(obj: map, key: key, value: scalar)
        case (.key(let map, let key), _):
            try fill(try document.putObject(obj: map, key: key, ty: value.type), with: value)
        case (.index(let list, let index, let isNew), .scalar(let scalar)):
            if isNew {
                try document.insert(obj: list, index: index, value: scalar)
            } else {
                try document.put(obj: list, index: index, value: scalar)
            }
        case (.index(let list, let index, let isNew), _):
            let object =
                try isNew
                ? document.insertObject(obj: list, index: index, ty: value.type)
                : document.putObject(obj: list, index: index, ty: value.type)
            try fill(object, with: value)
        }
    }

    private func fill(_ object: ObjId, with value: DocumentValue) throws {
        switch value {
        case .scalar: break
        case .text(let text):
            try document.spliceText(obj: object, start: 0, delete: 0, value: text)
        case .list(let values):
            for (index, value) in values.enumerated() {
                try put(value, at: .index(object, UInt64(index), isNew: true))
            }
        case .map(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                try put(member, at: .key(object, key.text))
            }
        }
    }
}

extension DocumentValue {
    fileprivate var type: ObjType {
        switch self {
        case .map: .Map
        case .list: .List
        case .text, .scalar: .Text
        }
    }
}
