import TidelineCore

/// Relationships: `relate FIELD ROW [KIND]`, where names with spaces are quoted.
extension Model {
    /// Previews the relationship that a text of the form `FIELD ROW [KIND]` describes.
    mutating func previewRelation(_ text: String) -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        let typed = QuotedWords(text)
        if let open = typed.open {
            return say(.warning, "a quote (\(open)) isn't closed")
        }
        let words = typed.words.last == "" ? typed.words.dropLast() : typed.words[...]
        guard (2...3).contains(words.count) else {
            return say(
                .warning,
                ":relate needs a field, a row and optionally a kind: :relate FIELD ROW KIND; "
                    + "put names with spaces in quotes")
        }
        let edit = Edit.relate(
            row.id, field: words[0], to: RowID(words[1]), kind: words.count == 3 ? words[2] : "")
        return askPreview(.edit, source: list.source.id, [edit])
    }

    /// Returns the fields and rows that complete a relationship, best first.
    func relationChoices(of action: Action, for text: String) -> [PaletteMatch] {
        let typed = QuotedWords(text)
        guard let word = typed.words.last, let letters = PaletteName.letters(of: word) else {
            return []
        }
        let candidates: [(word: String, name: String)]
        switch typed.words.count {
        case 1: candidates = relatingFields.map { ($0, $0) }
        case 2: candidates = relatableRows.map { ($0.id.name, $0.name) }
        default: return []
        }
        let isLast = typed.words.count == 2
        return candidates.enumerated().compactMap { order, candidate -> PaletteMatch? in
            let scores = [candidate.word, candidate.name].compactMap {
                PaletteName(String($0.prefix(200))).score(of: letters)
            }
            guard let score = scores.min(), candidate.word != word || !isLast else { return nil }
            let choice = "\(typed.head)\(QuotedWords.quoted(candidate.word))\(isLast ? "" : " ")"
            var match = PaletteMatch(
                action: action, score: score * 1_000_000 + 900_000 + order, argument: text,
                choice: choice)
            match.note = isLast ? candidate.name : "field"
            return match
        }.sorted { $0.score < $1.score }
    }

    /// The fields of the selected row, with relationships first, then the fields of its list.
    private var relatingFields: [String] {
        var fields: [String] = []
        if panelStates.inspector.shown?.row == list?.cursorID {
            let lines = panelStates.inspector.detail?.sections.flatMap(\.lines) ?? []
            let own = lines.filter { $0.field?.property.isEmpty == false && $0.depth == 0 }
            fields = (own.filter { $0.link != nil } + own.filter { $0.link == nil })
                .compactMap(\.field?.property)
        }
        fields += list?.source.filterFields.filter { $0.kind == .value }.map(\.name) ?? []
        return fields.uniqued()
    }

    /// The rows to which the selected row can be related: the palette's results, then loaded rows.
    private var relatableRows: [(id: RowID, name: String)] {
        let lists = navigation.panes.flatMap(\.lists).filter { $0.source.edits[.relate] != nil }
        var rows: [(id: RowID, name: String)] = []
        if let palette = overlay?.module as? CommandPalette {
            let panes = navigation.panes.filter { $0.lists[0].source.edits[.relate] != nil }
            for place in palette.found {
                guard case .row(let pane, let row, nil) = place.target,
                    panes.contains(where: { $0.id.text == pane })
                else { continue }
                rows.append((row, place.name))
            }
        }
        rows += lists.flatMap(\.rows).map { ($0.id, $0.cells.first?.text ?? $0.id.name) }
        return rows.uniqued { $0.id }
    }
}
