import Replication

extension Doctor {
    /// Checks the files next to a database, such as journals, that SQLite would also open.
    ///
    /// - Returns: Whether the database is readable despite these files.
    func examineJournals(
        _ path: String, _ device: DeviceID, _ kind: DatabaseKind, _ package: StorePackage,
        _ findings: inout DoctorFindings
    ) -> Bool {
        let isOwn = device == own
        let command = isOwn ? repairCommand(package) : nil
        let file = package.relative(path)
        let beside: DatabaseJournals
        do {
            beside = try DatabaseJournals(ofDatabaseAt: path, now: clock.now)
        } catch {
            // Reading the database fails as well, and reports the reason.
            return true
        }
        if beside.hasIndexAlone {
            findings.add(
                "journal", .note, file + "-shm", of: device,
                "the index of a write-ahead log that no longer exists; nothing reads it",
                advice: "delete it",
                command: isOwn ? command : ShellCommand.line("rm", path + "-shm"),
                repairAction: isOwn ? .remove(path + "-shm") : nil)
        }
        if let byteCount = beside.logByteCount, beside.logRefusal == nil {
            findings.add(
                "write-ahead-log", .warning, file + "-wal", of: device,
                "a write-ahead log of \(Counted.text(byteCount, "byte")) holds a part of the "
                    + "database, and a sync service may transfer the two files at different times",
                advice: isOwn
                    ? "write both to a single file (the old files are kept)"
                    : "on the writing device, close the program that has the database open",
                command: command, repairAction: isOwn ? .rebuild(path, kind) : nil)
        }
        // Another process is writing now. The file is checked again later.
        guard !beside.isFresh else {
            findings.isEarly = true
            return true
        }
        if let refusal = beside.logRefusal {
            addStale(path + "-wal", refusal.message, command, device, package, &findings)
            // Don't check the database, because it would be reported with the same problem.
            findings.markUnreadable(file)
            return false
        }
        switch beside.rollback {
        case .none: return true
        case .unfinished:
            findings.add(
                "journal", isOwn ? .warning : .note, file + "-journal", of: device,
                "a program was killed while writing; the unfinished write is ignored",
                advice: isOwn
                    ? "roll it back now, or leave that to the next write"
                    : "the device's next write rolls it back", command: command,
                repairAction: isOwn ? .rollBackJournal(path) : nil)
            return true
        case .noJournal:
            findings.add(
                "no-journal", .note, file + "-journal", of: device,
                "this file is not a journal of the database; the database is read without it",
                advice: isOwn
                    ? "rename it, or let the next write empty it"
                    : "the device's next write empties it", command: command,
                repairAction: isOwn ? .putAside(path + "-journal") : nil)
            return true
        case .orphan, .refused: break
        }
        var problem = "the database that it belongs to is missing"
        if case .refused(let error) = beside.rollback { problem = error.message }
        addStale(path + "-journal", problem, command, device, package, &findings)
        // Don't check the database, because it would be reported with the same problem.
        findings.markUnreadable(file)
        return false
    }

    /// Adds a journal that must not be used.
    private func addStale(
        _ path: String, _ problem: String, _ command: String?, _ device: DeviceID,
        _ package: StorePackage, _ findings: inout DoctorFindings
    ) {
        let isOwn = device == own
        findings.add(
            "stale-journal", .error, package.relative(path), of: device, problem,
            advice: isOwn
                ? "rename it, so that the database is read without it"
                : "wait for both files to arrive; if they don't, ask your sync service to "
                    + "download them again",
            command: command, repairAction: isOwn ? .putAside(path) : nil)
    }

    /// Returns whether the findings about a database's journals have changed; `nil` while a process
    /// is writing. Unreadable files count as unchanged.
    func hasJournalNews(_ file: DeviceFile, since known: [DoctorFinding]) -> Bool? {
        guard let package = try? StorePackage(opening: path),
            let folder = try? package.device(file.device), folder.copy?.isCertain != true
        else { return false }
        let database = folder.path(of: file.kind)
        var found = DoctorFindings()
        _ = examineJournals(database, file.device, file.kind, package, &found)
        guard !found.isEarly else { return nil }
        let names = ["-journal", "-wal", "-shm"].map { package.relative(database) + $0 }
        // The size of a growing write-ahead log doesn't count as a change.
        let before = known.filter { names.contains($0.file) }.map { [$0.code, $0.file] }
        return Set(before) != Set(found.all.map { [$0.code, $0.file] })
    }
}
