import EntityStore
import Foundation
import Replication

/// The entities that a query and a filter list, by number.
struct EntityList: Sendable {
    let store: EntityStore
    let query: EntityQuery
    /// Those that pass the filter; `nil`: all that the query names.
    let identifiers: [String]?
    let count: Int

    /// - Parameter filter: Says of each entity that the query names whether it passes; `nil` passes
    ///   all.
    init(
        _ store: EntityStore, _ query: EntityQuery,
        filter: (([EntityRecord]) async throws -> [Bool])?
    ) async throws {
        self.store = store
        self.query = query
        guard let filter else {
            identifiers = nil
            count = try await store.count(query)
            return
        }
        var passed: [String] = []
        let size = 1_000
        var start = 0
        while true {
            try Task.checkCancellation()
            let window = try await store.window(
                query, from: start, count: size, withFurther: true)
            for (record, passes) in zip(window.records, try await filter(window.records))
            where passes { passed.append(record.identifier) }
            start += size
            if start >= window.total { break }
        }
        identifiers = passed
        count = passed.count
    }

    func records(_ range: Range<Int>) async throws -> [EntityRecord] {
        let range = range.clamped(to: 0..<count)
        guard let identifiers else {
            return try await store.window(query, from: range.lowerBound, count: range.count).records
        }
        return try await store.records(of: identifiers[range].map { .identifier($0) })
            .compactMap { $0 }
    }

    func index(of row: RowID) async throws -> Int? {
        if let identifiers { return identifiers.firstIndex(of: row.name) }
        return try await store.position(of: .identifier(row.name), in: query)
    }

    /// The part of the list that `request` asks for.
    func window(
        _ request: WindowRequest, rows: ([EntityRecord]) async throws -> [Row]
    ) async throws -> RowWindow {
        let size = max(0, min(request.count, 10_000))
        var found: Int?
        let start: Int
        switch request.position {
        case .index(let index): start = index
        case .row(let id, let offset, let fallback):
            found = try await index(of: id)
            let (top, overflow) = (found ?? min(fallback, max(0, count - 1)))
                .subtractingReportingOverflow(offset)
            start = overflow ? 0 : top
        case .search(let text, let from, let backwards):
            found = try await search(text, from: from, backwards: backwards, rows: rows)
            start = found.map { $0 - size / 2 } ?? from
        }
        let lower = max(0, min(start, count - size))
        let shown = try await rows(records(lower..<min(count, lower + size)))
        return RowWindow(rows: shown, start: lower, total: count, found: found)
    }

    /// The first row after (before) `from` with `text` in one of its cells, once around the end.
    private func search(
        _ text: String, from: Int, backwards: Bool,
        rows: ([EntityRecord]) async throws -> [Row]
    ) async throws -> Int? {
        guard count > 0, !text.isEmpty else { return nil }
        let pattern = Pattern(text)
        let chunk = 256
        let from = max(0, min(from, count - 1))
        let runs = backwards ? [0..<from, from..<count] : [from + 1..<count, 0..<from + 1]
        for run in runs {
            var rest = run
            while !rest.isEmpty {
                try Task.checkCancellation()
                let part =
                    backwards
                    ? max(rest.lowerBound, rest.upperBound - chunk)..<rest.upperBound
                    : rest.lowerBound..<min(rest.upperBound, rest.lowerBound + chunk)
                let matches = try await rows(records(part)).enumerated().filter { _, row in
                    row.cells.contains { pattern.isFound(in: $0.text) }
                }
                if let match = backwards ? matches.last : matches.first {
                    return part.lowerBound + match.offset
                }
                rest =
                    backwards
                    ? rest.lowerBound..<part.lowerBound : part.upperBound..<rest.upperBound
            }
        }
        return nil
    }
}
