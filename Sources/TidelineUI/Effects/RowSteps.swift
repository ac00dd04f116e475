import Replication
import TidelineCore

/// The writes of one row, from one to the next in time.
struct RowSteps {
    private let session: any StoreSession
    private let source: any RowSource
    private let row: RowID

    /// How many writes of other rows are passed by where the list does not know when its rows were
    /// written.
    static let limit = 2_000

    init(_ session: any StoreSession, _ source: any RowSource, _ row: RowID) {
        self.session = session
        self.source = source
        self.row = row
    }

    /// - Returns: The next write, what it wrote to the row first; `nil` where there is none.
    /// - Throws: ``RequestFailure`` where too many others come first; what reading meets.
    func next(from instant: Timestamp, backwards: Bool) async throws -> Step? {
        switch try await source.step(of: row, from: instant, backwards: backwards) {
        case .none: return nil
        case .at(let next):
            // What cannot be told of it is no hindrance to going there.
            let writes = (try? await session.writes(at: next, device: nil)) ?? []
            return Step(
                instant: next, writes: writes.filter(isAboutRow) + writes.filter { !isAboutRow($0) }
            )
        case .unknown: break
        }
        var instant = instant
        for _ in 0..<Self.limit {
            try Task.checkCancellation()
            guard
                let next = try await session.step(from: instant, backwards: backwards, device: nil)
            else { return nil }
            let writes = try await session.writes(at: next, device: nil)
            let own = writes.filter(isAboutRow)
            if !own.isEmpty { return Step(instant: next, writes: own) }
            instant = next
        }
        throw RequestFailure(
            .other, "none of the next \(TextParts.grouped(Self.limit)) writes is of this row")
    }

    private func isAboutRow(_ write: PastWrite) -> Bool {
        // A write that took the row away leads nowhere; it names the row.
        write.link.map { $0.row == row }
            ?? (write.text == "removed \(row.name)"
                || write.text.hasPrefix("removed \(row.name): "))
    }
}
