import TidelineCore

/// The change journal and the marks of ignored conflicts.
extension EffectInterpreter {
    func readJournal() {
        guard let journal else { return }
        read("change journal") {
            let entries = try journal.entries()
            return entries.isEmpty ? nil : .journal(entries)
        }
    }

    func readIgnored() {
        guard let ignored else { return }
        read("ignored conflicts") {
            let marks = try ignored.marks()
            return marks.isEmpty ? nil : .ignored(Array(marks.values))
        }
    }

    /// Reads a file of earlier runs, and sends its contents or a warning.
    private func read(_ name: String, _ contents: @escaping @Sendable () throws -> Message?) {
        Task { [send] in
            do {
                if let message = try contents() { send(message) }
            } catch {
                send(.notice(Self.warning(name, error)))
            }
        }
    }

    private static func warning(_ text: String, _ error: any Error) -> Notice {
        Notice(.warning, "\(text): \(RequestFailure(error).message)")
    }

    /// Saves marks of ignored conflicts for the next run.
    func keep(_ marks: [IgnoredConflict]) {
        do {
            for mark in marks { try ignored?.keep(mark) }
        } catch {
            send(.notice(Self.warning("ignored only until you quit", error)))
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
            return Self.warning("written, but the change journal failed", error)
        }
    }
}
