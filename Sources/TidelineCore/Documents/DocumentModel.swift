import DocumentStore
package import GRDB
package import Replication

/// Documents: `Documents.db`.
package struct DocumentModel: DataModel {
    package let kind = DatabaseKind.documents
    package let table: LogTable? = LogTable(name: "log", mark: "timestamp")

    package init() {}

    package func parts(
        of package: StorePackage, in session: PackageSession
    ) -> [any SessionPart] {
        let documents = DocumentStorePart(
            package: package, device: session.device, isWritable: session.isWritable,
            arrivals: session.arrivals)
        return [documents, documents.shown]
    }

    package func info(of package: StorePackage) throws -> StoreInfo.Section {
        try .documents(package)
    }

    package func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        .replaceDocuments
    }

    package func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        "copy its documents with tideline docs export and tideline docs import"
    }

    package func comparisons(of packages: ComparedPackages) async throws -> [any Comparison] {
        guard try packages.contain(kind) else { return [] }
        let stores = try await packages.stores(DocumentStorePart.self)
        return [
            DocumentComparison(
                from: stores.from.map { .store($0) }, to: stores.to.map { .store($0) },
                prefix: packages.prefix)
        ]
    }

    package var tables: [Set<String>] { [["meta", "log", "content"]] }

    package func combined(
        _ ours: DetachedDatabase, _ theirs: DetachedDatabase
    ) throws -> DetachedDatabase.Combined? {
        guard ours.identity == theirs.identity else { return nil }
        return try ours.combined { package in
            let path = try package.device(ours.device).path(of: kind)
            return try DocumentLogUnion.append(logAt: theirs.path, toLogAt: path)
        }
    }

    package func examination(of db: Database) throws -> LogExamination? {
        try LogExamination(documentLog: db)
    }

    package func examine(
        _ package: StorePackage, by doctor: Doctor, _ findings: inout DoctorFindings
    ) {
        doctor.examineDocuments(in: package, &findings)
    }

    package func salvage(ofFileAt path: String) -> (any Salvage.Type)? { SalvagedDocumentLog.self }

    package func isComplete(_ path: String) throws -> Bool {
        let outcome = try ForeignDatabase.read(path) { db in
            let log = try LogExamination(documentLog: db)
            return try log.gap == nil && log.invalidCount == 0
                && LogExamination.hasAllChunks(documentLog: db)
        }
        guard case .read(let isComplete, _) = outcome else { return false }
        return isComplete
    }
}
