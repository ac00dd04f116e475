public import Replication

/// A list from which the screen reads windows of rows: keys, log rows, conflicts, entities,
/// servers.
///
/// A source computes only the requested rows, so the cost doesn't depend on the length of the list.
/// It can be used from any thread. Its answers are snapshots.
@dynamicMemberLookup
public protocol RowSource: AnyObject, Sendable {
    /// The properties of the list; each is also a member of the source.
    var info: ListInfo { get }

    /// Returns the rows around a position.
    ///
    /// - Parameter request: The query, the position and the number of rows.
    /// - Throws: ``FilterError`` for a filter that can't be parsed or names an unknown field.
    func window(_ request: WindowRequest) async throws -> RowWindow
    /// Returns the inspector's content for a row; `nil` if the row no longer exists.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - instant: The instant; `nil` for now.
    /// - Throws: Errors from reading the store.
    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail?
    /// Returns the inspector's content for a row of a query. If the row represents several items,
    /// the detail shows only the items that the query matches.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - query: The query that the row is from.
    /// - Throws: ``FilterError``; errors from reading the store.
    func detail(of row: RowID, in query: RowQuery) async throws -> Detail?
    /// Returns the inspector's content for a version of a row, which a line of its detail names, with
    /// the differences from now; `nil` if the version isn't available.
    ///
    /// - Throws: Errors from reading the store.
    func version(_ version: Detail.Version, of row: RowID) async throws -> Detail?
    /// Returns the texts of a row with the writer of each part; `nil` if the row no longer exists or
    /// its writers aren't known.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - part: The property whose texts are wanted; `nil` for all of the row's.
    ///   - instant: The instant; `nil` for now.
    /// - Throws: Errors from reading the store.
    func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts?
    /// Returns the list inside a row, such as the entities of a type or the servers of a group;
    /// `nil` if the row contains no list, so that opening it shows its detail.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - instant: The instant at which the row was shown; `nil` for now. The returned list
    ///     accepts queries for any instant.
    /// - Throws: Errors from reading the store.
    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)?
    /// Returns the conflict of a row; `nil` if devices agree. If several properties are in
    /// conflict, returns one of the conflicts.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - instant: The instant; `nil` for now.
    /// - Throws: Errors from reading the store.
    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict?
    /// Returns all conflicts of a row, which can concern several of its properties.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - instant: The instant; `nil` for now.
    /// - Throws: Errors from reading the store.
    func conflicts(of row: RowID, at instant: Timestamp?) async throws -> [RowConflict]
    /// Returns the rows in conflict inside a row that stands for others (``Row/isFolder``), which are
    /// resolved together with it.
    ///
    /// - Throws: Errors from reading the store.
    func conflictedRows(inside row: RowID, at instant: Timestamp?) async throws -> [RowID]
    /// Returns the name of a row outside of its list, to which the rules of the configuration apply.
    func fullName(of row: Row) -> String
    /// Returns the fields in which the sides of a row's conflict differ, and the writes that led to
    /// it; `nil` if devices agree or the details aren't known.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - part: The part of the row in conflict (``RowConflict/part``); `nil` for the first one.
    ///   - instant: The instant; `nil` for now.
    /// - Throws: Errors from reading the store.
    func conflictDetail(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> ConflictDetail?
    /// Returns the merge proposal for a row's conflict with some fields taken from the given sides
    /// (``Edit/Resolution/picks(_:)``); `nil` if devices agree or the sides have no fields.
    ///
    /// - Throws: Errors from reading the store; ``EditError`` for fields in which sides don't
    ///   differ.
    func proposal(
        of row: RowID, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) async throws -> RowConflict.Proposal?
    /// Returns the value of a row, or of a part of it, as text to edit.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - field: The part; `nil` for the whole value.
    /// - Throws: Errors from reading the store.
    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText?
    /// Returns the values to choose from for a field whose values refer to rows; `nil` for any other
    /// field.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - text: The text that the rows contain; empty for all rows.
    /// - Throws: Errors from reading the store.
    func choices(for field: FieldPath, matching text: String) async throws -> ValueChoices?
    /// Returns the values of a row as a text that adds another one, or `nil` if rows can't be
    /// duplicated.
    ///
    /// - Throws: ``EditError``; errors from reading the store.
    func template(of row: RowID) async throws -> TypedText?
    /// Returns the value of a row in the forms that can be copied.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - instant: The instant; `nil` for now.
    /// - Throws: Errors from reading the store.
    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm]
    /// Passes the complete value of a row to `write`, in pieces: the bytes of a file or of data;
    /// other values as text.
    ///
    /// - Returns: Whether the row has a value.
    /// - Throws: Errors from reading the store; errors of `write`.
    func writeValue(
        of row: RowID, at instant: Timestamp?, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Bool
    /// Returns rows of a window as complete values for export, in the forms of the command line.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - instant: The instant; `nil` for now.
    /// - Throws: Errors from reading the store.
    func records(of rows: [Row], at instant: Timestamp?) async throws -> [RowRecord]
    /// Returns the values of a filter field in the rows of a query, in any order. For long lists,
    /// only the first rows are considered.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - query: The query.
    /// - Throws: ``FilterError``; errors from reading the store.
    func values(of field: FilterField, in query: RowQuery) async throws -> [String]
    /// Returns the distinct values of a column in the rows of a query; `nil` if the caller has to
    /// count them.
    ///
    /// - Parameter limit: The maximum number of values.
    /// - Throws: ``FilterError``; errors from reading the store.
    func frequencies(
        of column: String, in query: RowQuery, limit: Int
    ) async throws -> ValueFrequencies?
    /// Sets the forms in which columns show numbers. Unknown columns and forms are ignored.
    ///
    /// - Parameter forms: The forms, by column identifier.
    /// - Throws: Errors from reading the store.
    func showNumbers(_ forms: [String: String]) async throws
    /// Returns the nearest write to a row after (or before) an instant.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - instant: The instant.
    ///   - backwards: Whether to search for an earlier write.
    /// - Throws: Errors from reading the store.
    func step(of row: RowID, from instant: Timestamp, backwards: Bool) async throws -> RowStep
    /// Returns the rows with this name prefix that have changed since an instant, including deleted
    /// ones.
    ///
    /// - Parameters:
    ///   - prefix: The prefix.
    ///   - instant: The instant.
    /// - Throws: ``EditError`` with code `.unsupported` if rows have no such names; errors from
    ///   reading the store.
    func changedRows(under prefix: String, since instant: Timestamp) async throws -> [RowID]
    /// Drops the history index. Call when the user leaves time travel.
    func forgetPast()
    /// Runs a query that the user typed, and shows it as a row until the list is closed.
    ///
    /// - Parameter row: The row whose query is replaced; `nil` to add a row.
    /// - Returns: The row, and the list of results.
    /// - Throws: ``EditError`` with code `.invalid` if the text isn't a read-only query; errors
    ///   from reading the store.
    func run(
        _ query: String, of row: RowID?
    ) async throws -> (row: RowID, results: any RowSource)
    /// Returns the changes that an edit would make, for the user to confirm. Writes nothing.
    ///
    /// - Parameter edit: The edit.
    /// - Throws: ``EditError`` if the edit isn't possible: `.unsupported`, `.readOnly`, `.invalid`,
    ///   `.notFound`, `.unreadable`.
    func preview(_ edit: Edit) async throws -> EditPreview
    /// Writes a previewed edit, unless the rows have changed since the preview.
    ///
    /// - Parameter preview: The preview that the user confirmed.
    /// - Returns: The written edit.
    /// - Throws: ``EditError``. If the rows have changed, its code is `.moved`, and nothing is
    ///   written.
    func apply(_ preview: EditPreview) async throws -> AppliedEdit
}

