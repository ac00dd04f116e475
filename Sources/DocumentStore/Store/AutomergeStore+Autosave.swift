import Automerge
import Foundation
import Replication
import Synchronization

extension AutomergeStore {
    /// Has the document tell when it is edited next.
    ///
    /// The document keeps the store, so that its edits are stored for as long as somebody can make
    /// some; the store does not keep the document.
    func arm(_ document: Automerge.Document, _ id: UUID) {
        document.onNextChange { [weak document] in
            if let document { self.note(document, id) }
        }
    }

    /// Keeps an edited document until it is stored. It is called while the document is locked: it
    /// touches nothing that is held while a document is used.
    func note(_ document: Automerge.Document, _ id: UUID) {
        guard isWritable else { return }
        edited.withLock { $0[id] = document }
        tryAgain()
    }

    /// Stores what is edited after a while. The store is kept until then.
    func tryAgain() { schedule.touch { self.storeEdited() } }

    private func storeEdited() {
        // What fails is kept, told, and tried again after longer and longer pauses.
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
