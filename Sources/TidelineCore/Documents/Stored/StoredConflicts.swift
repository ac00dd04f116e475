import DocumentStore
import Foundation
import Replication
import Synchronization

/// The conflicts in a store's documents. Documents whose conflicts aren't counted yet are missing.
///
/// A document is opened when one of its rows is shown. At an instant of the past, only documents
/// that are open, or that have conflicts now, are listed.
final class StoredConflicts: ConflictListing {
    private let context: DocumentStoreContext
    private let lists = ResultCache<State, ListedConflicts>()
    /// The documents of the recently shown rows, newest last.
    private let shown = Mutex<[(id: UUID, document: DocumentConflicts)]>([])

    private struct State: Equatable, Sendable {
        var revision: UInt64
        var counts: [UUID: Int]
    }

    /// The maximum number of documents that stay open for their rows.
    private static let mostOpen = 8

    init(_ context: DocumentStoreContext) { self.context = context }

    var part: String { PaneID.documents.part }
    var edits: [EditKind: Availability] { context.availability.of(.set, .resolve) }
    var undoing: any RowSource { DocumentListSource(context) }

    func conflicts(at instant: Timestamp?) async throws -> ListedConflicts {
        let counts = context.conflicts.nonzero
        let state = State(revision: context.revision, counts: counts)
        let query = RowQuery(instant: instant)
        if let known = lists.known(query, in: state) { return known }
        var documents = counts.map { (id: $0.key, count: $0.value) }
        if let instant {
            let open = context.openDocuments
            documents = []
            for id in open.union(counts.keys) {
                // If a document can't be read, the others are still listed.
                let rows = (try? await document(id).rows(at: instant)) ?? []
                if !rows.isEmpty { documents.append((id, rows.count)) }
            }
        }
        let titled = documents.map { (title: context.title(of: $0.id), id: $0.id, count: $0.count) }
            .sorted { ($0.title, $0.id) < ($1.title, $1.id) }
        let listed = ListedConflicts(
            StoredConflictList(
                self, titled, at: instant,
                isCountExact: instant == nil && context.conflicts.areWhole))
        lists.keep(listed, for: query, in: state)
        return listed
    }

    func target(of place: ConflictPlace) -> ConflictTarget? {
        Self.document(of: place).map {
            ConflictTarget(source: document($0), row: RowID(place.row))
        }
    }

    func forgetPast() {
        lists.forgetPast()
        for (_, document) in shown.withLock({ $0 }) { document.forgetPast() }
    }

    /// Returns the document that contains a place. The name of the place's row starts with the
    /// identifier of the document.
    fileprivate static func document(of place: ConflictPlace) -> UUID? {
        UUID(automergeID: String(place.row.prefix { $0 != "/" }))
    }

    fileprivate func document(_ id: UUID) -> DocumentConflicts {
        shown.withLock { shown in
            let known = shown.firstIndex { $0.id == id }.map { shown.remove(at: $0).document }
            let document =
                known
                ?? DocumentConflicts(context.document(id)) { [context] in context.title(of: id) }
            if shown.count >= Self.mostOpen { shown.removeFirst() }
            shown.append((id, document))
            return document
        }
    }
}

/// The conflicts of documents, document by document.
private struct StoredConflictList: IndexedRows, Sendable {
    typealias Entry = (title: String, id: UUID, count: Int)
    private let conflicts: StoredConflicts
    private let documents: [Entry]
    private let instant: Timestamp?
    let count: Int
    let isCountExact: Bool

    init(
        _ conflicts: StoredConflicts, _ documents: [Entry], at instant: Timestamp?,
        isCountExact: Bool
    ) {
        self.conflicts = conflicts
        self.documents = documents
        self.instant = instant
        self.isCountExact = isCountExact
        count = documents.reduce(0) { $0 + $1.count }
    }

    func rows(_ range: Range<Int>) async throws -> [Row] {
        var (rows, start) = ([Row](), 0)
        for document in documents {
            let own = range.clamped(to: start..<start + document.count)
            if !own.isEmpty {
                let all = try await self.rows(of: document)
                rows += all[own.lowerBound - start..<own.upperBound - start]
            }
            start += document.count
        }
        return rows
    }

    /// Returns as many rows as were counted. If the document has changed since then, its conflicts
    /// are counted again, and a new list replaces this one.
    private func rows(of document: Entry) async throws -> [Row] {
        let rows = try await conflicts.document(document.id).rows(at: instant)
        return rows.prefix(document.count)
            + (rows.count..<max(rows.count, document.count)).map { number in
                Row(
                    endedConflict: ConflictPlace(
                        part: PaneID.documents.part,
                        row: RowID("\(document.id.uuidString)/\(number)")),
                    name: document.title, kind: "document")
            }
    }

    func index(of row: RowID) async throws -> Int? {
        guard let place = ConflictPlace(listed: row),
            let id = StoredConflicts.document(of: place)
        else { return nil }
        var start = 0
        for document in documents {
            if document.id == id {
                if !place.row.contains("/") { return document.count > 0 ? start : nil }
                let rows = DocumentConflictRows(rows: try await rows(of: document))
                return rows.index(of: row).map { $0 + start }
            }
            start += document.count
        }
        return nil
    }
}