extension RowSource {
    /// Accesses a property of ``ListInfo``.
    public subscript<Value>(dynamicMember member: KeyPath<ListInfo, Value>) -> Value {
        info[keyPath: member]
    }
    /// Returns the detail of the row, which doesn't depend on the query.
    ///
    /// - Throws: Errors from reading the store.
    public func detail(of row: RowID, in query: RowQuery) async throws -> Detail? {
        try await detail(of: row, at: query.instant)
    }
    /// `nil`: versions aren't kept.
    public func version(_ version: Detail.Version, of row: RowID) async throws -> Detail? { nil }
    /// `nil`: the writers of parts aren't known.
    public func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts? { nil }
    /// Returns the texts of a row with the writer of each part, as the inspector shows them; `nil` if
    /// the writers aren't known.
    ///
    /// - Throws: Errors from reading the store.
    public func authors(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        try await writtenTexts(of: row, part: nil, at: instant).map { Detail(authorsOf: $0) }
    }
    /// Returns the inspector's content for a row of a query in a form.
    ///
    /// - Throws: The errors of the method for that form.
    public func detail(
        of row: RowID, as form: Detail.Form, in query: RowQuery
    ) async throws -> Detail? {
        switch form {
        case .row: try await detail(of: row, in: query)
        case .version(let version): try await self.version(version, of: row)
        case .authors: try await authors(of: row, at: query.instant)
        }
    }
    /// Does nothing, because the list has no history index.
    public func forgetPast() {}
    /// Returns `nil`, because this list can't have conflicts.
    public func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        nil
    }
    /// Returns the row's only conflict. Lists whose rows have properties override this.
    ///
    /// - Throws: Errors from reading the store.
    public func conflicts(of row: RowID, at instant: Timestamp?) async throws -> [RowConflict] {
        try await conflict(of: row, at: instant).map { [$0] } ?? []
    }
    /// Returns no rows, because no row stands for others.
    public func conflictedRows(
        inside row: RowID, at instant: Timestamp?
    ) async throws -> [RowID] { [] }
    /// Returns the text of the first column.
    public func fullName(of row: Row) -> String { row.cells.first?.text ?? row.id.name }
    /// Returns `nil`, because no details are known.
    public func conflictDetail(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> ConflictDetail? { nil }
    /// Returns `nil`, because sides have no fields.
    public func proposal(
        of row: RowID, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) async throws -> RowConflict.Proposal? { nil }
    /// Returns `nil`, because rows contain no lists.
    public func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? { nil }
    /// Throws an error, because the rows aren't queries.
    public func run(
        _ query: String, of row: RowID?
    ) async throws -> (row: RowID, results: any RowSource) {
        throw EditError(.unsupported, "\(info.title) can't run queries")
    }
    /// Returns `nil`, because nothing can be edited.
    public func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? { nil }
    /// Returns `nil`, because no field refers to rows.
    public func choices(
        for field: FieldPath, matching text: String
    ) async throws -> ValueChoices? { nil }
    /// Returns `nil`, because rows can't be duplicated.
    public func template(of row: RowID) async throws -> TypedText? { nil }
    /// Returns an empty array, because rows can't be copied.
    public func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] { [] }
    /// Writes the same text as copying the row's value.
    ///
    /// - Throws: Errors from reading the store; errors of `write`.
    public func writeValue(
        of row: RowID, at instant: Timestamp?, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Bool {
        guard
            var text = try await copyForms(of: row, at: instant).first(where: { $0.name == "value" }
            )?
            .text
        else { return false }
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
        return true
    }
    /// Returns `nil`, so that the caller counts the rows.
    public func frequencies(
        of column: String, in query: RowQuery, limit: Int
    ) async throws -> ValueFrequencies? { nil }
    /// Does nothing, because numbers have only one form.
    public func showNumbers(_ forms: [String: String]) async throws {}
    /// Returns `unknown`, so that the caller searches all writes.
    public func step(
        of row: RowID, from instant: Timestamp, backwards: Bool
    ) async throws -> RowStep { .unknown }
    /// Throws an error, because rows have no names with prefixes.
    ///
    /// - Throws: ``EditError`` with code `.unsupported`.
    public func changedRows(
        under prefix: String, since instant: Timestamp
    ) async throws -> [RowID] {
        throw EditError(
            .unsupported, "\(info.title) can't be restored by prefix")
    }
    /// Returns the preview of an edit that the user based on an earlier value.
    ///
    /// If the value has changed since then, ``EditPreview/overtaken`` is the earlier value.
    ///
    /// - Parameters:
    ///   - edit: The edit.
    ///   - seen: The result of ``editableValue(of:field:)`` when the edit started; `nil` for no
    ///     value.
    /// - Throws: The errors of ``preview(_:)``.
    public func preview(_ edit: Edit, typedOver seen: TypedText?) async throws -> EditPreview {
        var preview = try await preview(edit)
        if let seen, case .set(let row, let field, _) = edit,
            try await editableValue(of: row, field: field) != seen
        {
            preview.overtaken = seen
        }
        return preview
    }
    /// Throws an error, because the list is read-only.
    ///
    /// - Throws: ``EditError`` with code `.unsupported`.
    public func preview(_ edit: Edit) async throws -> EditPreview {
        throw EditError(.unsupported, "this list is read-only")
    }
    /// Throws an error, because the list is read-only.
    ///
    /// - Throws: ``EditError`` with code `.unsupported`.
    public func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        throw EditError(.unsupported, "this list is read-only")
    }
}

