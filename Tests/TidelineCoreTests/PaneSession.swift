import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// A session over a store, as the screen has it: opened by the program's own opener, and loaded.
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
        // A part in which there is nothing yet does not tell that it is being read.
        for part in (session as? ComposedSession)?.parts ?? [] {
            if let part = part as? any ModelPart { _ = try? await part.loadedStore() }
        }
        // Loading may be over before anybody listens, and each part tells of its own.
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

    /// Writes an edit as the screen does: previewed, then applied.
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

/// Events as they come, looked at one after the other.
actor EventLog {
    private var iterator: AsyncStream<SessionEvent>.Iterator

    init(_ session: any StoreSession) { iterator = session.events().makeAsyncIterator() }

    /// The next event that `fits`; those before it are passed over.
    func next(where fits: @Sendable (SessionEvent) -> Bool) async -> SessionEvent? {
        var iterator = iterator
        defer { self.iterator = iterator }
        while let event = await iterator.next(isolation: self) {
            if fits(event) { return event }
        }
        return nil
    }

    /// The next time that rows of a pane change.
    func nextChange(of pane: PaneID) async -> SessionEvent? {
        await next {
            if case .changed(pane, _, _) = $0.kind { true } else { false }
        }
    }
}

extension Detail {
    /// The lines of a section, labels in front.
    func lines(_ title: String) -> [String] {
        sections.filter { $0.title.hasPrefix(title) }.flatMap(\.lines).map { line in
            line.label.isEmpty ? line.text : "\(line.label) \(line.text)"
        }
    }
}

extension EditPreview.Change {
    /// Without what is not in the lines.
    var asLines: Self {
        Self(subject: subject, old: old.map { .init($0.line) }, new: new.map { .init($0.line) })
    }
}

extension Array {
    /// What `body` makes of each, one after the other.
    func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
