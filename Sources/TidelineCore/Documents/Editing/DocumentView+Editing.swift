import Automerge
import Replication

/// Edits by JSON Pointer. ``commit()`` turns them into one change of the document.
extension DocumentView {
    /// Sets the value of a key or item. In a list, the index after the last item, or `-`, appends.
    ///
    /// If both the old and the new value are texts, the old text is edited into the new text.
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
        guard let place = try place(pointer), case .Index(let index) = place.prop else {
            throw CoreError(.usage, "\(pointer.quoted) is not in a list")
        }
        try insert(value, into: place.object, at: index)
    }

    /// Deletes a key or an item.
    ///
    /// - Parameter pointer: The JSON Pointer of the key or item.
    /// - Throws: ``CoreError``, `.noAnswer` if the key or item doesn't exist.
    public func delete(at pointer: String) throws {
        guard let place = try existing(pointer) else {
            throw CoreError(.usage, "the document itself can't be deleted")
        }
        try place.delete(in: document)
    }

    /// Adds to a counter.
    ///
    /// - Parameters:
    ///   - pointer: The JSON Pointer of the counter.
    ///   - amount: The amount to add, which can be negative. If it is 0, nothing is written.
    /// - Throws: ``CoreError``: `.noAnswer` if the counter doesn't exist, `.usage` for a value of
    ///   another type.
    public func increment(at pointer: String, by amount: Int64) throws {
        guard let place = try existing(pointer), let count = try place.counter(in: document) else {
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
        try place.increment(by: amount, in: document)
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
        try place(pointer).flatMap { try document.place($0.prop, of: $0.object, at: nil) }
    }

    /// Returns the name of the type of the value at a pointer, as lists show it; `nil` if there is
    /// no value.
    ///
    /// - Throws: ``CoreError`` if the object that would contain the place doesn't exist.
    package func typeName(at pointer: String) throws -> String? {
        try written(at: pointer)?.winner.content.typeName
    }

    private func existing(_ pointer: String) throws -> CodingPlace? {
        let place = try place(pointer)
        guard try value(at: place) != nil else { throw Self.nothing(at: pointer) }
        return place
    }

    private static func nothing(at pointer: String) -> CoreError {
        CoreError(.noAnswer, "no such place: \(pointer.quoted)")
    }

    /// Returns the place that the last step of a pointer leads to; `nil` for the document itself.
    /// In a list, this can be the index after the last item.
    private func place(_ pointer: String) throws -> CodingPlace? {
        var place: CodingPlace?
        for step in try JSONPointer.steps(of: pointer) {
            guard case .Object(let object, let type)? = try value(at: place) else {
                throw Self.nothing(at: pointer)
            }
            switch type {
            case .Map: place = CodingPlace(.Key(step), of: object)
            case .List: place = try element(step, of: object, pointer)
            case .Text:
                throw CoreError(
                    .usage, "\(pointer.quoted) points into a text",
                    suggestion: "to edit a text by position: tideline docs splice")
            }
        }
        return place
    }

    private func element(
        _ step: String, of list: ObjId, _ pointer: String
    ) throws -> CodingPlace {
        let length = document.length(obj: list)
        if step == "-" { return CodingPlace(.Index(length), of: list) }
        guard let index = UInt64(step), String(index) == step, index <= length else {
            throw Self.nothing(at: pointer)
        }
        return CodingPlace(.Index(index), of: list)
    }

    private func value(at place: CodingPlace?) throws -> Value? {
        guard let place else { return .Object(.ROOT, .Map) }
        return try place.value(in: document)
    }

    private func object(at place: CodingPlace?, ofType type: ObjType) throws -> ObjId? {
        guard case .Object(let object, type)? = try value(at: place) else { return nil }
        return object
    }

    // MARK: Values

    private func put(_ value: DocumentValue, at place: CodingPlace?) throws {
        switch (place, value) {
        case (nil, .map): try fill(.ROOT, with: value)
        case (nil, _): throw CoreError(.usage, "a document must be a JSON object")
        case (let place?, .scalar(let scalar)): try place.put(scalar, in: document)
        case (let place?, _):
            try fill(try place.putObject(value.type, in: document), with: value)
        }
    }

    private func insert(_ value: DocumentValue, into list: ObjId, at index: UInt64) throws {
        if case .scalar(let scalar) = value {
            try document.insert(obj: list, index: index, value: scalar)
        } else {
            let object = try document.insertObject(obj: list, index: index, ty: value.type)
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
                try insert(value, into: object, at: UInt64(index))
            }
        case .map(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                try put(member, at: CodingPlace(.Key(key.text), of: object))
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
