import KeyValueStore
import Replication

/// The details of a conflict, and its resolution.
extension KeyValueContext {
    /// The maximum number of fields to show.
    private static let shownFields = 200
    /// The maximum number of side values to show in total.
    private static let shownValues = 20_000
    /// The maximum number of writes to show.
    private static let shownWrites = 60

    /// Returns the fields in which the sides of a key's conflict differ, and the writes that led to
    /// the conflict.
    ///
    /// - Complexity: O(*n*) in the size of the values and in the number of the key's rows.
    func conflictDetail(ofKey key: String, at instant: Timestamp?) throws -> ConflictDetail? {
        guard let conflict = try storeConflict(ofKey: key, at: instant) else { return nil }
        let rows = conflict.rows
        let (fields, others) = fields(of: conflict)
        let lineage = try store.lineage(
            of: conflict, at: instant, limit: Self.shownWrites, longestValue: Self.longestListed)
        let references = rows.map(\.reference)
        return ConflictDetail(
            sides: rows.map { RowConflict.SideID(.device($0.device), at: $0.timestamp) },
            fields: fields, otherFields: others,
            writes: lineage.writes.map { write in
                ConflictDetail.Write(
                    author: .device(write.row.device), instant: write.row.timestamp,
                    value: oneLine(write.row), role: role(of: write.row), parents: write.parents,
                    side: write.isSide ? references.firstIndex(of: write.row.reference) : nil,
                    isBase: write.row.reference == conflict.base?.reference)
            }, hasMoreWrites: lineage.hasMore)
    }

    /// Returns the members in which the sides differ, and the number of further members.
    private func fields(
        of conflict: KeyValueStore.Conflict
    ) -> (fields: [ConflictDetail.Field], others: Int) {
        let places = conflict.places()
        guard places.first?.path.isEmpty == false else { return ([], 0) }
        func shown(_ value: PropertyList?) -> ConflictDetail.Field.Value? {
            value.map { ConflictDetail.Field.Value($0.line, $0.role) }
        }
        let merged = conflict.merge?.value
        let base = (try? conflict.base?.value()) ?? nil
        let count = min(
            places.count, Self.shownFields, max(1, Self.shownValues / conflict.rows.count))
        let fields = places.prefix(count).map { place in
            let steps = place.path.map(\.text)
            let part = merged?.part(at: steps)
            return ConflictDetail.Field(
                path: FieldPath(steps: steps), values: place.values.map(shown),
                base: shown(base?.part(at: steps)), merged: shown(part),
                proposed: place.values.firstIndex(of: part))
        }
        return (fields, places.count - count)
    }

    // MARK: Resolving

    /// A current conflict, and the value with which an edit resolves it.
    struct PlannedResolution {
        let conflict: KeyValueStore.Conflict
        /// The resolving value; `nil` deletes the key.
        let value: PropertyList?
        /// The side that has this value, if any.
        let row: LogRow?
        /// Whether the value is the merge proposal.
        var isProposal = false
        /// The places of overlapping changes, if the value is the merged value.
        var overlaps: [String] = []
        /// A text that identifies this state of the conflict.
        var stamp: String {
            (conflict.rows.map { "\($0.device.name) \($0.timestamp.microseconds)" }
                + conflict.unread.keys.sorted().map { "\($0.name) unread" })
                .joined(separator: "\n")
        }
    }

