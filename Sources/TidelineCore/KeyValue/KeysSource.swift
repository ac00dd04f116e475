import KeyValueStore
import Replication

/// The list of all keys with their winning values.
final class KeysSource: KeyRowSource {
    let context: KeyValueContext

    /// Cached lists. Creating the unfiltered list takes 4 bytes and a few nanoseconds per key.
    private let lists = ResultCache<KeyValueContext.StoreState, KeyList>()

    static let schema = KeyRow.schema(deviceName: \.name)

    init(_ context: KeyValueContext) { self.context = context }

    func forgetPast() { lists.forgetPast() }

    var info: ListInfo {
        var info = ListInfo(
            "Keys", columns: Self.schema.columns, filterFields: Self.schema.filterFields,
            edits: context.availability.of(.set, .add, .rename, .remove, .resolve, .restore),
            namingColumn: "key", writes: .init(pane: .log, field: "key"),
            folders: RowID(folder: ""))
        info.hasAuthors = true
        return info
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        do {
            return try await list(request.query).window(request)
        } catch is ListOutdated {
            context.noteChange(isLoad: true)
            return try await list(request.query).window(request)
        }
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        row.folderPath.map { KeyFolderSource(self, folder: $0) }
    }

    /// Returns the keys that a query selects.
    ///
    /// - Throws: ``FilterError``; ``ListOutdated``; errors from reading the store.
    func list(_ query: RowQuery) async throws -> KeyList {
        let filter = try Filter(query.filter, fields: Self.schema.filterFields)
        return try await lists.answer(
            to: query, in: context.state, mark: { context.mark(at: query.instant) }
        ) { try await list(query, filter) }
    }

    private func list(_ query: RowQuery, _ filter: Filter) async throws -> KeyList {
        let whole = whole(try content(query.instant, filter))
        guard query.sort == nil, whole.count <= NaturalText.longestList else {
            return try await whole.selecting(query)
        }
        return try await whole.inNaturalOrder().selecting(query)
    }

    /// Returns all keys in byte order, now or at an instant.
    ///
    /// - Throws: ``ListOutdated``; errors from reading the store.
    func listInByteOrder(at instant: Timestamp?) async throws -> KeyList {
        whole(try content(instant, Filter(.everything)))
    }

    private func whole(_ content: KeyList.Content) -> KeyList {
        let names = deviceNames
        return KeyList(
            store: context.store, content: content,
            schema: KeyRow.schema { names[$0] ?? $0.name })
    }

    var deviceNames: [DeviceID: String] {
        Dictionary(context.store.devices.map { ($0.device, $0.name) }, uniquingKeysWith: { $1 })
    }

    private func content(_ instant: Timestamp?, _ filter: Filter) throws -> KeyList.Content {
        guard let instant else { return .live(context.store.entryList()) }
        // An unreadable log is reported as a problem of its device. The rows of the other devices
        // are still listed.
        let list = try context.store.entryList(at: instant)
        let conflicts =
            filter.asks(for: "conflict")
            ? try context.store.conflictOriginals(at: instant) : nil
        return .past(list, KeyList.PastInstant(instant: instant, conflicts: conflicts))
    }
}
