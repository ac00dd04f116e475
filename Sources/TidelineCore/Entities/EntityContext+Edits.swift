import EntityStore
import Replication

/// Edits of entities: previews and writes.
extension EntityContext {
    func preview(_ edit: Edit, type: String?) async throws -> EditPreview {
        try await results(of: [edit], type: type)[0].get()
    }

    /// Returns the preview of each edit, or the reason why it isn't possible. All previews are for
    /// the same state of the store.
    func results(
        of edits: [Edit], type: String?
    ) async throws -> [Result<EditPreview, EditError>] {
        guard let device else { throw EditError.withoutDevice }
        guard let store else { throw EditError.stillLoading }
        let past = try await pastStates(for: edits)
        let expected = try await expecting(edits, past, type: type, in: store)
        var warnings: [String] = []
        if let problem = await store.devices.first(where: { $0.device == device })?.advisedProblem {
            warnings.append("this device's log: \(problem)")
        }
        let (file, createsDevice) = (ownFile, createsDevice)
        return zip(edits, expected).map { edit, expected in
            expected.map { plan in
                plan.preview(
                    of: edit, as: device, in: file, createsDevice: createsDevice,
                    warnings: warnings)
            }
        }
    }

    /// Returns plans with the stamps of the entities on which they are based. All stamps are from
    /// the same state of the store.
    private func expecting(
        _ edits: [Edit], _ past: PastStates, type: String?, in store: isolated EntityStore
    ) throws -> [Result<Plan, EditError>] {
        try edits.map { edit in
            do {
                var plan = try plan(edit, past, type: type, in: store)
                plan.expectation = try store.stamps(of: plan.action.entities)
                return .success(plan)
            } catch let error as EditError {
                return .failure(error)
            }
        }
    }

    func apply(_ preview: EditPreview, type: String?) async throws -> AppliedEdit {
        guard writing.isUnlocked, let store else { throw EditError.locked }
        let past = try await pastStates(for: [preview.edit])
        var plan = try await plan(preview.edit, past, type: type, in: store)
        plan.expectation = preview.expectation
        return try await write(plan, in: store)
    }

    /// Writes a plan. Fails if the entities have changed since the plan was made. If the undo data
    /// can't be encoded, writes the edit without it.
    ///
    /// - Parameter requiresChange: Whether the write fails with `.unchanged` if there is nothing to
    ///   delete.
    func write(
        _ plan: Plan, in store: EntityStore, requiresChange: Bool = false
    ) async throws -> AppliedEdit {
        let rows = plan.action.entities.map { RowID($0) }
        let edited: (entities: [EntityReference], undo: EntityUndo)
        do {
            edited = try await store.perform(plan.action.edit, ifStampsAre: plan.expectation)
        } catch let error as EntityStoreError {
            throw EditError(error)
        } catch let error as ReplicationError where error.code == .busy && follows {
            // The edit has to wait for another program's lock. It is kept and retried. The undo
            // data is known only after the edit is written.
            var written = try plan.record(of: PaneID.entities.part, EntityUndo?.none)
            let id = waiting.add(
                plan.action.edit, written.summary, expects: plan.expectation,
                because: .reason(of: error, inStoreAt: package?.path))
            retryWaiting()
            written.pending = id
            return plan.applied(to: rows, undo: written, id: id, isPending: true)
        } catch let error as ReplicationError where error.code == .unconfirmed {
            // The edit is written, and an event of the store reports it.
            return plan.applied(to: rows, undo: nil, isUnconfirmed: true)
        } catch {
            throw EditError(writing: error)
        }
        if requiresChange, edited.undo.isEmpty {
            throw EditError(.unchanged, "nothing to delete")
        }
        return plan.applied(
            to: edited.entities.compactMap { $0.identifier.map { RowID($0) } },
            undo: edited.undo.isEmpty
                ? nil : try? plan.record(of: PaneID.entities.part, edited.undo))
    }

    typealias Plan = EditPlan<PlannedEntityWrite>
}

extension EditError {
    fileprivate init(_ error: EntityStoreError) {
        let code: Code =
            switch error.code {
            case .noSuchEntity: .notFound
            case .noSuchValue: .unchanged
            case .changedSinceRead: .moved
            default: .invalid
            }
        self.init(code, because: error)
    }
}
