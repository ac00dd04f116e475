import KeyValueStore
package import Replication
package import Tables

/// A difference between two stores, or between two states of one store.
package struct StoreDifference: Sendable {
    /// The kind of data that differs.
    package enum Kind: String, Sendable, CaseIterable {
        case keys, entities, documents, servers, blobs, tables
    }

    /// The kind of change from the first side to the second.
    package enum Change: String, Sendable, CaseIterable {
        /// Only the second side has the item.
        case added
        /// Only the first side has the item.
        case removed
        /// Both sides have the item, with different values.
        case changed
        /// The first side has a newer row. In the second store, the log of the row's device ends
        /// before this row.
        case notArrived

        /// The words for the change, in lists and in output.
        package var words: String { self == .notArrived ? "not arrived" : rawValue }
    }

    /// The place of a difference.
    package enum Subject: Sendable {
        case key(String)
        case property(entity: String, String)
        /// A place in a document, as a JSON Pointer. A document that is a file has no identifier.
        case place(document: String?, pointer: String)
        case server(String)
        case blob(String)
        /// A table that only one side has.
        case table(String)
        /// A column that only one side has.
        case column(table: String, String)
        case row(table: String, RowKey)
    }

    /// A column of a row. A side without the row has no value.
    package struct Column: Sendable {
        package let name: String
        package let from: Value?
        package let to: Value?
    }

    package struct Side: Sendable {
        /// The value; `nil` if there is none.
        package var value: Value?
        /// The device that wrote or removed the value, if known.
        package var device: DeviceID?

        package init(_ value: Value? = nil, device: DeviceID? = nil) {
            self.value = value
            self.device = device
        }
    }

    /// A value in the forms in which it is printed.
    package struct Value: Sendable {
        /// The value in JSON. `null` if `problem` explains why there is no value.
        package let json: JSONValue
        /// The value in readable form.
        package let text: String
        /// The type of the value, which distinguishes values with the same text.
        package let type: String
        /// Whether the value consists of words that can be compared.
        package let hasWords: Bool
        /// The reason why the value can't be shown.
        package let problem: String?
        /// The value as text to edit; `nil` for a type that can't be typed.
        let typed: TypedText?

        package init(
            _ json: JSONValue, text: String, type: String = "", hasWords: Bool = false,
            problem: String? = nil, typed: TypedText? = nil
        ) {
            self.json = json
            self.text = text
            self.type = type
            self.hasWords = hasWords
            self.problem = problem
            self.typed = typed ?? TypedText.Kind(rawValue: type).map { TypedText($0, text) }
        }
    }

    package let subject: Subject
    /// The name of the entity or document that the difference is about, as lists show it.
    package internal(set) var itemTitle: String?
    package let change: Change
    package let from: Side
    package private(set) var to: Side
    /// Whether ``to`` or ``columns`` have been edited since the comparison.
    package private(set) var isEdited = false
    /// The columns that differ, or all columns of a row that only one side has; `nil` if the
    /// difference isn't about a row.
    package private(set) var columns: [Column]?

    /// Creates a difference that isn't about a row.
    ///
    /// - Parameter isLate: Whether the row of the first side has not arrived in the second store.
    init(_ subject: Subject, from: Side, to: Side, isLate: Bool = false) {
        self.subject = subject
        self.from = from
        self.to = to
        columns = nil
        change =
            isLate
            ? .notArrived : from.value == nil ? .added : to.value == nil ? .removed : .changed
    }

    /// Creates a difference of a row.
    init(_ subject: Subject, columns: [Column], change: Change) {
        self.subject = subject
        self.columns = columns
        self.change = change
        from = Side()
        to = Side()
    }
}

extension StoreDifference {
    /// The values that differ. Those of a row are titled with their column.
    package var pairs: [(title: String, from: Side, to: Side)] {
        guard let columns else { return [(title: "", from: from, to: to)] }
        return columns.map {
            (title: "\($0.name): ", from: Side($0.from), to: Side($0.to))
        }
    }

    /// Whether the first side had the item when the stores were compared.
    var wasInFirst: Bool { change != .added }

