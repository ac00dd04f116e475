import KeyValueStore
import Replication

/// What a person sees of one conflict alone, and how it is ended.
extension KeyValueContext {
    /// How many of the places in which sides differ are told.
    private static let shownFields = 200
    /// How many values of sides are told in all.
    private static let shownValues = 20_000
    /// How many of the rows that led to a conflict are told.
    private static let shownWrites = 60

    /// The places in which the sides of a key's conflict differ, and the rows that led to it.
    ///
    /// - Complexity: O(*n*) in the size of the values and in the rows of the key.
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
                    value: oneLine(write.row), role: role(of: write.row), knows: write.knows,
                    side: write.isSide ? references.firstIndex(of: write.row.reference) : nil,
                    isBase: write.row.reference == conflict.base?.reference)
            }, hasMoreWrites: lineage.hasMore)
    }

    /// The members of the values in which the sides differ, and how many there are besides.
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

    /// What the sides of a key's conflict come to, with what some of them have at some places.
    ///
    /// - Complexity: As a merge of the sides.
    func proposal(
        ofKey key: String, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) throws -> RowConflict.Proposal? {
        guard let conflict = try storeConflict(ofKey: key, at: instant) else { return nil }
        return RowConflict.Proposal(try merge(of: conflict, picking: picks))
    }

    // MARK: Ending

    /// A conflict as it is now, with the value that an edit ends it by.
    struct Ending {
        let conflict: KeyValueStore.Conflict
        /// `nil` removes the key.
        let value: PropertyList?
        /// The side that has it, where it is one's as it is.
        let row: LogRow?
        /// Tells the conflict from any other about the key.
        var stamp: String {
            (conflict.rows.map { "\($0.device.name) \($0.timestamp.microseconds)" }
                + conflict.unread.keys.sorted().map { "\($0.name) unread" })
                .joined(separator: "\n")
        }
    }

    /// What an edit does to the conflict that it is about; `nil` where it is about none, or gives a
    /// key a value by hand that is in conflict no more.
    func ending(by edit: Edit) throws -> Ending? {
        guard case .resolve(let row, let resolution) = edit else { return nil }
        guard let conflict = try store.conflict(forKey: row.name) else {
            if case .value = resolution { return nil }
            throw EditError(
                .moved, "\(row.name) is not in conflict any more\(settled(row.name))")
        }
        switch resolution {
        case .value(let text):
            return Ending(conflict: conflict, value: try text.propertyList(), row: nil)
        case .take(let side):
            let head = try self.row(of: side, in: conflict)
            guard !head.isLeftInLog else {
                throw EditError(
                    .unsupported,
                    "the value of \(name(of: head.device)) is too long to be shown: "
                        + "'tideline resolve' takes it")
            }
            return Ending(conflict: conflict, value: try head.value(), row: head)
        case .picks(let picks):
            return Ending(
                conflict: conflict, value: try merge(of: conflict, picking: picks).value,
                row: nil)
        case .properties: throw EditError(.unsupported, "a key has one value, not properties")
        }
    }

    /// What a key has that was in conflict, and who wrote it, as the end of a sentence.
    private func settled(_ key: String) -> String {
        guard let device = store.entry(forKey: key)?.device else { return "" }
        let value = shownValue(ofKey: key).map { ": \(name(of: device)) has written \($0.line)" }
        return value ?? ": \(name(of: device)) has removed it"
    }

    private func row(
        of side: RowConflict.SideID, in conflict: KeyValueStore.Conflict
    ) throws(EditError) -> LogRow {
        let found = conflict.rows.first { side.names(.device($0.device), at: $0.timestamp) }
        guard let found else {
            throw EditError(
                .moved, "\(name(of: side.author)) has no such side of \(conflict.key) any more")
        }
        return found
    }

    /// What the sides of a conflict come to, with what some of them have at some places.
    private func merge(
        of conflict: KeyValueStore.Conflict, picking picks: [FieldPath: RowConflict.SideID]
    ) throws -> PropertyListMerge {
        guard let merge = conflict.merge else {
            throw EditError(
                .unsupported, "a side's value is too long to be shown: 'tideline resolve' takes one"
            )
        }
        if picks.isEmpty { return merge }
        let places = Set(conflict.places().map { FieldPath(steps: $0.path.map(\.text)) })
        guard merge.value != nil, picks.keys.allSatisfy(places.contains) else {
            throw EditError(.moved, "the sides of \(conflict.key) differ in other parts by now")
        }
        var sides = try conflict.rows.map { try $0.value() }
        for (path, side) in picks {
            let part = try row(of: side, in: conflict).value()?.part(at: path.steps)
            // What all sides have is taken, and meets with nothing.
            sides = try sides.map { try $0?.putting(part, at: path.steps) }
        }
        return PropertyListMerge(sides, base: try conflict.base?.value())
    }

    /// What a person should know before a conflict is ended.
    func warnings(of ending: Ending) -> [String] {
        ending.conflict.unread.keys.sorted().map {
            "\(name(of: $0))'s side cannot be read now, and is ended unseen"
        }
    }

    /// Ends a conflict, if it still is as it was looked at.
    func end(_ ending: Ending) throws {
        if let row = ending.row {
            try store.resolve(ending.conflict, taking: row)
        } else {
            try store.resolve(ending.conflict, with: ending.value)
        }
    }
}

extension RowConflict.Proposal {
    /// What sides come to together; `nil`: no value.
    init?(_ merge: PropertyListMerge) {
        guard let value = merge.value else { return nil }
        self.init(
            TypedText(value), value: value.line, role: value.role, overlaps: merge.overlaps)
    }
}
