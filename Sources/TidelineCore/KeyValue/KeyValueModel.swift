package import GRDB
import KeyValueStore
package import Replication

/// Keys and values: `Logs.db`.
package struct KeyValueModel: DataModel {
    package let kind = DatabaseKind.logs
    package let table: LogTable? = nil
    /// A rebuilt log is renumbered even if all rows are readable. Otherwise, the numbers could
    /// still have a gap, and readers stop at a gap.
    package let keepsRowNumbers = false

    package init() {}

    package func parts(
        of package: StorePackage, in session: PackageSession
    ) -> [any SessionPart] {
        [
            KeyValuePart(
                package: package, device: session.device, isWritable: session.isWritable,
                blobs: session.blobs)
        ]
    }

    package func info(of package: StorePackage) throws -> StoreInfo.Section {
        try .keyValue(package)
    }

    package func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        .mergeRows(ofCopyAt: path, into: package)
    }

    package func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        nil
    }

    package func examination(of db: Database) throws -> LogExamination? {
        try LogExamination(keyValueLog: db)
    }

    package func examine(
        _ package: StorePackage, by doctor: Doctor, _ findings: inout DoctorFindings
    ) {
        doctor.note(kind, package, &findings) {
            var configuration = KeyValueStore.Configuration()
            configuration.watchesFolder = false
            let store = KeyValueStore(
                package: package, device: nil, configuration: configuration)
            try store.load()
            return store.devices
        }
    }

    package func salvage(ofFileAt path: String) -> (any Salvage.Type)? {
        SalvagedLog.isParstore(path) ? nil : SalvagedLog.self
    }
}
