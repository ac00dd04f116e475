public import KeyValueStore

extension KeyValuePart: StandalonePart {
    public typealias Store = KeyValueStore

    public static func single(at path: String, for opener: StoreOpener) throws -> KeyValuePart {
        KeyValuePart(
            package: try StoreKind.package(at: path).observed(by: opener.willAddDevice),
            device: opener.device, isWritable: opener.isWritable, follows: false)
    }

    /// Writes one key for a command. This doesn't fail if another process of this device writes the
    /// key at the same time.
    ///
    /// - Parameter perform: Changes the key in memory.
    /// - Throws: Errors of `perform`; ``EditError``. If it throws, nothing is written.
    package func edit(
        _ key: String, _ summary: String, _ perform: @escaping (KeyValueStore) throws -> Void
    ) async throws -> AppliedEdit {
        let old = context.shownValue(ofKey: key)
        let write = KeyValueContext.KeyWrite(keys: [key], isExclusive: false, perform: perform)
        return try await context.write(EditPlan(summary: summary, action: write)).noting([
            EditPreview.Change(subject: key, old: old, new: context.shownValue(ofKey: key))
        ])
    }

    public static func finish(_ store: KeyValueStore) async throws {
        try await store.save(orWithdraw: store.unsavedKeys)
        try store.close()
    }
}