/// The identity of a row within its source. It stays the same if the row's content or position
/// changes.
///
/// Identities are compared by their bytes. Names that only look the same, such as the two encodings
/// of `é`, identify different rows.
public struct RowID: Hashable, Sendable {
    /// The row's name, unique within its source.
    public let name: String
    /// Creates an identity from the row's name.
    public init(_ name: String) { self.name = name }

    /// Returns whether both names have the same bytes.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.name.utf8.elementsEqual(rhs.name.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// The result of a step from one write of a row to the next.
public enum RowStep: Hashable, Sendable {
    /// The instant of the next write.
    case at(Timestamp)
    /// No write exists in that direction.
    case none
    /// The source doesn't record when its rows were written.
    case unknown
}

/// A selection of a source's rows, their order, and the instant at which they are shown.
public struct RowQuery: Hashable, Sendable {
    /// A sort order by one column.
    public struct Sort: Hashable, Sendable {
        /// The column's identifier.
        public var column: String
        /// Whether the sort is descending.
        public var isDescending: Bool
        /// Creates an order by a column, ascending by default.
        public init(column: String, isDescending: Bool = false) {
            self.column = column
            self.isDescending = isDescending
        }
    }

    /// The filter as typed; empty for all rows.
    public var filter: String
    /// The sort order; `nil` for the source's own order.
    public var sort: Sort?
    /// The instant of the snapshot view; `nil` for now.
    public var instant: Timestamp?

