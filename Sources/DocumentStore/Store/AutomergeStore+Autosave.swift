import Automerge
import Foundation
import Replication
import Synchronization

extension AutomergeStore {
    /// Observes the next edit of a document.
    ///
    /// The document retains the store, so edits are saved as long as a caller holds the document.
    /// The store doesn't retain the document.
    func arm(_ document: Automerge.Document, _ id: UUID) {
        document.onNextChange { [weak document] in
            if let document { self.note(document, id) }
        }
    }

    /// Retains an edited document until it is saved. Called while the document is locked, so this
    /// method must not take a lock that other code can hold while using a document.
    func note(_ document: Automerge.Document, _ id: UUID) {
        guard isWritable else { return }
        edited.withLock { $0[id] = document }
        tryAgain()
    }

    /// Schedules saving of the edits. The store is retained until then.
    func tryAgain() { schedule.touch { self.storeEdited() } }

    private func storeEdited() {
        // Edits that can't be saved are kept, reported, and retried after increasing delays.
        _ = try? schedule.attempt(again: { self.storeEdited() }) { try storeAllEdited() }
    }

    private func storeAllEdited() throws {
        let ids = edited.withLock { Array($0.keys) }
        try state.withLock { state in
            guard state.phase == .loaded else { return }
            if let failure = store(ids, &state).values.first { throw failure }
        }
    }
}
