import Automerge
import Foundation
import Replication

/// What an edit would do to a document, worked out on one state of it.
///
/// - `set` gives a key or element another value. A text that is there is edited into the new one,
///   and a counter counts up or down to it, so that what others write at the same time is kept.
/// - `add` puts a new key into the map that is shown, or an element into the list: before the one of
///   that number, or at the end.
/// - `count` adds to a counter, whatever it has come to meanwhile.
/// - `resolve` writes one of the values that stand side by side, or another, in place of them all.
struct DocumentPlan {
    /// A place that changes.
    struct Subject {
        let pointer: String
        var isNew = false
        var isRemoved = false
    }

    var summary: String
    var subjects: [Subject]
    var warnings: [String] = []
    /// Whether values stood side by side that it replaces.
    var endsConflict = false
    /// What each place looks like, to be compared before writing.
    var expectation: [Name: String] = [:]
    /// Makes operations of it; whoever calls this makes a change of them.
    let perform: (DocumentView) throws -> Void

    /// - Parameters:
    ///   - object: The map or list whose rows these are; `nil`: they are places anywhere.
    ///   - prefix: What rows have before their pointers.
    ///   - name: What people call a device.
    /// - Throws: ``EditError``.
    init(
        _ edit: Edit, in object: EditedObject?, of view: DocumentView, prefix: String,
        name: (DeviceID) -> String
    ) throws {
        let base = try object?.pointer(in: view)
        func pointer(_ row: RowID) throws -> String {
            guard let base, let object else {
                return OpenDocument.pointer(of: row, behind: prefix)
            }
            guard let step = DocumentRows.lastStep(of: row, under: object.row.name) else {
                throw EditError(.notFound, "\(row.name) is not here")
            }
            return base + "/" + JSONPointer.step(step)
        }
        switch edit {
        case .set(let row, nil, let text):
            self = try Self.setting(try pointer(row), to: text, in: view)
        case .add(let name, nil, nil, let text):
            guard let object, let base else {
                throw EditError(.unsupported, "nothing can be added here")
            }
            self =
                try object.type == .List
                ? Self.adding(name, text, toListAt: base, in: view)
                : Self.adding(name, text, toMapAt: base, in: view)
        case .count(let row, let amount):
            self = try Self.counting(try pointer(row), by: amount, in: view)
        case .remove(let rows, nil):
            self = try Self.removing(try rows.map(pointer), from: view)
        case .resolve(let row, let resolution):
            self = try Self.resolving(
                try pointer(row), by: resolution, in: view, name: name)
        case .set, .add, .remove, .rename, .relate, .restore, .takeBack:
            throw EditError(.unsupported, "a document cannot be changed like that")
        }
    }

    private init(
        _ summary: String, _ subjects: [Subject], warnings: [String] = [],
        perform: @escaping (DocumentView) throws -> Void
    ) {
        self.summary = summary
        self.subjects = subjects
        self.warnings = warnings
        self.perform = perform
    }

    private mutating func expect(_ pointers: [String], of view: DocumentView) throws {
        for pointer in pointers { expectation[Name(pointer)] = try view.stamp(at: pointer) }
    }

    private static func value(_ text: TypedText) throws(EditError) -> DocumentValue {
        do {
            return try DocumentValue(text)
        } catch {
            throw EditError(.invalid, error.message)
        }
    }

    private static func existing(
        _ pointer: String, in view: DocumentView
    ) throws -> WrittenPlace {
        guard !pointer.isEmpty, let place = try? view.written(at: pointer) else {
            throw EditError(.notFound, "nothing is at \(pointer.quoted) any more")
        }
        return place
    }

    private static func setting(
        _ pointer: String, to text: TypedText, in view: DocumentView
    ) throws -> Self {
        let place = try existing(pointer, in: view)
        let value = try value(text)
        var plan: Self
        switch (place.winner.content, value) {
        case (.scalar(.Counter(let old)), .scalar(.Counter(let new))) where place.others.isEmpty:
            let (amount, overflow) = new.subtractingReportingOverflow(old)
            guard !overflow else {
                throw EditError(.invalid, "a counter cannot count that far at once")
            }
            guard amount != 0 else { throw EditError(.invalid, "it is \(new) already") }
            plan = Self(Counted.step(amount, of: pointer), [Subject(pointer: pointer)]) {
                try $0.increment(at: pointer, by: amount)
            }
        default:
            plan = Self("set \(pointer)", [Subject(pointer: pointer)]) {
                try $0.set(value, at: pointer)
            }
            if case .object(_, let type) = place.winner.content {
                if case (.Text, .text) = (type, value) {
                } else {
                    plan.warnings.append(
                        "\(pointer) is replaced: what others write into it meanwhile is lost")
                }
            }
        }
        if !place.others.isEmpty {
            plan.endsConflict = true
            plan.warnings.append(
                "\(pointer) has \(place.others.count + 1) values side by side; this write "
                    + "resolves it")
        }
        try plan.expect([pointer], of: view)
        return plan
    }

