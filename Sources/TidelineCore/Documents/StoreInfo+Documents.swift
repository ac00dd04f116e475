import Automerge
import DocumentStore
import KeyValueStore
import Replication

extension StoreInfo.Section {
    /// Reads the counts and problems of one Automerge file.
    static func document(_ path: String) throws -> Self {
        let file = try AutomergeFile(path)
        let check = file.check()
        var section = Self(
            counts: ["documents": 1, "chunks": check.chunks.count], problems: check.warnings)
        section.problems += check.chunks.compactMap(\.finding)
        section.damage = check.damage
        // If the file is damaged, there are no other counts.
        if let view = try? file.view() { section.counts["conflicts"] = try view.conflictCount() }
        return section
    }

    /// Reads the counts of a package's `Documents.db` files, if any.
    static func documents(_ package: StorePackage) throws -> Self {
        guard try package.devices().contains(where: { $0.has(.documents) }),
            let store = try DocumentStores.open(package.path)
        else { return Self() }
        var section = Self()
        section.add(store)
        let names = package.deviceNames()
        section.devices = DeviceReport.ofDocuments(store.devices) { names[$0] }
        return section
    }

    /// Reads the counts of a store that contains only documents.
    static func documents(at path: String) throws -> Self {
        var section = Self()
        if let store = try DocumentStores.open(path) { section.add(store) }
        return section
    }

    private mutating func add(_ store: AutomergeStore) {
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
