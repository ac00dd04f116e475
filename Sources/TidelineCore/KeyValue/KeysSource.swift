import KeyValueStore
import Replication

/// The list of all keys with their winning values.
final class KeysSource: KeySource {
    let context: KeyValueContext

    /// Cached lists. Recreating the unfiltered list costs 4 bytes and a few nanoseconds per key.
    private let lists = KeptAnswers<KeyValueContext.StoreState, KeyList>()

    init(_ context: KeyValueContext) { self.context = context }

    func forgetPast() { lists.forgetPast() }

    var info: ListInfo {
        ListInfo(
            "Keys", columns: KeyRow.columns, filterFields: KeyRow.fields,
            edits: context.availability.of(.set, .add, .rename, .remove, .resolve, .restore),
            namingColumn: "key", writes: .init(pane: .log, field: "key"))
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        do {
            return try await list(request.query).window(request)
        } catch is ListOutdated {
            context.noteChange(isLoad: true)
            return try await list(request.query).window(request)
        }
    }

    private func list(_ query: RowQuery) throws -> KeyList {
        let filter = try Filter(query.filter, fields: KeyRow.fields)
        return try lists.answer(
            to: query, in: context.state, mark: { context.mark(at: query.instant) }
        ) { try list(query, filter) }
    }

    private func list(_ query: RowQuery, _ filter: Filter) throws -> KeyList {
        let names = Dictionary(
            context.store.devices.map { ($0.device, $0.name) }, uniquingKeysWith: { $1 })
        let deviceName = { @Sendable (device: DeviceID) in names[device] ?? device.name }
        let whole = KeyList(
            store: context.store, content: try content(query.instant, filter),
            deviceName: deviceName)
        let now = query.instant ?? context.store.configuration.clock.now
        return try whole.arranged(
            filter.isEmpty
                ? nil
                : { filter.passes(KeySubject(row: $0, now: now, deviceName: deviceName)) },
            sort: query.sort)
    }

    private func content(_ instant: Timestamp?, _ filter: Filter) throws -> KeyList.Content {
        guard let instant else { return .live(context.store.entryList()) }
        // The problem of an unreadable log is shown with its device. The rows of the others stay.
        let list = try context.store.entryList(at: instant)
        let conflicts =
            filter.asks(for: "conflict")
            ? try context.store.conflictOriginals(at: instant) : nil
        return .past(list, KeyList.PastInstant(instant: instant, conflicts: conflicts))
    }
}
