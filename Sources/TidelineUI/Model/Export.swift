import TidelineCore

/// Rows that are being written to a file.
struct Export: Hashable, Sendable {
    var id: RequestID
    var path: String
    /// How many rows were passed, of how many.
    var done = 0
    var total: Int

    var percent: Int { total > 0 ? Int(Double(min(done, total)) / Double(total) * 100) : 0 }
}

extension Model {
    mutating func beginExport(
        of list: ListState, as format: ExportFormat, to path: String
    ) -> [Effect] {
        let key = keymap.hint(for: "back")
        if let export {
            say(.warning, "\(export.path) is still being written: \(key) stops that")
            return []
        }
        let id = newRequest()
        export = Export(id: id, path: path, total: list.total)
        say(.info, "writing \(exported) to \(path) … \(key) stops it")
        return [
            .export(
                id, list.source.id, list.query, chosen: list.chosen, as: format, path: path)
        ]
    }

    mutating func receiveExporting(_ id: RequestID, done: Int, of total: Int) {
        guard export?.id == id else { return }
        export?.done = done
        export?.total = total
    }

    mutating func receiveExported(_ id: RequestID, _ answer: Message.Answer<String>) {
        guard export?.id == id else { return }
        export = nil
        switch answer {
        case .success(let text): say(.done, text)
        case .failure(let failure): say(.error, failure.message)
        }
    }

    /// Stops the export that is under way.
    mutating func stopExport(_ export: Export) -> [Effect] {
        self.export = nil
        say(.info, "stopped: nothing was written to \(export.path)")
        return [.cancel(export.id)]
    }
}
