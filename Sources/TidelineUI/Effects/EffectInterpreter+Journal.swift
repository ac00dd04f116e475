import TidelineCore

/// What was written, in the journal.
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