    /// Replaces the values of a row in the second side after an edit.
    ///
    /// - Parameter value: Returns the value of a column; `nil` if the second side has none.
    mutating func note(_ value: (_ column: String) -> Value?) {
        isEdited = true
        columns = columns?.map { Column(name: $0.name, from: $0.from, to: value($0.name)) }
    }

    /// Replaces the state of the second side after an edit.
    mutating func note(_ side: Side) {
        isEdited = true
        to = side
    }

    /// Replaces the value of the second side after an edit.
    mutating func note(_ value: TypedText?, writer: DeviceID?) {
        isEdited = true
        guard value != to.value?.typed else { return }
        // A copied value has the form of the other side.
        let isCopied = value != nil && value == from.value?.typed
        to = Side(
            isCopied
                ? from.value
                : value.map { typed in
                    let json = try? typed.value(as: PropertyList.self).json()
                    return Value(json.map { .verbatim($0) } ?? .string(typed.text), typed)
                }, device: writer)
    }
}

extension StoreDifference.Subject {
    package var kind: StoreDifference.Kind {
        switch self {
        case .key: .keys
        case .property: .entities
        case .place: .documents
        case .server: .servers
        case .blob: .blobs
        case .table, .column, .row: .tables
        }
    }

    /// The names of the place, in printing order: for a key, `key` and its name.
    package var names: [(name: String, text: String)] {
        switch self {
        case .key(let key): [("key", key)]
        case .property(let entity, let name): [("entity", entity), ("property", name)]
        case .place(let document, let pointer):
            (document.map { [("document", $0)] } ?? []) + [("pointer", pointer)]
        case .server(let id): [("server", id)]
        case .blob(let path): [("blob", path)]
        case .table(let name): [("table", name)]
        case .column(let table, let name): [("table", table), ("column", name)]
        case .row(let table, let key): [("table", table), ("row", key.text)]
        }
    }

    /// The table, if the difference is in a table.
    package var table: String? {
        switch self {
        case .table(let name), .column(let name, _), .row(let name, _): name
        case .key, .property, .place, .server, .blob: nil
        }
    }

    /// The members that name the place in JSON.
    fileprivate var members: [Name: JSONValue] {
        var members: [Name: JSONValue] = [:]
        for (name, text) in names { members[Name(name)] = .string(text) }
        if case .row(_, let key) = self {
            let values = key.values.map { JSONValue.verbatim($0.json) }
            members["row"] = values.count == 1 ? values[0] : .array(values)
        }
        return members
    }
}

extension StoreDifference {
    /// The difference as one JSON object.
    package var json: JSONValue {
        var members = subject.members
        members["store"] = .string(subject.kind.rawValue)
        members["change"] = .string(change.rawValue)
        if let columns {
            let columns = columns.map { (Name($0.name), $0.json) }
            members["columns"] = .object(Dictionary(columns) { $1 })
            return .object(members)
        }
        members["from"] = from.value?.json ?? .null
        members["to"] = to.value?.json ?? .null
        if let device = from.device { members["fromDevice"] = .string(device.name) }
        if let device = to.device { members["toDevice"] = .string(device.name) }
        if let problem = from.value?.problem { members["fromProblem"] = .string(problem) }
        if let problem = to.value?.problem { members["toProblem"] = .string(problem) }
        return .object(members)
    }
}

extension StoreDifference.Column {
    fileprivate var json: JSONValue {
        var members: [Name: JSONValue] = [:]
        if let from { members["from"] = from.json }
        if let to { members["to"] = to.json }
        return .object(members)
    }
}

extension StoreDifference.Value {
    /// The value in one line, as in lists: texts in quotation marks, lists and maps as JSON.
    var line: String {
        if isText { return "\"\(text)\"" }
        let compact = json.line
        return compact.hasPrefix("[") || compact.hasPrefix("{") && hasWords ? compact : text
    }

    /// The value of a list's cell, which filters compare and exports contain.
    var cellValue: CellValue { .json(isText ? .string(text) : json) }

    private var isText: Bool { json.line.hasPrefix("\"") }

    /// Creates a value from its typed form.
    init(_ json: JSONValue, _ typed: TypedText) {
        self.init(
            json, text: typed.text, type: typed.kind.rawValue,
            hasWords: [.string, .text, .json].contains(typed.kind), typed: typed)
    }
}
