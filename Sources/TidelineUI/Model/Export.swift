import TidelineCore

/// An export in progress.
struct Export: Hashable, Sendable {
    var id: RequestID
    var path: String
    /// The numbers of rows written and in total.
    var done = 0
    var total: Int

    /// The part that is written: `12%`.
    var progress: String { TextParts.percent(total > 0 ? Double(done) / Double(total) : 0) }
}

extension Model {
    mutating func beginExport(
        of list: ListState, as format: ExportFormat, to path: String
    ) -> [Effect] {
        guard let id = beginExport(of: list.total, to: path) else { return [] }
        return [
            .export(
                id, list.source.id, list.query, chosen: list.chosen, as: format, path: path)
        ]
    }

    /// Saves the value of the selected row to a file.
    mutating func beginSaving(to path: String) -> [Effect] {
        guard let list, let row = list.selectedRow,
            let id = beginExport(of: 1, to: path, what: "the value")
        else { return [] }
        return [.save(id, list.source.id, row.id, at: list.query.instant, path: path)]
    }

    /// Exports the events that match the filter.
    mutating func beginExport(
        ofEventsAs format: ExportFormat, to path: String
    ) -> [Effect] {
        guard let id = beginExport(of: panelStates.events.lines.count, to: path) else { return [] }
        return [.exportRecords(id, panelStates.events.lines.map(\.record), as: format, path: path)]
    }

    /// Starts an export. Returns `nil` if another export is running.
    private mutating func beginExport(
        of total: Int, to path: String, what: String? = nil
    ) -> RequestID? {
        let key = keymap.hint(for: "back")
        if let export = requests.export {
            say(.warning, "\(export.path) is still being exported; press \(key) to cancel")
            return nil
        }
        let id = requests.newID()
        requests.export = Export(id: id, path: path, total: total)
        say(.info, "exporting \(what ?? exported) to \(path) … (\(key): cancel)")
        return id
    }

    mutating func receiveExporting(_ id: RequestID, done: Int, of total: Int) {
        guard requests.export?.id == id else { return }
        requests.export?.done = done
        requests.export?.total = total
    }

    mutating func receiveExported(_ id: RequestID, _ answer: Answer<String>) {
        guard requests.export?.id == id else { return }
        requests.export = nil
        closeLeaving(dueTo: id)
        switch answer {
        case .success(let text): say(.done, text)
        case .failure(let failure): say(.error, failure.message)
        }
    }

    mutating func stopExport(_ export: Export) -> [Effect] {
        requests.export = nil
        say(.info, "export canceled; \(export.path) was not written")
        return [.cancel(export.id)]
    }
}
