import KeyValueStore
import Replication
import Synchronization

/// The dictionary: every key with the value that wins.
final class KeysSource: RowSource {
    let title = "Keys"
    let columns = KeyRow.columns
    let filterFields = KeyRow.fields
    let context: KeyValueContext

    /// Lists that were made, by what was asked for. A change of the store empties it: making the
    /// unfiltered list again costs 4 bytes and some nanoseconds a key.
    private let lists = Mutex<[RowQuery: KeyList]>([:])
    private static let keptLists = 4

    init(_ context: KeyValueContext) { self.context = context }

    var edits: [EditKind: Availability] {
        let availability = context.availability
        return [
            .set: availability, .add: availability, .rename: availability,
            .remove: availability, .resolve: availability,
        ]
    }

    /// Forgets lists of the present; those of the past stay true.
    func storeChanged() {
        lists.withLock { lists in lists = lists.filter { $0.key.instant != nil } }
    }

    /// Whether a key is in the list of all keys as it was last made; `nil` if none was.
    func listed(_ key: String) -> Bool? {
        guard let list = lists.withLock({ $0[RowQuery()] }) else { return nil }
        return (try? list.index(of: RowID(key))) != nil
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        do {
            return try list(request.query).window(request)
        } catch is ListOutdated {
            storeChanged()
            return try list(request.query).window(request)
        }
    }

    private func list(_ query: RowQuery) throws -> KeyList {
        if let list = lists.withLock({ $0[query] }) { return list }
        let filter = try Filter(query.filter, fields: filterFields.map(\.name))
        let names = Dictionary(
            context.store.devices.map { ($0.device, $0.name) }, uniquingKeysWith: { $1 })
        let deviceName = { @Sendable (device: DeviceID) in names[device] ?? device.name }
        let content: KeyList.Content =
            if let instant = query.instant {
                .past(
                    try context.store.rows(at: instant).values.filter { !$0.isDeletion }
                        .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
            } else {
                .live(context.store.entryList())
            }
        let whole = KeyList(store: context.store, content: content, deviceName: deviceName)
        let now = query.instant ?? context.store.configuration.clock.now
        let list = try whole.arranged(
            filter.isEmpty
                ? nil
                : { filter.passes(KeySubject(row: $0, now: now, deviceName: deviceName)) },
            sort: query.sort)
        lists.withLock { lists in
            if lists.count >= Self.keptLists { lists = [:] }
            lists[query] = list
        }
        return list
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        try context.detail(ofKey: row.name, at: instant)
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        guard instant == nil else { return nil }
        return try context.conflict(ofKey: row.name)
    }

    func editableValue(of row: RowID, field: String?) async throws -> TypedText? {
        context.store.value(forKey: row.name).map { TypedText($0) }
    }

    func copyForms(of row: RowID) async throws -> [CopyForm] { context.copyForms(ofKey: row.name) }

    func preview(_ edit: Edit) async throws -> EditPreview { try context.preview(edit) }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await context.apply(preview)
    }
}
