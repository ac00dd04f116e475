import EntityStore
import Replication

extension EntitiesSource: BulkResolving {
    func conflicts(
        ofRows rows: [RowID], at instant: Timestamp?
    ) async throws -> [RowID: [RowConflict]] {
        let found = try await context.conflicts(ofEntities: rows.map(\.name), at: instant)
        return Dictionary(zip(rows, found).filter { !$1.isEmpty }) { $1 }
    }

    func previews(
        ofResolutions edits: [Edit]
    ) async throws -> (previews: [EditPreview], skipped: [SkippedEdit]) {
        var (previews, skipped) = ([EditPreview](), [SkippedEdit]())
        for (edit, preview) in zip(edits, try await context.results(of: edits, type: type)) {
            switch preview {
            case .success(let preview): previews.append(preview)
            case .failure(let error) where error.isAboutChangedRow:
                skipped.append(SkippedEdit(edit: edit, reason: error.message))
            case .failure(let error): throw error
            }
        }
        return (previews, skipped)
    }

    func resolve(_ previews: [EditPreview]) async throws -> WrittenEdits {
        try await context.resolve(previews, type: type)
    }
}

extension EntityContext {
    /// Writes previewed resolutions of different entities in one write. Entities that have changed
    /// since the preview are skipped.
    ///
    /// - Parameter attempts: The number of times to compare the entities again if one changes
    ///   during the call.
    fileprivate func resolve(
        _ previews: [EditPreview], type: String?, attempts: Int = 3
    ) async throws -> WrittenEdits {
        guard writing.isUnlocked, let store else { throw EditError.locked }
        let (plan, skipped) = try await joined(previews, type: type, in: store)
        guard let plan else { return WrittenEdits(skipped: skipped) }
        do {
            return WrittenEdits(applied: [try await write(plan, in: store)], skipped: skipped)
        } catch let error as EditError where error.code == .moved && attempts > 1 {
            return try await resolve(previews, type: type, attempts: attempts - 1)
        }
    }

    /// Returns one plan for resolutions of different entities; `nil` if all entities have changed
    /// since the preview.
    private func joined(
        _ previews: [EditPreview], type: String?, in store: isolated EntityStore
    ) throws -> (plan: Plan?, skipped: [SkippedEdit]) {
        var (plans, skipped) = ([Plan](), [SkippedEdit]())
        var changes: [(entity: EntityReference, properties: PropertyDictionary)] = []
        var expectation: [Name: String] = [:]
        for preview in previews {
            do {
                let names = preview.expectation.keys.map(\.text)
                guard try store.stamps(of: names) == preview.expectation else {
                    let subject = names.sorted().joined(separator: ", ")
                    throw EditError(
                        .moved, "\(subject) has changed in the meantime")
                }
                let plan = try plan(preview.edit, PastStates(), type: type, in: store)
                guard case .set(let entity, let properties, keepsOthers: false) = plan.action.edit
                else {
                    throw EditError(
                        .unsupported,
                        "\(plan.summary) can't be written together with other changes")
                }
                changes.append((entity, properties))
                plans.append(plan)
                expectation.merge(preview.expectation) { $1 }
            } catch let error as EditError where error.isAboutChangedRow {
                skipped.append(SkippedEdit(edit: preview.edit, reason: error.message))
            }
        }
        guard let first = plans.first else { return (nil, skipped) }
        var plan = Plan(
            edit: .setEach(changes), summary: first.summary, changes: plans.flatMap(\.changes),
            entities: plans.flatMap(\.action.entities), others: plans.count - 1)
        plan.rowCount = plans.count
        plan.expectation = expectation
        return (plan, skipped)
    }
}
