import Replication
import TidelineCore

/// Searches a list for rows that match a typed text. It uses the list's own filter, so that only a
/// window of a long list is read.
struct PlaceSearch {
    /// The maximum number of matches to examine and to return.
    private static let window = 200
    private static let shown = 30
    /// The maximum number of rows with nested lists to search.
    private static let opened = 8
    private static let shownInside = shown
    /// The maximum number of rows to search without a filter.
    private static let shortList = 10_000

    private let text: String
    private let letters: [Character]
    private let instant: Timestamp?

    init(_ text: String, at instant: Timestamp?) {
        // Characters with a meaning in filters aren't searched for.
        self.text = text.lowercased().filter { !"*\"\\".contains($0) }
        letters = PaletteName.folded(self.text).filter { $0 != " " }
        self.instant = instant
    }

    /// Returns the best matches: names that contain the text, then names that contain its letters
    /// in order.
    ///
    /// - Throws: `CancellationError`. Lists that can't be searched have no matches.
    func places(in source: any RowSource, _ list: PlaceList) async throws -> PlaceMatches {
        guard !letters.isEmpty else { return PlaceMatches() }
        let field = Self.nameField(of: source.info)
        var patterns = [text]
        if field != nil { patterns.append(letters.map(String.init).joined(separator: "*")) }
        var found: [RowID: (Place, Int)] = [:]
        var groups: [(row: RowID, pattern: String)] = []
        var others = PlaceMatches.Others()
        for pattern in patterns where found.count < Self.shown {
            let isWhole = pattern == text
            let filter = field.map { Self.filter($0, pattern) } ?? "\"\(text)\""
            let isFirst = groups.isEmpty
            let window = try await window(filter, of: source)
            // The count of the second pattern includes the names that the first one matches.
            others = PlaceMatches.Others(behind: window)
            for row in window?.rows ?? [] where found[row.id] == nil {
                found[row.id] = place(of: row, in: source, list, holds: false)
                guard found[row.id] == nil else { continue }
                if isWhole { found[row.id] = place(of: row, in: source, list, holds: true) }
                // Search for names with the letters in order only if no name contains the text.
                if isWhole || isFirst { groups.append((row.id, pattern)) }
            }
        }
        var inside: [(Place, Int)] = []
        for (row, pattern) in groups.prefix(Self.opened) {
            let (hits, more) = try await places(
                inside: row, of: source, list, pattern: pattern)
            inside += hits
            others += more
        }
        // If no name matches, search all texts of the rows, because the title of a group can differ
        // from its name. In a long list, only names are searched.
        if found.isEmpty, field != nil, try await isShort(source) {
            for row in try await window("\"\(text)\"", of: source)?.rows ?? [] {
                found[row.id] = place(of: row, in: source, list, holds: false)
            }
        }
        let best = (found.values + inside).sorted { ($0.1, $0.0.name) < ($1.1, $1.0.name) }
        others.count += max(0, best.count - Self.shown)
        return PlaceMatches(places: best.prefix(Self.shown).map(\.0), others: others)
    }

    /// Returns the best matches in the list inside a row, such as the items of a group. The row's
    /// own name doesn't match.
    private func places(
        inside group: RowID, of source: any RowSource, _ list: PlaceList, pattern: String
    ) async throws -> (hits: [(Place, Int)], others: PlaceMatches.Others) {
        try Task.checkCancellation()
        guard let inner = try? await source.open(group, at: instant),
            let field = Self.nameField(of: inner.info)
        else { return ([], PlaceMatches.Others()) }
        let window = try await window(Self.filter(field, pattern), of: inner)
        let hits = (window?.rows ?? []).compactMap {
            self.place(of: $0, in: inner, list, holds: false)
        }
        var others = PlaceMatches.Others(behind: window)
        others.count += max(0, hits.count - Self.shownInside)
        let best = hits.sorted { ($0.1, $0.0.name) < ($1.1, $1.0.name) }
            .prefix(Self.shownInside).map { place, score in
                var place = place
                if case .row(let pane, let row, _) = place.target {
                    place.target = .row(pane: pane, group, inner: row)
                }
                return (place, score)
            }
        return (best, others)
    }

    /// Returns the best match in the list nested in a row.
    ///
    /// - Throws: `CancellationError`.
    func place(inside group: RowID, of source: any RowSource, _ list: PlaceList) async throws
        -> Place?
    {
        try await places(inside: group, of: source, list, pattern: text).hits.first?.0
    }

    /// Returns a filter for names that contain a text.
    private static func filter(_ field: String, _ text: String) -> String {
        "\(field):\"*\(text)*\""
    }

    private func window(_ filter: String, of source: any RowSource) async throws -> RowWindow? {
        try Task.checkCancellation()
        let query = RowQuery(filter: filter, instant: instant)
        return try? await source.window(WindowRequest(query: query, count: Self.window))
    }

    private func isShort(_ source: any RowSource) async throws -> Bool {
        try Task.checkCancellation()
        let query = RowQuery(instant: instant)
        let window = try? await source.window(WindowRequest(query: query, count: 1))
        return window.map { $0.total <= Self.shortList } ?? false
    }

    /// Returns a row as a place; `nil` if neither its name nor its nested list (`holds`) matches.
    private func place(
        of row: Row, in source: any RowSource, _ list: PlaceList, holds: Bool
    ) -> (Place, Int)? {
        let cell = row.cells.first?.text ?? ""
        var place = Place(
            target: .row(pane: list.pane, row.id), name: cell.isEmpty ? row.id.name : cell,
            location: source.info.title)
        if let score = place.score(of: letters) { return (place, score) }
        guard holds else { return nil }
        place.name += " › \(text)"
        place.holds = text
        return place.score(of: letters).map { (place, $0) }
    }

    /// Returns the filter field for row names.
    private static func nameField(of info: ListInfo) -> String? {
        let isText = { (field: FilterField) in [.text, .name, .value].contains(field.kind) }
        let first = info.columns.first?.id
        return
            (info.filterFields.first { $0.name == first && isText($0) }
            ?? info.filterFields.first(where: isText))?.name
    }
}

extension EffectInterpreter {
    /// Searches several lists concurrently. The results are in list order.
    static func places(
        for text: String, in lists: [(PlaceList, any RowSource)], at instant: Timestamp?
    ) async throws -> PlaceMatches {
        let search = PlaceSearch(text, at: instant)
        return try await withThrowingTaskGroup(of: (Int, PlaceMatches).self) { group in
            for (order, (list, source)) in lists.enumerated() {
                group.addTask { (order, try await search.places(in: source, list)) }
            }
            var found = [PlaceMatches](repeating: PlaceMatches(), count: lists.count)
            for try await (order, places) in group { found[order] = places }
            return found.reduce(into: PlaceMatches()) { $0 += $1 }
        }
    }
}
