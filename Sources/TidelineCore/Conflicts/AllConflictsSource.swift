import Replication

/// The list of all conflicts of a store: keys, properties of entities, places in documents.
///
/// It shows the data models in order, and reads only the requested rows. A conflict has the details
/// and edits of the row in conflict.
final class AllConflictsSource: RowSource {
    static let columns = [
        Column("name", "NAME", minimumWidth: 12, isSortable: true),
        Column("kind", "KIND", width: 8, isSortable: true),
        Column("winner", "WINNER", minimumWidth: 10, isSortable: true),
        Column("device", "DEVICE", minimumWidth: 6, width: 14, isSortable: true),
        Column("others", "OTHERS", minimumWidth: 12),
        Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
    ]
    private static let fields = [
        FilterField("name", example: "name:note/*", aliases: ["key", "pointer"]),
        FilterField("kind", example: "kind:property"),
        FilterField("winner", .value, example: "winner~/^a/i", aliases: ["shown"]),
        FilterField("device", .name, example: "device:ipad", aliases: ["of", "actor"]),
        FilterField("others", example: "others:*ipad*"),
        FilterField("age", .age, example: "age<10m"),
    ]
    fileprivate static let schema = ListSchema(
        rowsOf: ListInfo("Conflicts", columns: columns, filterFields: fields))
    /// Returns the data models that can have conflicts, in the order of the list.
    private let currentListings: @Sendable () -> [any ConflictListing]
    private var listings: [any ConflictListing] { currentListings() }
    private let arranged = ResultCache<JoinedConflicts, ArrangedList<JoinedConflicts>>()

    /// Creates the list from the conflicts of data models.
    ///
    /// - Parameter listings: Returns the conflicts of each data model. Later calls may return more
    ///   data models.
    init(_ listings: @escaping @Sendable () -> [any ConflictListing]) {
        currentListings = listings
    }

    var info: ListInfo {
        var edits: [EditKind: Availability] = [:]
        // An edit is possible if at least one data model allows it. For the other data models, the
        // preview shows the reason why it isn't possible.
        for (kind, availability) in listings.flatMap(\.edits) where edits[kind] != .available {
            edits[kind] = availability
        }
        var info = ListInfo(
            "Conflicts", columns: Self.columns, filterFields: Self.fields, edits: edits,
            namingColumn: "name")
        info.hasAuthors = true
        return info
    }

    func forgetPast() {
        arranged.forgetPast()
        for listing in listings { listing.forgetPast() }
    }

