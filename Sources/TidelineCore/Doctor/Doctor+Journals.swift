import Foundation
import Replication

/// Journals that stand beside databases.
extension Doctor {
    /// Looks at what stands beside a database that SQLite would act on.
    ///
    /// - Returns: Whether the database can be read all the same.
    func examineJournals(
        _ path: String, _ device: DeviceID, _ kind: DatabaseKind, _ package: StorePackage,
        _ findings: inout Findings
    ) -> Bool {
        let isOwn = device == own
        let command = isOwn ? repairCommand(package) : nil
        let file = package.relative(path)
        let beside: JournalsBeside
        do {
            beside = try JournalsBeside(ofDatabaseAt: path, now: clock.now)
        } catch {
            // What cannot be looked at cannot be read either, which is told then.
            return true
        }
        if beside.hasIndexAlone {
            findings.add(
                "journal", .note, file + "-shm", of: device,
                "the index of a write-ahead log that is gone was left behind; nothing reads it",
                advice: "delete it",
                command: isOwn ? command : ShellCommand.line("rm", path + "-shm"),
                mending: isOwn ? .remove(path + "-shm") : nil)
        }
        if let byteCount = beside.logByteCount {
            findings.add(
                "write-ahead-log", .warning, file + "-wal", of: device,
                "a write-ahead log of \(byteCount) bytes holds a part of the database, which a "
                    + "sync service may carry at another time than the rest",
                advice: isOwn
                    ? "have all of it written to one file, the old ones being kept"
                    : "end the program that has it open on the device that writes it",
                command: command, mending: isOwn ? .rebuild(path, kind) : nil)
        }
        // What is being written is looked at again by whoever reads it.
        guard !beside.isFresh else {
            findings.isEarly = true
            return true
        }
        switch beside.rollback {
        case .none: return true
        case .unfinished:
            findings.add(
                "journal", isOwn ? .warning : .note, file + "-journal", of: device,
                "a program was ended while it wrote; what it had not finished does not count",
                advice: isOwn
                    ? "have it taken back now, or leave it to the next write"
                    : "the device takes it back with its next write", command: command,
                mending: isOwn ? .settle(path) : nil)
            return true
        case .noJournal:
            findings.add(
                "no-journal", .note, file + "-journal", of: device,
                "it is no journal of the database beside it, which is read without it",
                advice: isOwn
                    ? "have it put aside, or leave it: the next write empties it"
                    : "the device empties it with its next write", command: command,
                mending: isOwn ? .putAside(path + "-journal") : nil)
            return true
        case .orphan, .refused: break
        }
        var problem = "there is no database that it belongs to"
        if case .refused(let error) = beside.rollback { problem = error.message }
        findings.add(
            "stale-journal", .error, file + "-journal", of: device, problem,
            advice: isOwn
                ? "have it put aside, so that the database is read as it stands"
                : "wait until both have arrived; if it stays so, have the sync service carry them "
                    + "again",
            command: command, mending: isOwn ? .putAside(path + "-journal") : nil)
        // The database would be told of with the same words.
        findings.spoil(file)
        return false
    }

    /// Whether findings tell otherwise of what stands beside a database than is to be told now; `nil`
    /// while somebody writes it. What cannot be looked at is no news.
    func hasJournalNews(_ file: DeviceFile, since known: [Finding]) -> Bool? {
        guard let package = try? StorePackage(opening: path),
            let folder = try? package.device(file.device), folder.copy?.isCertain != true
        else { return false }
        let database = folder.path(of: file.kind)
        var found = Findings()
        _ = examineJournals(database, file.device, file.kind, package, &found)
        guard !found.isEarly else { return nil }
        let names = ["-journal", "-wal", "-shm"].map { package.relative(database) + $0 }
        // The size of a log that is being written is none.
        let told = known.filter { names.contains($0.file) }.map { [$0.code, $0.file] }
        return Set(told) != Set(found.all.map { [$0.code, $0.file] })
    }
}
