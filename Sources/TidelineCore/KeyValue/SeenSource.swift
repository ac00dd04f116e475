import KeyValueStore
import Replication
import Synchronization

/// The list of the rows that one device has provably seen: one row per other device.
final class SeenSource: RowSource {
    private typealias Seen = (device: SessionStatus.Device, entry: KeyValueStore.SeenRows.Entry)

    private static let schema = ListSchema<Seen>(
        [
            .device(minimumWidth: 10, id: { $0.device.id }, name: { $0.device.name }),
            ListColumn("seen", "SEEN UP TO", width: 20, .age, example: "seen>1d") {
                $0.entry.newest.map { RowCell($0.secondText, .timestamp, instant: $0) }
                    ?? RowCell("never", .dim)
            },
            ListColumn(
                "rows", "ROWS BEHIND", width: 11, alignment: .trailing, .number,
                example: "rows>100"
            ) {
                RowCell(grouped: $0.entry.rowsBehind, $0.device.state == "ok" ? .number : .problem)
            },
            ListColumn(
                "behind", "TIME BEHIND", width: 11, alignment: .trailing, isSortable: false, .age,
                example: "behind>1h"
            ) {
                RowCell(
                    $0.entry.timeBehind?.age ?? "", .dim,
                    value: .json(.optional($0.entry.timeBehind.map(\.components.seconds))))
            },
            ListColumn(
                "unseen", "UNSEEN CONFLICTS", width: 16, alignment: .trailing, .number,
                example: "unseen>0"
            ) {
                let unseen = $0.entry.unseenConflictCount
                return RowCell(grouped: unseen, unseen == 0 ? .dim : .conflict)
            },
        ], id: { RowID($0.device.id.name) }, mark: { $0.device = $1.device.id })
    let info: ListInfo
    private let context: KeyValueContext
    private let device: SessionStatus.Device
    private let devices: @Sendable () -> [SessionStatus.Device]
    private let documents: SeenDocumentChanges?
    /// The last result, and the state of the store when it was computed.
    private let found = Mutex<(KeyValueContext.StoreState, KeyValueStore.SeenRows)?>(nil)
    /// The maximum number of keys in a detail.
    private static let keyLimit = 1_000

    /// Creates the list.
    ///
    /// - Parameter documents: The changes of documents, if the package can have any.
    init(
        _ context: KeyValueContext, by device: SessionStatus.Device,
        _ documents: SeenDocumentChanges?,
        _ devices: @escaping @Sendable () -> [SessionStatus.Device]
    ) {
        self.documents = documents
        self.context = context
        self.device = device
        self.devices = devices
        info = ListInfo(
            "Seen by \(device.name)",
            columns: Self.schema.columns, filterFields: Self.schema.filterFields, hasPast: false,
            isComputedOnDemand: true,
            whyNoAlert: "alerts can only be set on devices, keys and entities",
            namingColumn: "device")
    }

    private func seenRows() throws -> KeyValueStore.SeenRows {
        let state = context.state
        let former = found.withLock { $0 }
        if let former, former.0 == state { return former.1 }
        let seen = try context.store.seenRows(extending: former?.1)
        found.withLock { $0 = (state, seen) }
        return seen
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let seen = try seenRows()
        let others = devices().filter { $0.id != device.id }.map {
            (device: $0, entry: seen.entry(of: device.id, about: $0.id))
        }
        return try await ItemList(others, Self.schema).arrangedWindow(request.ofPresent)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let other = devices().first(where: { RowID($0.id.name) == row }) else { return nil }
        let seen = try seenRows()
        let entry = seen.entry(of: device.id, about: other.id)
        var lines: [Detail.Line] = []
        if let newest = entry.newest {
            lines.append(
                Detail.Line(
                    "newest row", newest.fullText, .timestamp, instant: newest, writer: other.id))
            lines.append(Detail.Line("behind", entry.timeBehind?.age ?? ""))
        } else {
            lines.append(Detail.Line("newest row", "never", .dim))
        }
        lines.append(Detail.Line("rows behind", Counted.grouped(entry.rowsBehind), .number))
        if other.state != "ok" {
            lines.append(
                Detail.Line(
                    "", "the log of \(other.name) is \(other.state): it may have more rows",
                    .problem))
        }
        var sections = [Detail.Section("Seen by \(device.name)", lines)]
        if let changes = await documents?.section(of: device.id, about: other.id) {
            sections.append(changes)
        }
        let keys = seen.unseenConflicts(of: other.id, by: device.id)
        if !keys.isEmpty {
            var lines = keys.prefix(Self.keyLimit).map { key in
                Detail.Line("", key, .conflict, link: Detail.Link(pane: .keys, row: RowID(key)))
            }
            if keys.count > lines.count {
                lines.append(
                    Detail.Line("", "and \(Counted.grouped(keys.count - lines.count)) more", .dim))
            }
            sections.append(Detail.Section("Unseen conflicts", lines))
        }
        return Detail(title: other.name, sections: sections)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        let device = devices().first { RowID($0.id.name) == row }
        return (device.map { [CopyForm("name", $0.name)] } ?? [])
            + [CopyForm("identifier", row.name)]
    }
}
