import Foundation
import GRDB
import Glibc
import Replication

extension Doctor {
    /// Repairs the files of this device that are safe to repair, and keeps the replaced files.
    ///
    /// - Throws: The errors of ``examine()``. Failed repairs are returned, not thrown.
    /// - Complexity: A small multiple of the complexity of ``examine()``.
    public func repair() throws -> (repairs: [Repair], findings: [DoctorFinding]) {
        var repairs: [Repair] = []
        var tried: Set<RepairAction> = []
        var findings = try examine()
        while true {
            var open: [(finding: DoctorFinding, repairAction: RepairAction)] = findings.compactMap {
                finding in
                finding.repairAction.flatMap { tried.contains($0) ? nil : (finding, $0) }
            }
            // Repair journals first, because they determine the content of their databases.
            if open.contains(where: { !$0.repairAction.isRebuilding }) {
                open.removeAll { $0.repairAction.isRebuilding }
            }
            guard !open.isEmpty else { return (repairs, findings) }
            for (finding, repairAction) in open where tried.insert(repairAction).inserted {
                repairs.append(perform(finding, repairAction))
            }
            findings = try examine()
        }
    }

    private func perform(_ finding: DoctorFinding, _ repairAction: RepairAction) -> Repair {
        do {
            let (outcome, kept) = try perform(repairAction)
            return Repair(file: finding.file, outcome: outcome, isDone: true, kept: kept)
        } catch {
            let error = ReplicationError(reading: error)
            return Repair(
                file: finding.file, outcome: "not changed: \(error.reason)", isDone: false,
                kept: nil)
        }
    }

    /// Repairs a file, and returns the path of the kept old version, if there is one.
    private func perform(_ action: RepairAction) throws -> (outcome: String, kept: String?) {
        switch action {
        case .remove(let path):
            try FileManager.default.removeItem(atPath: path)
            return ("deleted", nil)
        case .rollBackJournal(let path):
            try OwnFile.rollBackJournal(path)
            return ("unfinished write rolled back", nil)
        case .putAside(let path): return ("renamed", try OwnFile.putAside(path))
        case .rebuild(let path, let kind):
            var outcome = ""
            let (kept, journals) = try OwnFile.replace(path) { new in
                outcome = try rebuild(path, kind, to: new)
            }
            for journal in journals {
                let name = URL(filePath: journal).lastPathComponent
                outcome += "; its journal is now \(name.quoted)"
            }
            return (outcome, kept)
        }
    }

    /// Copies the readable part of this device's database to a new file, and checks the file.
    ///
    /// - Returns: A description of the repair.
    private func rebuild(
        _ path: String, _ kind: DatabaseKind, to new: String
    ) throws -> String {
        guard let own, let model = models[kind] else {
            throw ReplicationError(.noPermission, "no device is specified for repairs")
        }
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "tideline-doctor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let pages = folder.appending(path: "pages.db").path
        var source = pages
        do {
            try OwnFile.copyPages(of: path, to: pages)
        } catch {
            // Even the header is damaged.
            source = path
        }
        // If all rows are readable, keep their numbers and the identity of the log.
        if model.keepsRowNumbers, source == pages, (try? rewrite(pages, model, to: new)) != nil {
            return "rebuilt"
        }
        let salvage = model.salvage(ofFileAt: source)
        guard let salvaged = try salvage?.init(source) else {
            guard source == pages else {
                throw ReplicationError(
                    .unreadable,
                    salvage != nil
                        ? "nothing in it is readable" : "not all of its rows can be read")
            }
            try rewrite(pages, model, to: new)
            return "rebuilt"
        }
        for suffix in ["", "-journal"] { unlink(new + suffix) }
        let content = try OwnFile.fill(new, creationSQL: salvaged.creationSQL) {
            try salvaged.write(to: $0, as: own)
        }
        try check(new, model)
        return "rebuilt \(content)"
    }

    private func rewrite(_ pages: String, _ model: any DataModel, to new: String) throws {
        try OwnFile.rewrite(pages, to: new)
        try check(new, model)
    }

    private func check(_ path: String, _ model: any DataModel) throws {
        if let problem = try ForeignDatabase.value(from: path, { try $0.structureProblem() }) {
            throw ReplicationError(.unreadable, "the rebuilt file is damaged: \(problem)")
        }
        guard try model.isComplete(path) else {
            throw ReplicationError(.unreadable, "the rebuilt file lacks rows")
        }
    }
}

extension RepairAction {
    fileprivate var isRebuilding: Bool { if case .rebuild = self { true } else { false } }
}
