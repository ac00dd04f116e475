import Automerge
import Replication

/// The plan of an edit of a document.
///
/// - `set` gives a key or item another value. An existing text is edited into the new text, and a
///   counter is incremented to the new value, so that concurrent edits are kept.
/// - `add` adds a key to the open map, or an item to the open list. The name of the item is the
///   index of the item to insert before; if empty, the item is appended. If no map or list is open,
///   the name is the row of the new key or item.
/// - `count` adds to a counter, independent of its current value.
/// - `resolve` replaces all concurrent values with one of them, or with another value.
typealias DocumentPlan = EditPlan<DocumentWrite>

/// The changes that an edit makes to a document.
struct DocumentWrite {
    /// A place that changes.
    struct Subject {
        let pointer: String
        var isNew = false
        var isRemoved = false
    }

    /// The pointer that the summary names.
    fileprivate let place: String
    /// Returns the edit in words, for the name of the place.
    fileprivate let words: (String) -> String
    let subjects: [Subject]
    /// Applies the operations; the caller commits them as one change.
    let perform: (DocumentView) throws -> Void
}

extension DocumentPlan {
    private typealias Subject = DocumentWrite.Subject

    /// Computes the plan of an edit.
    ///
    /// - Parameters:
    ///   - object: The map or list that contains the rows; `nil` if they are anywhere in the
    ///     document.
    ///   - prefix: The prefix of row names, before the pointers.
    ///   - name: Returns the display name of a device.
    /// - Throws: ``EditError``.
    init(
        _ edit: Edit, in object: EditableObject?, of view: DocumentView, prefix: String,
        name: (DeviceID) -> String
    ) throws {
        let base = try object?.pointer(in: view)
        func pointer(_ row: RowID) throws -> String {
            guard let base, let object else {
                return OpenDocument.pointer(of: row, behind: prefix)
            }
            guard let step = DocumentRows.lastStep(of: row, under: object.row.name) else {
                throw EditError(.notFound, "\(row.name) is not in this list")
            }
            return base + "/" + JSONPointer.step(step)
        }
        switch edit {
        case .set(let row, nil, let text):
            self = try Self.setting(try pointer(row), to: text, in: view)
        case .add(let name, nil, nil, let text):
            let place =
                if let object, let base {
                    (name: name, object: base, type: object.type)
                } else {
                    try Self.newPlace(try pointer(RowID(name)), in: view)
                }
            self =
                try place.type == .List
                ? Self.adding(place.name, text, toListAt: place.object, in: view)
                : Self.adding(place.name, text, toMapAt: place.object, in: view)
        case .count(let row, let amount):
            self = try Self.counting(try pointer(row), by: amount, in: view)
        case .remove(let rows, nil):
            self = try Self.removing(try rows.map(pointer), from: view)
        case .resolve(let row, let resolution):
            self = try Self.resolving(
                try pointer(row), by: resolution, in: view, name: name)
        case .set, .add, .remove, .rename, .relate, .restore, .takeOver, .revert, .run:
            throw EditError(.unsupported, "documents don't support this edit")
        }
    }

    /// Returns the name of a new key or item, with the pointer and type of its map or list.
    private static func newPlace(
        _ pointer: String, in view: DocumentView
    ) throws -> (name: String, object: String, type: ObjType) {
        var steps = try JSONPointer.steps(of: pointer)
        guard let name = steps.popLast() else {
            throw EditError(.unsupported, "documents can't be added here")
        }
        let object = steps.map { "/" + JSONPointer.step($0) }.joined()
        if object.isEmpty { return (name, object, .Map) }
        guard let place = try? view.written(at: object),
            case .object(_, let type) = place.winner.content
        else { throw EditError(.notFound, "\(object) no longer exists") }
        return (name, object, type)
    }

    /// Creates the plan of a write that expects the current state of these places.
    private init(
        _ place: String, _ subjects: [Subject], expecting expected: [String], of view: DocumentView,
        words: @escaping (String) -> String, perform: @escaping (DocumentView) throws -> Void
    ) throws {
        self.init(
            summary: words(place),
            action: DocumentWrite(
                place: place, words: words, subjects: subjects, perform: perform))
        for pointer in expected { expectation[Name(pointer)] = try view.stamp(at: pointer) }
    }

    /// Returns the edit in words. Places are named as in the list of all conflicts.
    func summary(in title: String) -> String {
        action.words("\(title) \(action.place)")
    }

    private static func existing(
        _ pointer: String, in view: DocumentView
    ) throws -> WrittenPlace {
        guard !pointer.isEmpty, let place = try? view.written(at: pointer) else {
            throw EditError(.notFound, "\(pointer.quoted) no longer exists")
        }
        return place
    }

