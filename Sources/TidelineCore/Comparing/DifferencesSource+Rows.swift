import Replication

extension Row {
    /// Creates the row of a difference.
    ///
    /// - Parameter id: Contains the number of the row. Names can't identify rows, because different
    ///   names can look the same.
    init(_ difference: StoreDifference, id: RowID) {
        self.init(
            id: id,
            cells: [
                RowCell(difference.name, .key), RowCell(difference.subject.word, .label),
                RowCell(difference.shownWords, difference.change.role),
                RowCell(
                    difference.text(\.from, of: \.from), .removed,
                    value: difference.from.value?.cellValue),
                RowCell(
                    difference.text(\.to, of: \.to), .added,
                    value: difference.to.value?.cellValue),
            ])
        if !difference.isEditable { refuseEdits() }
    }

    /// Creates the row of data that couldn't be compared.
    init(problem: String, of path: String, number: Int) {
        self.init(
            id: RowID("problem \(number)"),
            cells: [
                RowCell(path, .key), RowCell("", .label), RowCell("unreadable", .problem),
                RowCell(problem, .problem), RowCell("", .plain),
            ])
        refuseEdits()
    }

    private mutating func refuseEdits() {
        let reason = "only keys, properties and values in documents can be edited here"
        refusedEdits = [.set: reason, .remove: reason]
    }
}

extension StoreDifference {
    /// The place without its kind. Properties and places in documents are named as in the list of
    /// all conflicts: `Moby-Dick › stars` and `Summer by the sea /price`.
    fileprivate var name: String {
        switch (subject, itemTitle) {
        case (.property(_, let key), let title?): return "\(title) › \(key)"
        case (.place(_, ""), let title?): return title
        case (.place(_, let pointer), let title?): return "\(title) \(pointer)"
        default: break
        }
        return subject.names.map(\.text).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The kind and the name of the place.
    var title: String { "\(subject.word) \(name)" }

    /// Whether the item is a value that the list of differences can set or delete.
    var isEditable: Bool {
        switch subject {
        case .key, .property: true
        case .place(let document, let pointer): document != nil && !pointer.isEmpty
        case .server, .blob, .table, .column, .row: false
        }
    }

    /// The word for a row whose value was copied from the other store.
    static let sameNow = "same now"

    /// The word for a value that a device has deleted.
    fileprivate static let deleted = "deleted"

    /// The words that the list shows for the difference.
    var shownWords: String { isSameNow ? Self.sameNow : change.words }

    /// Whether an edit has made both sides equal.
    private var isSameNow: Bool {
        guard isEdited else { return false }
        if let columns {
            return columns.allSatisfy { column in
                column.from?.json.line == column.to?.json.line
                    && column.from?.type == column.to?.type
            }
        }
        guard let from = from.value, let to = to.value else {
            return from.value == nil && to.value == nil
        }
        // Properties have semantic types, but an edited value doesn't.
        guard case .key = subject else {
            return (from.typed?.text ?? from.text) == (to.typed?.text ?? to.text)
        }
        return from.text == to.text && from.type == to.type
    }

    /// Returns a side as the text of a cell.
    fileprivate func text(
        _ side: KeyPath<StoreDifference, Side>, of column: KeyPath<Column, Value?>
    ) -> String {
        guard let columns else {
            let side = self[keyPath: side]
            return side.value?.line ?? (side.isDeleted ? StoreDifference.deleted : "")
        }
        return columns.compactMap { entry in
            entry[keyPath: column].map { "\(entry.name): \($0.line)" }
        }.joined(separator: ", ")
    }

    /// Returns the lines that differ, and the devices that wrote them.
    func lines(_ names: [DeviceID: String]) -> [Detail.Line] {
        pairs.flatMap { lines($0.from, $0.to, title: $0.title, names) }
    }

    private func lines(
        _ from: Side, _ to: Side, title: String, _ names: [DeviceID: String]
    ) -> [Detail.Line] {
        let shown = MarkedLines.between(from.value, to.value)
        func lines(
            _ lines: [MarkedLine], _ label: String, _ role: TextRole, _ side: Side
        ) -> [Detail.Line] {
            (side.isDeleted
                ? [Detail.Line(label, title + StoreDifference.deleted, .dim)]
                : Detail.Line.linesOfText(
                    lines.map { line in
                        Detail.Line(label, title + line.parts.map(\.text).joined(), role)
                    }))
                + (side.device.map {
                    [Detail.Line("device", names[$0] ?? $0.name, .device)]
                } ?? [])
        }
        return lines(shown.from, "other store", .removed, from)
            + lines(shown.to, "open store", .added, to)
    }
}

extension StoreDifference.Side {
    /// Whether a device has deleted the value. `false` if there was never a value.
    fileprivate var isDeleted: Bool { value == nil && device != nil }
}

extension StoreDifference.Change {
    fileprivate var role: TextRole {
        switch self {
        case .added: .added
        case .removed: .removed
        case .changed: .label
        case .notArrived: .conflict
        }
    }
}

extension StoreDifference.Subject {
    /// The kind of the place, in one word.
    var word: String {
        switch self {
        case .key: "key"
        case .property: "property"
        case .place: "document"
        case .server: "server"
        case .blob: "blob"
        case .table: "table"
        case .column: "column"
        case .row: "row"
        }
    }
}