    /// Returns the resolution that an edit performs; `nil` if the edit resolves nothing, or if it
    /// sets the value of a key that is no longer in conflict.
    ///
    /// - Parameter conflicts: The conflicts, if the caller has read them already.
    func resolution(
        by edit: Edit, among conflicts: [Name: KeyValueStore.Conflict]? = nil
    ) throws -> PlannedResolution? {
        guard case .resolve(let row, let resolution) = edit else { return nil }
        let found =
            try conflicts.map { $0[Name(row.name)] } ?? store.conflict(forKey: row.name)
        guard let conflict = found else {
            if case .value = resolution { return nil }
            throw ended(row.name)
        }
        switch resolution {
        case .value(let text):
            let value = try text.value(as: PropertyList.self)
            let merge = conflict.proposal.flatMap { $0.value == value ? $0 : nil }
            return PlannedResolution(
                conflict: conflict, value: value, row: nil, isProposal: merge != nil,
                overlaps: merge?.overlaps ?? [])
        case .take(let side):
            let head = try self.row(of: side, in: conflict)
            guard !head.isLeftInLog else {
                throw EditError(
                    .unsupported,
                    "\(name(of: head.device))'s value is too large to show: "
                        + "use 'tideline resolve'")
            }
            return PlannedResolution(conflict: conflict, value: try head.value(), row: head)
        case .picks(let picks):
            let merge = try merge(of: conflict, picking: picks)
            return PlannedResolution(
                conflict: conflict, value: merge.value, row: nil, overlaps: merge.overlaps)
        case .properties: throw EditError(.unsupported, "keys have one value and no properties")
        }
    }

    /// Returns the error for a key that is no longer in conflict, with the device that wrote last.
    fileprivate func ended(_ key: String) -> EditError {
        let text = "\(key) is no longer in conflict"
        guard let device = store.entry(forKey: key)?.device else { return EditError(.moved, text) }
        let value = shownValue(ofKey: key).map { "wrote \($0.line)" }
        return EditError(.moved, "\(text): \(name(of: device)) \(value ?? "deleted it")")
    }

    private func row(
        of side: RowConflict.SideID, in conflict: KeyValueStore.Conflict
    ) throws(EditError) -> LogRow {
        let found = conflict.rows.first { side.names(.device($0.device), at: $0.timestamp) }
        guard let found else {
            throw EditError(
                .moved, "\(name(of: side.author))'s side of \(conflict.key) has changed")
        }
        return found
    }

    /// Merges the sides of a conflict. Each picked field is taken from the given side.
    func merge(
        of conflict: KeyValueStore.Conflict, picking picks: [FieldPath: RowConflict.SideID]
    ) throws -> PropertyListMerge {
        guard let merge = conflict.merge else {
            throw EditError(
                .unsupported, "a side's value is too large to show: use 'tideline resolve'"
            )
        }
        if picks.isEmpty { return merge }
        let places = Set(conflict.places().map { FieldPath(steps: $0.path.map(\.text)) })
        guard merge.value != nil, picks.keys.allSatisfy(places.contains) else {
            throw EditError(
                .moved, "the sides of \(conflict.key) have changed and differ in other fields")
        }
        var sides = try conflict.rows.map { try $0.value() }
        for (path, side) in picks {
            let part = try row(of: side, in: conflict).value()?.part(at: path.steps)
            // Give all sides the same value for this part, so that it can't conflict.
            sides = try sides.map { try $0?.putting(part, at: path.steps) }
        }
        return PropertyListMerge(sides, base: try conflict.base?.value())
    }

    /// Returns the warnings to show before a conflict is resolved.
    func warnings(of resolution: PlannedResolution) -> [String] {
        let unread = resolution.conflict.unread.keys.sorted().map {
            "\(name(of: $0))'s side can't be read now; this write overrides it"
        }
        return unread
            + (RowConflict.warning(ofOverlaps: resolution.overlaps).map { [$0] } ?? [])
    }

    /// Resolves several conflicts in one write, if none has changed since the preview.
    func write(_ resolutions: [PlannedResolution]) throws {
        try store.resolve(
            resolutions.map { resolution in
                KeyValueStore.Resolution(
                    resolution.conflict,
                    resolution.row.map { .row($0) } ?? .value(resolution.value))
            })
    }

    // MARK: Many conflicts

    /// Returns the keys in conflict now or at an instant, in byte order.
    func conflictKeys(at instant: Timestamp?) throws -> [String] {
        try instant.map { try store.conflictKeys(at: $0) } ?? store.conflictKeys
    }

    /// Returns the current conflicts of the given keys.
    ///
    /// - Complexity: Reads each log once or twice.
    func conflicts(
        ofKeys keys: [String], at instant: Timestamp? = nil
    ) throws -> [Name: KeyValueStore.Conflict] {
        let found =
            try instant.map { try store.conflicts(at: $0, among: keys) }
            ?? store.conflicts(among: keys)
        return Dictionary(found.map { (Name($0.key), $0) }) { $1 }
    }

