public import KeyValueStore

extension KeyValuePart: StandalonePart {
    public typealias Store = KeyValueStore

    public static func single(at path: String, for opener: StoreOpener) throws -> KeyValuePart {
        KeyValuePart(
            package: try StoreKind.package(at: path).observed(by: opener.willAddDevice),
            device: opener.device, isWritable: opener.isWritable, follows: false)
    }

    public static func finish(_ store: KeyValueStore) async throws {
        try await store.save(orWithdraw: store.unsavedKeys)
        try store.close()
    }
}