    /// Creates a query; by default, for all current rows in the source's own order.
    ///
    /// - Parameters:
    ///   - filter: The filter as typed; empty for all rows.
    ///   - sort: The sort order; `nil` for the source's own order.
    ///   - instant: The instant; `nil` for now.
    public init(filter: String = "", sort: Sort? = nil, instant: Timestamp? = nil) {
        self.filter = filter
        self.sort = sort
        self.instant = instant
    }
}

/// A request for a part of a list.
public struct WindowRequest: Hashable, Sendable {
    /// The position of a window.
    public enum Position: Hashable, Sendable {
        /// The window starts at this index, clamped to the list.
        case index(Int)
        /// The window contains this row, `offset` rows below its top. If the row no longer exists,
        /// the window contains the row at its former index, `fallback`.
        case row(RowID, offset: Int, fallback: Int)
        /// The window starts with the first row after `index` (before, if `backwards`) that
        /// contains `text` (smart case), wrapping around once.
        case search(String, from: Int, backwards: Bool)
    }

    /// The rows to list.
    public var query: RowQuery
    /// The position of the window.
    public var position: Position
    /// The number of rows, at most 10,000.
    public var count: Int

    /// Creates a request for `count` rows, by default from the start.
    ///
    /// - Parameters:
    ///   - query: The rows to list.
    ///   - position: The position of the window.
    ///   - count: The number of rows.
    public init(query: RowQuery = RowQuery(), position: Position = .index(0), count: Int) {
        self.query = query
        self.position = position
        self.count = count
    }
}

/// A part of a list.
public struct RowWindow: Hashable, Sendable {
    /// The rows of the window, in list order.
    public var rows: [Row]
    /// The index of the first of `rows` in the whole list.
    public var start: Int
    /// The length of the whole list, or the number known so far while it is being counted.
    public var total: Int
    /// Whether `total` is exact.
    public var isTotalExact: Bool
    /// The index of the requested row (by identity or by search) in the whole list; `nil` if no row
    /// was requested or found.
    public var found: Int?