    /// Writes the resolutions of conflicts that haven't changed since the preview, skipping others.
    ///
    /// - Parameter attempts: The number of times to read the conflicts again if one changes during
    ///   the call.
    fileprivate func writeUnchanged(
        _ previews: [EditPreview], attempts: Int = 3
    ) throws -> (kept: [EditPreview], skipped: [SkippedEdit]) {
        let conflicts = try conflicts(ofKeys: previews.compactMap(\.edit.resolvedKey))
        var (kept, skipped) = ([EditPreview](), [SkippedEdit]())
        var resolutions: [PlannedResolution] = []
        for preview in previews {
            let key = preview.edit.resolvedKey ?? ""
            do {
                guard let resolution = try resolution(by: preview.edit, among: conflicts) else {
                    throw ended(key)
                }
                guard preview.expectation[Name(key)] == resolution.stamp else {
                    throw Self.moved(key)
                }
                resolutions.append(resolution)
                kept.append(preview)
            } catch let error as EditError where error.isAboutChangedRow {
                skipped.append(SkippedEdit(edit: preview.edit, reason: error.message))
            }
        }
        do {
            try write(resolutions)
        } catch let error as KeyValueError where error.code == .changedSinceRead {
            guard attempts > 1 else { throw EditError(.moved, error.message) }
            return try writeUnchanged(previews, attempts: attempts - 1)
        }
        return (kept, skipped)
    }
}

extension BulkResolving where Self: KeyRowSource {
    func conflicts(ofRows rows: [RowID], at instant: Timestamp?) throws -> [RowID: [RowConflict]] {
        let found = try context.conflicts(ofKeys: rows.map(\.name), at: instant)
        return Dictionary(
            found.map { (RowID($0.key.text), [context.rowConflict($0.value)]) }
        ) { $1 }
    }

    /// Conflicts that have ended or changed are skipped.
    func previews(
        ofResolutions edits: [Edit]
    ) throws -> (previews: [EditPreview], skipped: [SkippedEdit]) {
        let conflicts = try context.conflicts(ofKeys: edits.compactMap(\.resolvedKey))
        var (previews, skipped) = ([EditPreview](), [SkippedEdit]())
        for edit in edits {
            do {
                // A merged value may only replace the sides of the conflict. It must not replace a
                // value that was written after the conflict ended.
                if let key = edit.resolvedKey, conflicts[Name(key)] == nil {
                    throw context.ended(key)
                }
                previews.append(try context.preview(edit, among: conflicts))
            } catch let error as EditError where error.isAboutChangedRow {
                skipped.append(SkippedEdit(edit: edit, reason: error.message))
            }
        }
        return (previews, skipped)
    }

    /// Conflicts that have changed since the preview are skipped.
    func resolve(_ previews: [EditPreview]) async throws -> WrittenEdits {
        guard context.writing.isUnlocked else { throw EditError.locked }
        try context.requireWritableLog()
        var (kept, skipped) = ([EditPreview](), [SkippedEdit]())
        let saved = try await context.save {
            (kept, skipped) = try context.writeUnchanged(previews)
            return kept.compactMap(\.edit.resolvedKey)
        }
        guard let first = kept.first else { return WrittenEdits(skipped: skipped) }
        let applied = context.applied(
            kept.compactMap(\.edit.resolvedKey), saved, summary: first.summary,
            others: kept.count - 1)
        return WrittenEdits(applied: [applied], skipped: skipped)
    }
}

extension Edit {
    /// The key whose conflict the edit resolves, if any.
    fileprivate var resolvedKey: String? {
        if case .resolve(let row, _) = self { row.name } else { nil }
    }
}

extension RowConflict.Proposal {
    /// Creates a proposal from a merge; `nil` if the merge has no value.
    init?(_ merge: PropertyListMerge) {
        guard let value = merge.value else { return nil }
        self.init(
            TypedText(value), value: value.line, role: value.role, overlaps: merge.overlaps)
    }
}