    private static func setting(
        _ pointer: String, to text: TypedText, in view: DocumentView
    ) throws -> Self {
        let place = try existing(pointer, in: view)
        if place.others.isEmpty, try view.typed(place.winner.content) == text {
            throw EditError.sameValue
        }
        let value = try DocumentValue(text)
        var plan: Self
        switch (place.winner.content, value) {
        case (.scalar(.Counter(let old)), .scalar(.Counter(let new))) where place.others.isEmpty:
            let (amount, overflow) = new.subtractingReportingOverflow(old)
            guard !overflow else {
                throw EditError(.invalid, "the difference is too large for a counter")
            }
            guard amount != 0 else { throw EditError.sameValue }
            plan = try Self(pointer, [Subject(pointer: pointer)], expecting: [pointer], of: view) {
                Counted.step(amount, of: $0)
            } perform: {
                try $0.increment(at: pointer, by: amount)
            }
        default:
            plan = try Self(pointer, [Subject(pointer: pointer)], expecting: [pointer], of: view) {
                "set \($0)"
            } perform: {
                try $0.set(value, at: pointer)
            }
            if case .object(_, let type) = place.winner.content {
                if case (.Text, .text) = (type, value) {
                } else {
                    plan.warnings.append(
                        "\(pointer) is replaced: concurrent edits inside it will be lost")
                }
            }
        }
        if !place.others.isEmpty {
            plan.resolvesConflict = true
            plan.warnings.append(EditPreview.warning(ofResolving: pointer))
        }
        return plan
    }

    private static func counting(
        _ pointer: String, by amount: Int64, in view: DocumentView
    ) throws -> Self {
        guard try existing(pointer, in: view).winner.content.isCounter else {
            throw EditError(.invalid, "\(pointer) is not a counter")
        }
        return try Self(pointer, [Subject(pointer: pointer)], expecting: [], of: view) {
            Counted.step(amount, of: $0)
        } perform: {
            try $0.increment(at: pointer, by: amount)
        }
    }

    private static func adding(
        _ name: String, _ text: TypedText, toMapAt base: String, in view: DocumentView
    ) throws -> Self {
        let value = try DocumentValue(text)
        let pointer = base + "/" + JSONPointer.step(name)
        guard try view.written(at: pointer) == nil else {
            throw EditError(.invalid, "the key \(name.quoted) already exists")
        }
        let subject = Subject(pointer: pointer, isNew: true)
        return try Self(pointer, [subject], expecting: [pointer], of: view) {
            "add \($0)"
        } perform: {
            try $0.set(value, at: pointer)
        }
    }

    private static func adding(
        _ name: String, _ text: TypedText, toListAt base: String, in view: DocumentView
    ) throws -> Self {
        let value = try DocumentValue(text)
        let count = try view.count(ofListAt: base)
        guard !name.isEmpty, name != "-" else {
            // The index of a new last item is determined when it is written.
            let subject = Subject(pointer: "\(base)/\(count)", isNew: true)
            return try Self(base, [subject], expecting: [], of: view) {
                "add an item to \($0)"
            } perform: {
                try $0.insert(value, at: base + "/-")
            }
        }
        guard let index = UInt64(name), index <= count else {
            throw EditError(
                .invalid,
                "\(name.quoted) is not a valid index: the list has "
                    + Counted.text(count, "item"))
        }
        let pointer = "\(base)/\(index)"
        let subject = Subject(pointer: pointer, isNew: true)
        return try Self(pointer, [subject], expecting: [pointer], of: view) {
            "insert \($0)"
        } perform: {
            try $0.insert(value, at: pointer)
        }
    }

    private static func removing(_ pointers: [String], from view: DocumentView) throws -> Self {
        let places = try pointers.map { try existing($0, in: view) }
        // Delete from the last item to the first, so that the indexes stay valid.
        let ordered = pointers.sorted { left, right in
            left.utf8.count != right.utf8.count
                ? left.utf8.count > right.utf8.count : left > right
        }
        let subjects = pointers.map { Subject(pointer: $0, isRemoved: true) }
        var plan = try Self(pointers.first ?? "", subjects, expecting: pointers, of: view) {
            pointers.count == 1
                ? "delete \($0)" : "delete \(Counted.grouped(pointers.count)) items"
        } perform: { view in
            for pointer in ordered { try view.delete(at: pointer) }
        }
        plan.resolvesConflict = places.contains { !$0.others.isEmpty }
        return plan
    }

    private static func resolving(
        _ pointer: String, by resolution: Edit.Resolution, in view: DocumentView,
        name: (DeviceID) -> String
    ) throws -> Self {
        let place = try existing(pointer, in: view)
        var warnings: [String] = []
        let value: DocumentValue
        var way = "with a new value"
        switch resolution {
        case .value(let text): value = try DocumentValue(text)
        case .picks, .properties:
            throw EditError(
                .unsupported,
                "the parts of a map in a document can't be chosen; choose one of the values")
        case .take(let wanted):
            let author = wanted.author
            let side = ([place.winner] + place.others).first { side in
                view.author(of: side.operation.actor) == author
                    && (wanted.entry ?? side.operation.description) == side.operation.description
            }
            guard let side else {
                throw EditError(.notFound, "\(author.name)'s value has changed")
            }
            let who = if case .device(let device) = author { name(device) } else { author.name }
            way = "with \(who)'s value"
            value = try DocumentValue(side.content, of: view)
            if case .object = side.content {
                warnings.append(
                    "its content is copied: concurrent edits of the original will be lost")
            }
        }
        var plan = try Self(
            pointer, [Subject(pointer: pointer)], expecting: [pointer], of: view
        ) { [way] in
            "resolve \($0) \(way)"
        } perform: { view in
            try view.replace(at: pointer, by: value)
        }
        plan.warnings = warnings
        plan.resolvesConflict = !place.others.isEmpty
        return plan
    }
}