    /// Creates a window.
    public init(
        rows: [Row], start: Int, total: Int, isTotalExact: Bool = true, found: Int? = nil
    ) {
        self.rows = rows
        self.start = start
        self.total = total
        self.isTotalExact = isTotalExact
        self.found = found
    }
}

/// A row of a list, ready to draw: one text per column.
public struct Row: Hashable, Sendable, Identifiable {
    /// The identity of the row.
    public let id: RowID
    /// The cells, in column order, unescaped. The screen makes control characters visible.
    public var cells: [RowCell]
    /// The device that wrote the row, if there is one.
    public var device: DeviceID?
    /// Whether the row is in conflict.
    public var isConflict: Bool
    /// The number of the row's properties in conflict; 1 for a conflict about the whole row.
    public var conflictCount: Int
    /// The number of conflicts inside the row.
    public var conflictsInside: Int
    /// Whether the row is dimmed, like a deleted key.
    public var isDimmed: Bool
    /// Whether the row stands for the rows in it, and has nothing to edit itself.
    public var isFolder = false
    /// Whether the row is a counter, which can be incremented.
    public var isCounter: Bool
    /// Whether the row is known to open as a list.
    public var opensList = false
    /// The filter to add to the parent list when the row is opened; `nil` if opening the row shows
    /// the row itself.
    public var outerFilter: String?

    /// Creates a row with one cell per column.
    ///
    /// - Parameter conflictCount: The number of conflicts; `nil` for one if the row is in conflict.
    public init(
        id: RowID, cells: [RowCell], device: DeviceID? = nil, isConflict: Bool = false,
        conflictCount: Int? = nil, conflictsInside: Int = 0, isDimmed: Bool = false,
        isCounter: Bool = false
    ) {
        self.id = id
        self.cells = cells
        self.device = device
        self.isConflict = isConflict
        self.conflictCount = conflictCount ?? (isConflict ? 1 : 0)
        self.conflictsInside = conflictsInside
        self.isDimmed = isDimmed
        self.isCounter = isCounter
    }
}

/// The content of a row in one column.
public struct RowCell: Hashable, Sendable {
    /// The text, unescaped. The screen makes control characters visible.
    public var text: String
    /// The role of the text, for the theme.
    public var role: TextRole
    /// The instant that the screen shows as an age (`2m`), relative to its own clock. `text` is
    /// then the absolute time.
    public var instant: Timestamp?
    /// The typed value, if it contains more than the text or differs from it.
    public var value: CellValue?

    /// Creates a cell.
    public init(
        _ text: String, _ role: TextRole = .plain, instant: Timestamp? = nil,
        value: CellValue? = nil
    ) {
        self.text = text
        self.role = role
        self.instant = instant
        self.value = value
    }
}

/// The role of a text. A theme defines its look.
public enum TextRole: String, Hashable, Sendable, CaseIterable {
    case plain, title, label, key, string, number, boolean, date, data, collection, deletion
    case device, timestamp, winner, loser, conflict, problem, badge, dim, link, added, removed
}
