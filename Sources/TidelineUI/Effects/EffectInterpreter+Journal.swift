import TidelineCore

/// The change journal and the marks of ignored conflicts.
extension EffectInterpreter {
    func readJournal() {
        guard let journal else { return }
        Task { [send] in
            do {
                let entries = try journal.entries()
                if !entries.isEmpty { send(.journal(entries)) }
            } catch {
                send(.notice(Notice(.warning, "change journal: \(RequestFailure(error).message)")))
            }
        }
    }

    func readIgnored() {
        guard let ignored else { return }
        Task { [send] in
            do {
                let marks = try ignored.marks()
                if !marks.isEmpty { send(.ignored(Array(marks.values))) }
            } catch {
                send(
                    .notice(
                        Notice(.warning, "ignored conflicts: \(RequestFailure(error).message)")))
            }
        }
    }

    /// Saves marks of ignored conflicts for the next run.
    func keep(_ marks: [IgnoredConflict]) {
        do {
            for mark in marks { try ignored?.keep(mark) }
        } catch {
            send(
                .notice(
                    Notice(
                        .warning,
                        "ignored only until you quit: \(RequestFailure(error).message)")))
        }
    }

    /// Adds an entry to the journal. If this fails, the write itself stays valid.
    ///
    /// - Returns: A warning if the entry can't be undone after a restart.
    func keep(_ entry: JournalEntry) -> Notice? {
        do {
            guard try journal?.append(entry) == false else { return nil }
            return Notice(
                .warning, "written, but too large for the journal: undo works only until you quit")
        } catch {
            let reason = RequestFailure(error).message
            return Notice(.warning, "written, but the change journal failed: \(reason)")
        }
    }
}
