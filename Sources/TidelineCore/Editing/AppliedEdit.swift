public import Foundation

/// An edit that was written, and the edits that undo it, in the order in which they apply.
public struct AppliedEdit: Hashable, Sendable {
    /// The identifier of the edit in the journal.
    public var id: UUID
    /// A one-line summary of the edit, or of the first of several edits.
    public var lead: String
    /// The number of further edits that this edit combines.
    public var others = 0
    /// A one-line summary of all edits.
    public var summary: String { Self.summary(lead, others: others) }
    /// The edits that were left out, because their rows had changed since the preview.
    public var skipped: [SkippedEdit] = []
    /// The time of the write, by the wall clock.
    public var date: Date
    /// The rows that were written, to be selected and marked.
    public var rows: [RowID]
    /// The edits that restore the previous state; empty if the edit can't be undone.
    public var undo: [Edit]
    /// The first changes that the edit made, as previewed, for the journal.
    public internal(set) var changes: [EditPreview.Change] = []
    /// The number of all changes that the edit made.
    public internal(set) var changeCount = 0
    /// The maximum number of ``changes``.
    static let mostChanges = 4
    /// The summaries of the parts that ``undo`` doesn't restore.
    public var lasting: [String] = []
    /// The summary of the parts that ``undo`` restores; `nil` if it restores all parts.
    public var restored: String?
    /// Whether the edit isn't on disk yet. It is retried until it is saved or withdrawn; see
    /// ``StoreSession/withdraw()``.
    public var isPending: Bool
    /// Whether the edit is in the file, but the disk didn't confirm it.
    public var isUnconfirmed: Bool
    /// Whether the journal has the undo data; see ``EditJournal/append(_:)``.
    public var isRecorded = true
    /// The reason why the journal could not be written, if that failed.
    public internal(set) var journalProblem: String?

    /// Creates an applied edit.
    public init(
        id: UUID = UUID(), summary: String, date: Date, rows: [RowID], undo: [Edit],
        isPending: Bool = false, isUnconfirmed: Bool = false
    ) {
        self.id = id
        lead = summary
        self.date = date
        self.rows = rows
        self.undo = undo
        self.isPending = isPending
        self.isUnconfirmed = isUnconfirmed
    }
}

extension AppliedEdit {
    /// Combines consecutive edits into one; `nil` if there are none. Undoing the combined edit
    /// restores the parts that can be undone; ``lasting`` names the other parts.
    public init?(_ parts: [AppliedEdit]) {
        guard let first = parts.first, let last = parts.last else { return nil }
        self.init(
            id: first.id, summary: first.lead, date: last.date,
            rows: parts.flatMap(\.rows),
            undo: parts.reversed().flatMap(\.undo),
            isPending: parts.contains(where: \.isPending),
            isUnconfirmed: parts.contains(where: \.isUnconfirmed))
        others = Self.others(parts)
        changes = Array(parts.lazy.flatMap(\.changes).prefix(Self.mostChanges))
        changeCount = parts.reduce(0) { $0 + $1.changeCount }
        skipped = parts.flatMap(\.skipped)
        guard !undo.isEmpty else { return }
        lasting = parts.flatMap { $0.undo.isEmpty ? [$0.summary] : $0.lasting }
        let undone = parts.filter { !$0.undo.isEmpty }
        if undone.count < parts.count { restored = Self.summary(of: undone) }
    }

    /// The summary of undoing the edit: the parts that are restored, and those that aren't.
    package var undoneSummary: String {
        let rest = lasting.isEmpty ? "" : "; not undone: \(Self.summary(lasting))"
        return (restored ?? summary) + rest
    }

    /// Returns the edit with the changes that it made.
    func noting(_ made: [EditPreview.Change]) -> Self {
        var noted = self
        noted.changes = Array(made.prefix(Self.mostChanges))
        noted.changeCount = made.count
        return noted
    }

    /// Returns the edit with the changes of the previews that it wrote.
    func noting(_ previews: some Collection<EditPreview>) -> Self {
        noting(previews.flatMap(\.changes))
    }

    private static func others(_ parts: [AppliedEdit]) -> Int {
        max(0, parts.reduce(-1) { $0 + $1.others + 1 })
    }

    /// Returns the summary of the first edit, with the number of further edits.
    public static func summary(of parts: [AppliedEdit]) -> String {
        parts.first.map { summary($0.lead, others: others(parts)) } ?? ""
    }

    /// Returns the first of several summaries, with the number of further summaries.
    package static func summary(_ parts: [String]) -> String {
        parts.first.map { summary($0, others: parts.count - 1) } ?? ""
    }

    static func summary(_ lead: String, others: Int) -> String {
        others > 0 ? "\(lead), and \(Counted.grouped(others)) more" : lead
    }
}
