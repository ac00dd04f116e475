import DocumentStore
import EntityStore
import Foundation
import GRDB
import Glibc
import KeyValueStore
import Replication
import ServerCatalogGRDB

extension Doctor {
    /// Mends what is this device's own and safe to mend; what is replaced is kept beside it.
    ///
    /// - Returns: What was done, and what is found afterwards.
    /// - Throws: As ``examine()``; what keeps one file from being mended is told as its repair.
    /// - Complexity: A few times that of ``examine()``.
    public func repair() throws -> (repairs: [Repair], findings: [Finding]) {
        var repairs: [Repair] = []
        var tried: Set<Mending> = []
        var findings = try examine()
        while true {
            var open: [(finding: Finding, mending: Mending)] = findings.compactMap { finding in
                finding.mending.flatMap { tried.contains($0) ? nil : (finding, $0) }
            }
            // What is beside a database decides what is in it.
            if open.contains(where: { !$0.mending.isRebuilding }) {
                open.removeAll { $0.mending.isRebuilding }
            }
            guard !open.isEmpty else { return (repairs, findings) }
            for (finding, mending) in open where tried.insert(mending).inserted {
                repairs.append(mend(finding, mending))
            }
            findings = try examine()
        }
    }

    private func mend(_ finding: Finding, _ mending: Mending) -> Repair {
        do {
            switch mending {
            case .remove(let path):
                try FileManager.default.removeItem(atPath: path)
                return Repair(
                    file: finding.file, outcome: "it was deleted", isDone: true, kept: nil)
            case .settle(let path):
                try OwnFile.settle(path)
                return Repair(
                    file: finding.file, outcome: "what was broken off was taken back",
                    isDone: true, kept: nil)
            case .putAside(let path):
                return Repair(
                    file: finding.file, outcome: "it was put aside", isDone: true,
                    kept: try OwnFile.putAside(path))
            case .rebuild(let path, let kind):
                var outcome = ""
                let (kept, journals) = try OwnFile.replace(path) { new in
                    outcome = try rebuild(path, kind, to: new)
                }
                for journal in journals {
                    let name = URL(filePath: journal).lastPathComponent
                    outcome += "; the journal that stood beside it is \(name.quoted)"
                }
                return Repair(file: finding.file, outcome: outcome, isDone: true, kept: kept)
            }
        } catch {
            let error = ReplicationError(reading: error)
            return Repair(
                file: finding.file, outcome: "it stays as it is: \(error.reason)", isDone: false,
                kept: nil)
        }
    }

    /// Writes what can be read of a database of this device's to a new file, and checks that.
    ///
    /// - Returns: What was done.
    private func rebuild(
        _ path: String, _ kind: DatabaseKind, to new: String
    ) throws -> String {
        guard let own else { throw ReplicationError(.noPermission, "no device is its own") }
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
            // Not even its beginning is a database's.
            source = path
        }
        // Where all rows can be read they keep their numbers, and the log what it is called. Rows of
        // keys are numbered anew in any case: a gap is no damage of the file.
        if kind != .logs, source == pages, (try? rewrite(pages, kind, to: new)) != nil {
            return "it was written anew"
        }
        guard let salvaged = try salvage(source, kind) else {
            guard source == pages else {
                throw ReplicationError(
                    .unreadable,
                    Self.salvagesRows(path, kind)
                        ? "nothing of it can be read" : "not all of its rows can be read")
            }
            try rewrite(pages, kind, to: new)
            return "it was written anew"
        }
        for suffix in ["", "-journal"] { unlink(new + suffix) }
        let content = try OwnFile.fill(new, creationSQL: salvaged.creationSQL) {
            try salvaged.write(to: $0, as: own)
        }
        try check(new, kind)
        return "it was written anew \(content)"
    }

    private func rewrite(_ pages: String, _ kind: DatabaseKind, to new: String) throws {
        try OwnFile.rewrite(pages, to: new)
        try check(new, kind)
    }

    /// Whether what can be read of a damaged database is kept where not all of it can be.
    static func salvagesRows(_ path: String, _ kind: DatabaseKind) -> Bool {
        kind != .catalog && !(kind == .logs && SalvagedLog.isParstore(path))
    }

    /// The rows of a log of this library's own form; `nil` for another form, or without a row.
    private func salvage(_ path: String, _ kind: DatabaseKind) throws -> (any Salvage)? {
        switch kind {
        case .logs: try SalvagedLog(path)
        case .entities: try SalvagedEntityLog(path)
        case .documents: try SalvagedDocumentLog(path)
        case .catalog: nil
        }
    }

    private func check(_ path: String, _ kind: DatabaseKind) throws {
        _ = try ForeignDatabase.read(path) { db in
            if let problem = try db.structureProblem() {
                throw ReplicationError(
                    .unreadable, "what can be read of it is no whole: \(problem)")
            }
            var log: LogExamination?
            switch kind {
            case .logs: log = try LogExamination(keyValueLog: db)
            case .entities: log = try LogExamination(entityLog: db)
            case .documents: log = try LogExamination(documentLog: db)
            case .catalog: break
            }
            let isWhole = try kind != .documents || LogExamination.hasAllChunks(documentLog: db)
            if !isWhole || log?.gap != nil || log?.oddCount ?? 0 > 0 {
                throw ReplicationError(.unreadable, "rows of it are missing")
            }
        }
        if kind == .catalog { _ = try CatalogDatabase.unreadableOverrides(path: path) }
    }
}

extension Mending {
    fileprivate var isRebuilding: Bool { if case .rebuild = self { true } else { false } }
}
