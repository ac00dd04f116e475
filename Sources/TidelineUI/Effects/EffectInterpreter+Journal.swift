import TidelineCore

/// What was written, in the journal, and what a person noted besides.
extension EffectInterpreter {
    func readJournal() {
        guard let journal else { return }
        Task { [send] in
            do {
                let entries = try journal.entries()
                if !entries.isEmpty { send(.journal(entries)) }
            } catch {
                send(.notice(Notice(.warning, "the journal: \(RequestFailure(error).message)")))
            }
        }
    }

    func readBenign() {
        guard let benign else { return }
        Task { [send] in
            do {
                let marks = try benign.marks()
                if !marks.isEmpty { send(.benign(marks)) }
            } catch {
                send(
                    .notice(
                        Notice(.warning, "benign conflicts: \(RequestFailure(error).message)")))
            }
        }
    }

    /// Keeps marks of conflicts for the next run.
    func keep(_ marks: [BenignMark]) {
        do {
            for mark in marks { try benign?.keep(mark) }
        } catch {
            send(
                .notice(
                    Notice(
                        .warning,
                        "marked for this run alone: \(RequestFailure(error).message)")))
        }
    }

    /// Notes what was written. It is written all the same where that cannot be noted.
    func keep(_ entry: JournalEntry) {
        do {
            try journal?.append(entry)
        } catch {
            send(
                .notice(
                    Notice(
                        .warning,
                        "written, but not noted in the journal: \(RequestFailure(error).message)")))
        }
    }
}
