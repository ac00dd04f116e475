import TidelineCore

extension RowSource {
    /// Returns the requested part of a list. Rows of the past also have ``Row/differsFromNow``.
    ///
    /// - Throws: The errors of `window(_:)`.
    func windowComparedWithNow(_ request: WindowRequest) async throws -> RowWindow {
        var past = try await window(request)
        // The rows of a log never change.
        guard let instant = request.query.instant, info.hasPast, !info.isNewestFirst,
            // If the current rows can't be read, the past is still shown.
            let current = try? await currentRows(near: past)
        else { return past }
        for index in past.rows.indices {
            let row = past.rows[index]
            guard let now = current[row.id] else {
                past.rows[index].differsFromNow = true
                continue
            }
            past.rows[index].differsFromNow =
                if !row.hasSameContent(as: now) {
                    true
                } else if row.isFolder || row.opensList {
                    // Not every list can compare the rows inside a row.
                    try? await hasChanges(inside: row.id, since: instant)
                } else {
                    false
                }
        }
        return past
    }

    /// Returns the current states of the rows of a window, by identity.
    private func currentRows(near past: RowWindow) async throws -> [RowID: Row] {
        guard let first = past.rows.first else { return [:] }
        // Most rows have nearly the same place now, so that one window contains them.
        let near = try await window(
            WindowRequest(
                position: .row(first.id, offset: 0, fallback: past.start),
                count: 2 * past.rows.count))
        var current = Dictionary(near.rows.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        for row in past.rows where current[row.id] == nil {
            try Task.checkCancellation()
            let place = try await window(
                WindowRequest(position: .row(row.id, offset: 0, fallback: 0), count: 1))
            if let now = place.rows.first, now.id == row.id { current[row.id] = now }
        }
        return current
    }
}

extension Row {
    /// Returns whether two states of the row have the same content. Times aren't compared, because
    /// they are shown as ages. Devices aren't compared, because the same value written by another
    /// device is not a change.
    fileprivate func hasSameContent(as other: Row) -> Bool {
        cells.count == other.cells.count
            && zip(cells, other.cells).allSatisfy { cell, other in
                cell == other || !(cell.isContent || other.isContent)
            }
    }
}

extension RowCell {
    /// Whether the cell shows content, not the time or the device of the last write.
    var isContent: Bool { instant == nil && role != .device }
}
