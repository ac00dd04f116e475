import Foundation
import TidelineCore

/// Whether writing is unlocked, and the writes that can be undone.
struct Writing: Sendable {
    /// The reason why writing can't be unlocked in this session, regardless of the store's state.
    let lockedFromStart: String?
    var isWritable = false
    /// The pending check whether the store's files can be written, before writing is unlocked.
    var obstacleRequest: RequestID?
    /// Whether writing was unlocked but the session hasn't confirmed yet which edits are possible.
    var isUnlocking = false
    /// Whether unsaved changes are being discarded.
    var isWithdrawing = false
    /// The texts of edits that aren't saved yet.
    var unsavedTexts: [String] = []
    var journal = UndoHistory()
    /// The last entry, if undoing it was refused because a later write is based on it. The journal
    /// is being read to find that write, because another window may have made it.
    var refusedEntry: UUID?
}