    private static func counting(
        _ pointer: String, by amount: Int64, in view: DocumentView
    ) throws -> Self {
        guard try existing(pointer, in: view).winner.content.isCounter else {
            throw EditError(.invalid, "\(pointer) is no counter")
        }
        return Self(Counted.step(amount, of: pointer), [Subject(pointer: pointer)]) {
            try $0.increment(at: pointer, by: amount)
        }
    }

    private static func adding(
        _ name: String, _ text: TypedText, toMapAt base: String, in view: DocumentView
    ) throws -> Self {
        let value = try value(text)
        let pointer = base + "/" + JSONPointer.step(name)
        guard try view.written(at: pointer) == nil else {
            throw EditError(.invalid, "there is a key \(name.quoted) already")
        }
        var plan = Self("add \(pointer)", [Subject(pointer: pointer, isNew: true)]) {
            try $0.set(value, at: pointer)
        }
        try plan.expect([pointer], of: view)
        return plan
    }

    private static func adding(
        _ name: String, _ text: TypedText, toListAt base: String, in view: DocumentView
    ) throws -> Self {
        let value = try value(text)
        let count = try view.count(ofListAt: base)
        guard !name.isEmpty, name != "-" else {
            // The end is where it is when this is written.
            let subject = Subject(pointer: "\(base)/\(count)", isNew: true)
            return Self("add an element to \(base)", [subject]) {
                try $0.insert(value, at: base + "/-")
            }
        }
        guard let index = UInt64(name), index <= count else {
            throw EditError(
                .invalid,
                "\(name.quoted) is no index: the list has "
                    + Counted.text(count, "element"))
        }
        let pointer = "\(base)/\(index)"
        var plan = Self("insert \(pointer)", [Subject(pointer: pointer, isNew: true)]) {
            try $0.insert(value, at: pointer)
        }
        try plan.expect([pointer], of: view)
        return plan
    }

    private static func removing(_ pointers: [String], from view: DocumentView) throws -> Self {
        let places = try pointers.map { try existing($0, in: view) }
        // From the last element to the first, so that their numbers hold.
        let ordered = pointers.sorted { left, right in
            left.utf8.count != right.utf8.count
                ? left.utf8.count > right.utf8.count : left > right
        }
        var plan = Self(
            pointers.count == 1 ? "delete \(pointers[0])" : "delete \(pointers.count) places",
            pointers.map { Subject(pointer: $0, isRemoved: true) }
        ) { view in
            for pointer in ordered { try view.delete(at: pointer) }
        }
        plan.endsConflict = places.contains { !$0.others.isEmpty }
        try plan.expect(pointers, of: view)
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
        case .value(let text): value = try Self.value(text)
        case .picks, .properties:
            throw EditError(
                .unsupported,
                "a document merges the members of a map itself; take one of the values")
        case .take(let wanted):
            let author = wanted.author
            let side = ([place.winner] + place.others).first { side in
                view.author(of: side.operation.actor) == author
                    && (wanted.entry ?? side.operation.description) == side.operation.description
            }
            guard let side else {
                throw EditError(.notFound, "\(author.name) has no value there any more")
            }
            let who = if case .device(let device) = author { name(device) } else { author.name }
            way = "as \(who) has it"
            value = try DocumentValue(side.content, of: view)
            if case .object = side.content {
                warnings.append(
                    "its content is copied: what others write into the old one is lost")
            }
        }
        var plan = Self(
            "resolve \(pointer) \(way)", [Subject(pointer: pointer)], warnings: warnings
        ) { view in
            try view.replace(at: pointer, by: value)
        }
        plan.endsConflict = !place.others.isEmpty
        try plan.expect([pointer], of: view)
        return plan
    }
}
