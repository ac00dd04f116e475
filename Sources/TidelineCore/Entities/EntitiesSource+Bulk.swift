import EntityStore
import Foundation
import Replication

extension EntitiesSource: BulkResolving {
    func conflicts(
        ofRows rows: [RowID], at instant: Timestamp?
    ) async throws -> [RowID: [RowConflict]] {
        let found = try await context.conflicts(ofEntities: rows.map(\.name), at: instant)
        return Dictionary(zip(rows, found).filter { !$1.isEmpty }) { $1 }
    }

    func previews(ofResolutions edits: [Edit]) async throws -> [EditPreview] {
        try await context.previews(of: edits, type: type)
    }

    func resolve(_ previews: [EditPreview]) async -> (
        applied: [AppliedEdit], failure: (any Error)?
    ) {
        do {
            return ([try await context.resolve(previews, type: type)], nil)
        } catch {
            return ([], error)
        }
    }
}

extension EntityContext {
    /// Writes previewed resolutions of different entities: all of them, or none.
    fileprivate func resolve(_ previews: [EditPreview], type: String?) async throws -> AppliedEdit {
        guard isWritable, let store else { throw EditError(.readOnly, "read-only: press w") }
        let plan = try await joined(previews.map(\.edit), type: type, in: store)
        let expectation = previews.reduce(into: [:]) { $0.merge($1.expectation) { $1 } }
        return try await write(
            plan, summary: AppliedEdit.summary(previews.map(\.summary)), expecting: expectation,
            in: store)
    }

    /// Returns one plan for resolutions of different entities.
    private func joined(
        _ edits: [Edit], type: String?, in store: isolated EntityStore
    ) throws -> Plan {
        let plans = try edits.map { try plan($0, PastStates(), type: type, in: store) }
        let changes = try plans.map { plan in
            guard case .set(let entity, let properties, keepsOthers: false) = plan.edit else {
                throw EditError(.unsupported, "\(plan.summary) can't be written with others")
            }
            return (entity: entity, properties: properties)
        }
        return Plan(
            edit: .setEach(changes), summary: AppliedEdit.summary(plans.map(\.summary)),
            changes: plans.flatMap(\.changes), entities: plans.flatMap(\.entities),
            rowCount: plans.count)
    }
}
