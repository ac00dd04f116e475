public import DocumentStore

extension DocumentStorePart: StandalonePart {
    public typealias Store = AutomergeStore

    public static func single(
        at path: String, for opener: StoreOpener
    ) throws -> DocumentStorePart {
        guard let place = try DocumentPlace(path, opener.willAddDevice) else {
            throw opener.isWritable
                ? CoreError(
                    .noPermission, "a single .automerge file is read-only",
                    suggestion: "import it into a package: tideline docs import PACKAGE \(path)")
                : CoreError(.badData, "an .automerge file, not a store of documents")
        }
        if opener.isWritable, case .coreData = place {
            throw CoreError(.noPermission, "files of this kind are read-only")
        }
        return DocumentStorePart(
            DocumentStoreContext(
                place: place, device: opener.device, isWritable: opener.isWritable,
                follows: false))
    }

    public static func finish(_ store: AutomergeStore) async throws { try store.close() }
}
