import DocumentStore
import EntityStore
import KeyValueStore
package import Replication

extension DatabaseKind {
    /// Returns a suggestion for a database in another copy of a store that contains data missing
    /// from this one.
    package func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion {
        switch self {
        case .logs, .entities:
            let copied = suggestion(forCopyAt: path, in: package)
            return Suggestion("merge its rows", copied.action, paths: copied.paths)
        case .documents:
            return "copy its documents with tideline docs export and tideline docs import"
        case .catalog:
            return "import its servers again with tideline servers import"
        }
    }

    /// Returns a suggestion for a version of a device's file that a sync service kept.
    func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        switch self {
        case .logs: .mergeRows(ofCopyAt: path, into: package)
        case .entities: .importEntities(ofCopyAt: path, into: package)
        case .documents: .replaceDocuments
        case .catalog: Suggestion("delete it", .deleteFile, paths: [path])
        }
    }
}