    // MARK: Rows

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let all = try await joined(at: request.query.instant)
        var window = try await arranged.window(request, of: all, in: all)
        refuseEdits(of: &window.rows)
        return window
    }

    /// Marks edits as refused in rows whose data model doesn't offer them.
    private func refuseEdits(of rows: inout [Row]) {
        let listings = listings
        let kinds = Set(listings.flatMap { $0.edits.keys })
        let refused = Dictionary(
            listings.map { ($0.part, kinds.subtracting($0.edits.keys)) }, uniquingKeysWith: { $1 })
        for index in rows.indices {
            guard let place = ConflictPlace(listed: rows[index].id), rows[index].cells.count > 1
            else { continue }
            let reason =
                "here, you can only resolve the conflict of a \(rows[index].cells[1].text)"
            for kind in refused[place.part] ?? [] { rows[index].refusedEdits[kind] = reason }
        }
    }

    private func joined(at instant: Timestamp?) async throws -> JoinedConflicts {
        var parts: [(part: String, listed: ListedConflicts)] = []
        for listing in listings {
            parts.append((listing.part, try await listing.conflicts(at: instant)))
        }
        return JoinedConflicts(parts)
    }

    func records(of rows: [Row], at instant: Timestamp?) async throws -> [RowRecord] {
        let info = info
        // Conflicts that were resolved after the list was loaded have no record.
        return rows.filter(\.isConflict).map { RowRecord($0, in: info) }
    }

    // MARK: One row

    func target(of row: RowID) async throws -> ConflictTarget? {
        guard let place = ConflictPlace(listed: row),
            let listing = listings.first(where: { $0.part == place.part })
        else { return nil }
        return try await listing.target(of: place)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let target = try await target(of: row) else { return nil }
        return try await target.source.detail(of: target.row, at: instant)
    }

    func version(_ version: Detail.Version, of row: RowID) async throws -> Detail? {
        guard let target = try await target(of: row) else { return nil }
        return try await target.source.version(version, of: target.row)
    }

    func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts? {
        guard let target = try await target(of: row) else { return nil }
        return try await target.source.writtenTexts(
            of: target.row, part: part ?? target.property, at: instant)
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        guard let target = try await target(of: row) else { return nil }
        return try await target.source.conflicts(of: target.row, at: instant)
            .first { target.property == nil || $0.part == target.property }
    }

    func conflictDetail(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> ConflictDetail? {
        guard let target = try await target(of: row) else { return nil }
        return try await target.source.conflictDetail(
            of: target.row, part: target.property, at: instant)
    }

    func proposal(
        of row: RowID, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) async throws -> RowConflict.Proposal? {
        guard let target = try await target(of: row) else { return nil }
        return try await target.source.proposal(of: target.row, picking: picks, at: instant)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let target = try await target(of: row) else { return [] }
        return try await target.source.copyForms(of: target.row, at: instant)
    }

    func step(
        of row: RowID, from instant: Timestamp, backwards: Bool
    ) async throws -> RowStep {
        guard let target = try await target(of: row) else { return .unknown }
        return try await target.source.step(of: target.row, from: instant, backwards: backwards)
    }

    // MARK: Edits

    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        guard let target = try await target(of: row) else { return nil }
        return try await target.source.editableValue(
            of: target.row, field: field ?? target.property)
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        let (source, inner) = try await inner(edit)
        var preview = try await source.preview(inner)
        preview.edit = edit
        return preview
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        let (source, edit) = try await inner(preview.edit)
        var inner = preview
        inner.edit = edit
        var applied = try await source.apply(inner)
        if let row = preview.edit.row { applied.rows = [row] }
        return applied
    }

    /// Translates an edit of this list into an edit of the row in conflict, in the row's source.
    func inner(_ edit: Edit) async throws -> (source: any RowSource, edit: Edit) {
        if case .revert(let written) = edit {
            guard let listing = listings.first(where: { $0.part == written.model }) else {
                throw EditError(.unsupported, "this list can't undo a change of \(written.model)")
            }
            return (listing.undoing, edit)
        }
        guard let row = edit.row, let target = try await target(of: row) else {
            throw EditError(.unsupported, "conflicts can only be edited one by one")
        }
        switch edit {
        case .set(_, let field, let text):
            return (
                target.source, .set(target.row, field: field ?? target.property, text)
            )
        case .remove(_, let field):
            return (target.source, .remove([target.row], field: field ?? target.property))
        case .resolve(_, let resolution):
            return (target.source, .resolve(target.row, resolution))
        case .restore(_, let field, let instant):
            return (
                target.source,
                .restore([target.row], field: field ?? target.property, at: instant)
            )
        default: throw EditError(.unsupported, "this list doesn't support this edit")
        }
    }
}

extension Edit {
    /// The only row that an edit changes; `nil` if there are several or none.
    var row: RowID? {
        let rows = existingRows
        return rows.count == 1 ? rows[0] : nil
    }
}

/// The conflicts of several data models, joined to one list.
private struct JoinedConflicts: IndexedItems {
    let parts: [(part: String, listed: ListedConflicts)]
    let count: Int
    let isCountExact: Bool

    init(_ parts: [(part: String, listed: ListedConflicts)]) {
        self.parts = parts
        count = parts.reduce(0) { $0 + $1.listed.rows.count }
        isCountExact = parts.allSatisfy(\.listed.rows.isCountExact)
    }

    var schema: ListSchema<Row> { AllConflictsSource.schema }
    var pageSize: Int { 4_096 }

    func items(_ range: Range<Int>) async throws -> [Row] { try await rows(range) }

    func rows(_ range: Range<Int>) async throws -> [Row] {
        var (rows, start) = ([Row](), 0)
        for (_, listed) in parts {
            let own = range.clamped(to: start..<start + listed.rows.count)
            if !own.isEmpty {
                rows += try await listed.rows.rows(
                    own.lowerBound - start..<own.upperBound - start)
            }
            start += listed.rows.count
        }
        return rows
    }

    func index(of row: RowID) async throws -> Int? {
        guard let place = ConflictPlace(listed: row) else { return nil }
        var start = 0
        for (part, listed) in parts {
            if part == place.part {
                return try await listed.rows.index(of: row).map { $0 + start }
            }
            start += listed.rows.count
        }
        return nil
    }
}

extension JoinedConflicts: Equatable {
    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.parts.elementsEqual(rhs.parts) { $0.listed === $1.listed }
    }
}

extension PaneID {
    /// All conflicts of a store.
    public static let conflicts = PaneID("conflicts")
}

extension Pane {
    /// Creates the pane of all conflicts of these parts, in the group of the first part; `nil` if
    /// no part can have conflicts.
    init?(conflictsOf parts: [any SessionPart]) {
        guard parts.contains(where: { $0.conflicts != nil }) else { return nil }
        self.init(
            .conflicts, AllConflictsSource { parts.compactMap(\.conflicts) },
            in: parts.first?.possiblePanes.first?.group ?? .data, listsConflicts: true)
    }
}
