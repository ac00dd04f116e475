import Foundation
import Replication
import Testing

@testable import TidelineCore

/// A loaded session on a store, opened with the program's own opener.
struct PaneSession {
    let session: any StoreSession

    init(
        _ path: String, device: String? = "desk", isWritable: Bool = true
    ) async throws {
        let opener = StoreOpener(
            device: try device.map { try DeviceID($0) }, isWritable: isWritable,
            listsFolders: true)
        session = try opener.open(path)
        let events = session.events()
        // An empty part doesn't report that it is loading.
        for part in (session as? ComposedSession)?.parts ?? [] {
            if let part = part as? any FollowedPart { _ = try? await part.loadedStore() }
        }
        // Loading can end before the subscription, and each part reports separately.
        guard case .loading = session.status.phase else { return }
        for await _ in events {
            guard case .loading = session.status.phase else { break }
        }
    }

    func source(_ pane: PaneID) throws -> any RowSource {
        try #require(session.panes.first { $0.id == pane }).source
    }

    func rows(_ pane: PaneID, _ query: RowQuery = RowQuery()) async throws -> [Row] {
        try await source(pane).window(WindowRequest(query: query, count: 10_000)).rows
    }

    func names(
        _ pane: PaneID, _ filter: String = "", at instant: Timestamp? = nil
    ) async throws -> [String] {
        try await rows(pane, RowQuery(filter: filter, instant: instant)).map(\.id.name)
    }

    func sorted(_ pane: PaneID, _ column: String, descending: Bool = false) async throws
        -> [String]
    {
        let sort = RowQuery.Sort(column: column, isDescending: descending)
        return try await rows(pane, RowQuery(sort: sort)).map(\.id.name)
    }

    /// Previews and applies an edit, like the screen.
    @discardableResult
    func perform(_ edit: Edit, in pane: PaneID = .keys) async throws -> AppliedEdit {
        let source = try source(pane)
        return try await source.apply(try await source.preview(edit))
    }

    func detail(_ pane: PaneID, _ row: String, at instant: Timestamp? = nil) async throws
        -> Detail
    {
        try #require(try await source(pane).detail(of: RowID(row), at: instant))
    }

    func close() async { await session.close() }
}

/// Received events, examined one at a time.
actor EventLog {
    private var iterator: AsyncStream<SessionEvent>.Iterator

    init(_ session: any StoreSession) { iterator = session.events().makeAsyncIterator() }

    /// Returns the next event that `fits`, skipping those before it.
    func next(where fits: @Sendable (SessionEvent) -> Bool) async -> SessionEvent? {
        var iterator = iterator
        defer { self.iterator = iterator }
        while let event = await iterator.next(isolation: self) {
            if fits(event) { return event }
        }
        return nil
    }

    /// Returns the next event about changed rows of a pane.
    func nextChange(of pane: PaneID) async -> SessionEvent? {
        await next {
            if case .changed(pane, _, _) = $0.kind { true } else { false }
        }
    }
}

extension Detail {
    /// Returns the lines of a section, with their labels.
    func lines(_ title: String) -> [String] {
        sections.filter { $0.title.hasPrefix(title) }.flatMap(\.lines).map { line in
            line.label.isEmpty ? line.text : "\(line.label) \(line.text)"
        }
    }
}

extension EditPreview.Change {
    /// The change without the properties that its lines don't show.
    var asLines: Self {
        Self(subject: subject, old: old.map { .init($0.line) }, new: new.map { .init($0.line) })
    }
}

extension Array {
    /// Transforms the elements one at a time.
    func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
