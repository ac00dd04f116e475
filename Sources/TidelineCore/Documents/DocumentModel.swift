import DocumentStore
import GRDB
import KeyValueStore
import Replication

/// Documents: `Documents.db`.
struct DocumentModel: DataModel {
    let kind = DatabaseKind.documents
    let table: LogTable? = LogTable(name: "log", mark: "timestamp")

    func parts(
        of package: StorePackage, in session: PackageSession
    ) -> [any SessionPart] {
        let documents = DocumentStorePart(
            package: package, device: session.device, isWritable: session.isWritable,
            arrivals: session.arrivals)
        return [documents, documents.shown]
    }

    func info(of package: StorePackage) throws -> StoreInfo.Section {
        guard try package.devices().contains(where: { $0.has(kind) }),
            let store = try DocumentStores.open(package.path)
        else { return StoreInfo.Section() }
        var section = StoreInfo.Section()
        section.add(store)
        let names = package.deviceNames()
        section.devices = DeviceReport.ofDocuments(store.devices) { names[$0] }
        return section
    }

    func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        .replaceDocuments
    }

    func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        "copy its documents with tideline docs export and tideline docs import"
    }

    func examination(of db: Database) throws -> LogExamination? {
        try LogExamination(documentLog: db)
    }

    func examine(
        _ package: StorePackage, by doctor: Doctor, _ findings: inout DoctorFindings
    ) {
        doctor.examineDocuments(in: package, &findings)
    }

    func salvage(ofFileAt path: String) -> (any Salvage.Type)? { SalvagedDocumentLog.self }

    func isComplete(_ path: String) throws -> Bool {
        let outcome = try ForeignDatabase.read(path) { db in
            let log = try LogExamination(documentLog: db)
            return try log.gap == nil && log.invalidCount == 0
                && LogExamination.hasAllChunks(documentLog: db)
        }
        guard case .read(let isComplete, _) = outcome else { return false }
        return isComplete
    }
}
