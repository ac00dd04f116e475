public import EntityStore

extension EntitiesPart: StandalonePart {
    public typealias Store = EntityStore

    public static func single(at path: String, for opener: StoreOpener) throws -> EntitiesPart {
        let kind = try StoreKind(of: path)
        let place: EntityContext.Place
        switch (kind, kind.place) {
        case (.package(let package), _):
            place = .package(package.observed(by: opener.willAddDevice))
        case (_, let found as EntityContext.Place): place = found
        default: throw CoreError(.badData, "a store of kind \(kind.name) has no entities")
        }
        let context = EntityContext(
            place: place, device: opener.device, isWritable: opener.isWritable, follows: false)
        if opener.isWritable, case .unavailable(let reason) = context.availability {
            throw CoreError(
                .noPermission, reason,
                suggestion: "create a package with 'tideline entities create' and import into it")
        }
        return EntitiesPart(context)
    }

    /// Writes an edit for a command, even if the entities have changed since the store was read.
    ///
    /// - Throws: ``EditError``: `.notFound` for a missing entity, `.unchanged` if there is nothing
    ///   to delete. If this throws, nothing is written.
    package func edit(_ edit: EntityEdit) async throws -> AppliedEdit {
        let store = try await loadedStore()
        let plan = try await context.plan(edit, in: store)
        return try await context.write(plan, in: store, requiresChange: true)
            .noting(plan.changes)
    }

    public static func finish(_ store: EntityStore) async throws { await store.close() }
}
