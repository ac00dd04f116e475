import Replication
import TidelineCore

/// Steps through the writes of one row in time.
struct RowSteps {
    let session: any StoreSession
    let source: any RowSource
    let row: RowID

    /// The maximum number of writes to examine, in lists that don't record the times of writes.
    static let limit = 2_000

    /// Finds the next write of the row.
    ///
    /// - Returns: The next write, with the change of the row first; `nil` if there is none.
    /// - Throws: ``RequestFailure`` if too many other writes come first, and errors from reading.
    func next(from instant: Timestamp, backwards: Bool) async throws -> TimeTravelStep? {
        switch try await source.step(of: row, from: instant, backwards: backwards) {
        case .none: return nil
        case .at(let next):
            // If details are missing, the step still succeeds.
            let writes = (try? await session.writes(at: next, device: nil)) ?? []
            return TimeTravelStep(
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
            if !own.isEmpty { return TimeTravelStep(instant: next, writes: own) }
            instant = next
        }
        throw RequestFailure(
            .other,
            "the next \(Counted.grouped(Self.limit)) writes don't change this row")
    }

    private func isAboutRow(_ write: PastWrite) -> Bool {
        if let link = write.link { return link.row == row }
        // A write that deletes the row has no link. Its text is a verb and the name of the row.
        let subject = write.text.drop { $0 != " " }.dropFirst()
        return subject == row.name || subject.hasPrefix("\(row.name): ")
    }
}
