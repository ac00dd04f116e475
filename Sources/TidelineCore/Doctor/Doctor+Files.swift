import DocumentStore
import EntityStore
import Foundation
import GRDB
import KeyValueStore
import Replication
import ServerCatalog
import ServerCatalogGRDB
import Tables

/// Files and folders that are no package.
extension Doctor {
    /// Looks at a single file, or a storage folder of automerge-repo.
    func examineFile(_ kind: StoreKind, _ findings: inout Findings) {
        switch kind {
        case .automerge: examineAutomerge(&findings)
        case .storageFolder: examineStorageFolder(&findings)
        default:
            examineDatabaseFile(kind, &findings)
            if kind == .coreDataDocuments { examineStore(&findings) }
        }
    }

    private func examineStore(_ findings: inout Findings) {
        do {
            guard let store = try DocumentStores.open(path) else { return }
            examine(store, &findings) { _ in path }
        } catch {
            findings.add("unreadable", .error, path, "\(error)")
        }
    }

    private func examineStorageFolder(_ findings: inout Findings) {
        examineStore(&findings)
        let now = Int64(clock.now.date.timeIntervalSince1970)
        for item in (try? RootedFolder(path).items()) ?? []
        where item.kind == .file && RootedFolder.isUnfinished(item.name) {
            let isAbandoned = now - item.changed > 86_400
            let file = "\(path)/\(item.name)"
            findings.add(
                "temporary", isAbandoned ? .warning : .note, file,
                "it is being written, or was left by a program that was ended",
                advice: isAbandoned ? "delete it: nothing reads it" : nil,
                command: isAbandoned ? ShellCommand.line("rm", file) : nil)
        }
    }

    private func examineAutomerge(_ findings: inout Findings) {
        do {
            let file = try AutomergeFile(path)
            let check = file.check()
            for chunk in check.chunks {
                guard let problem = chunk.problem else { continue }
                findings.add(
                    "chunk", .error, path,
                    "byte \(chunk.problemOffset ?? chunk.offset): \(problem)",
                    advice: "put a whole copy of the file in its place")
            }
            for warning in check.warnings {
                findings.add(
                    "missing-changes", .warning, path, warning,
                    advice: "bring it together with a file that has them: tideline docs merge")
            }
            // What is wrong beyond chunks shows when the document is made of them.
            if findings.all.isEmpty { _ = try file.view() }
        } catch {
            findings.add(
                "damaged", .error, path, "\(error)",
                advice: "put a whole copy of the file in its place")
        }
    }

    private func examineDatabaseFile(_ kind: StoreKind, _ findings: inout Findings) {
        let file = StoreKind.resolved(path)
        if (try? OwnFile.isBeingWritten(file)) == true {
            findings.add(
                "busy", .note, path, "another process of this machine is writing it at this moment")
        }
        do {
            let (problem, _) = try TableFile(file).read { try $0.structureProblem() }
            if let problem {
                return addDamaged("its structure is damaged: \(problem)", &findings)
            }
        } catch let error as TablesError {
            findings.add(
                "unchecked", .note, path,
                "its structure was not checked, as this program lacks something that it uses: "
                    + error.message)
        } catch {
            return addDamaged(ReplicationError(reading: error).message, &findings)
        }
        do {
            try examineContent(kind, file, &findings)
        } catch let error as ServerCatalogError {
            findings.add(
                error.code == .newerSchema ? "newer-form" : "form", .error, path, error.message,
                advice: error.code == .newerSchema
                    ? "use the newest version of this program" : nil)
        } catch {
            let error = ReplicationError(reading: error)
            findings.add(
                error.code == .newerFormat ? "newer-form" : "form", .error, path, error.message,
                advice: error.code == .newerFormat
                    ? "use the newest version of this program" : nil)
        }
    }

    private func addDamaged(_ problem: String, _ findings: inout Findings) {
        findings.add(
            "damaged", .error, path, problem,
            advice: "put a whole copy in its place, or write what can be read of it to a new file",
            command: recoverCommand)
    }

    private func examineContent(
        _ kind: StoreKind, _ file: String, _ findings: inout Findings
    ) throws {
        switch kind {
        case .entities:
            _ = try EntitySummary.read(log: file)
            try examineRows(file, &findings) { try LogExamination(entityLog: $0) }
        case .coreDataEntities: _ = try EntitySummary.read(coreData: file)
        case .catalog:
            let broken = try CatalogDatabase.unreadableOverrides(path: file)
            if broken.count > 0 {
                findings.add(
                    "json", .warning, path,
                    "what \(broken.count) endpoints say of their protocols is no JSON: "
                        + broken.endpoints.map(\.quoted).joined(separator: ", "),
                    advice: "import the servers anew with tideline servers import")
            }
            let catalog = try CatalogDatabase.openForReading(path: file)
            _ = try catalog.servers(orderedBy: .none, limit: 1)
        case .tables:
            let (tables, _) = try TableFile(file).read { db in
                Set(
                    try String.fetchAll(
                        db, sql: "SELECT lower(name) FROM sqlite_master WHERE type = 'table'"))
            }
            if tables.isSuperset(of: ["meta", "log", "latest", "writer"]) {
                try examineRows(file, &findings) { try LogExamination(keyValueLog: $0) }
            } else if tables.isSuperset(of: ["meta", "log", "content"]) {
                try examineRows(file, &findings) { try LogExamination(documentLog: $0) }
            }
        default: break
        }
    }

    /// A device's log that lies outside of a package.
    private func examineRows(
        _ file: String, _ findings: inout Findings,
        _ examine: (Database) throws -> LogExamination
    ) throws {
        let (log, _) = try TableFile(file).read(examine)
        let device = log.identity?.device
        if let gap = log.gap {
            findings.add(
                "gap", .error, path, of: device,
                "row \(gap) is missing; rows up to \(log.lastID) wait for it",
                advice: "put a whole copy of the file in its place")
        }
        if log.oddCount > 0 {
            findings.add(
                "rows", .error, path, of: device,
                "\(log.oddCount) rows cannot be understood, the first of them row \(log.firstOdd ?? 0)",
                advice: "put a whole copy of the file in its place")
        }
        if let newest = log.newest, clock.isImplausible(newest) {
            findings.add(
                "clock-ahead", .warning, path, of: device,
                "its newest row is of \(newest.iso8601), far ahead of this machine's clock",
                advice: "set the device's clock right")
        }
    }
}
