import Automerge
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

    func singleStore(at path: String, bytes: [UInt8], tables: Set<String>) -> SingleStore? {
        if bytes.starts(with: ChunkSurvey.magic) {
            return SingleStore(
                name: "automerge", format: "automerge", place: path, isDocument: true,
                parts: { _ in [AutomergeFilePart(path: path)] }, info: { try .document(path) },
                comparisons: { [try DocumentComparison(filesOf: $0.comparison)] },
                examine: { $0.examineAutomerge(&$1) })
        }
        let isCoreData = tables.contains("zchunkmo")
        guard isCoreData || bytes.isEmpty && AutomergeStore.isStorageFolder(path) else {
            return nil
        }
        let place: DocumentPlace = isCoreData ? .coreData(path) : .storageFolder(path)
        return SingleStore(
            name: "documents", format: isCoreData ? "automergestore" : "automerge-repo",
            place: place,
            parts: { opener in
                let documents = DocumentStorePart(
                    DocumentStoreContext(
                        place: place, device: opener.device, isWritable: opener.isWritable))
                return [documents, documents.shown]
            },
            info: { try .documents(at: path) }, comparisons: comparisons,
            examine: { doctor, findings in
                if isCoreData { doctor.examineDatabaseFile(&findings) }
                doctor.examineDocuments(&findings)
            })
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
        .appendDocuments(ofCopyAt: path)
    }

    func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        Suggestion(
            "append its rows to the same file of the store, which no program may be writing",
            .appendDocuments)
    }

    func comparisons(of stores: ComparedStores) async throws -> [any Comparison] {
        guard try stores.contain(kind) else { return [] }
        let (from, to) = try await stores.open(DocumentStorePart.self, as: .documents)
        return [
            DocumentComparison(
                from: from.map { .store($0) }, to: to.map { .store($0) }, prefix: stores.prefix)
        ]
    }

    var tables: [Set<String>] { [["meta", "log", "content"]] }

    func combined(
        _ ours: DetachedDatabase, _ theirs: DetachedDatabase
    ) throws -> DetachedDatabase.Combined? {
        guard ours.identity == theirs.identity else { return nil }
        return try ours.combined { package in
            let path = try package.device(ours.device).path(of: kind)
            return try DocumentLogUnion.append(logAt: theirs.path, toLogAt: path)
        }
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
        try ForeignDatabase.value(from: path) { db in
            let log = try LogExamination(documentLog: db)
            return try log.gap == nil && log.invalidCount == 0
                && LogExamination.hasAllChunks(documentLog: db)
        }
    }
}

extension StoreInfo.Section {
    /// Reads the counts and problems of one Automerge file.
    static func document(_ path: String) throws -> Self {
        let file = try AutomergeFile(path)
        let check = file.check()
        var section = Self(
            counts: ["documents": 1, "chunks": check.chunks.count], problems: check.warnings)
        section.problems += check.chunks.compactMap(\.finding)
        section.damage = check.damage
        // A damaged file has no counts of its content.
        if let view = try? file.view() { section.counts["conflicts"] = try view.conflictCount() }
        return section
    }

    /// Reads the counts of a store that contains only documents.
    static func documents(at path: String) throws -> Self {
        var section = Self()
        if let store = try DocumentStores.open(path) { section.add(store) }
        return section
    }

    mutating func add(_ store: AutomergeStore) {
        let documents = store.documentSummaries()
        // A storage folder has no workspaces.
        if store.hasWorkspaces { counts["workspaces"] = store.workspaceSummaries.count }
        counts["documents"] = documents.count
        counts["chunks"] = documents.reduce(0) { $0 + $1.chunkCount }
        problems += store.unexpectedItems
        // Documents that can't be opened have problems, but no known conflicts.
        var conflictCount = 0
        let findings = store.findings {
            conflictCount += (try? DocumentView($0).conflictCount()) ?? 0
        }
        counts["conflicts"] = conflictCount
        problems += findings.map { $0.line(in: store) }
    }
}

extension DeviceReport {
    /// Returns the reports of the devices that have documents in a package.
    static func ofDocuments(
        _ devices: [DeviceStatus], name: (DeviceID) -> String?
    ) -> [DeviceReport] {
        devices.filter { $0.form != nil || $0.problem != nil }.map {
            DeviceReport(
                $0, of: .documents, in: PaneID.documents.part, format: "tideline-2",
                name: name($0.device))
        }
    }
}
