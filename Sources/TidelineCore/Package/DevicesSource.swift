import Replication

/// The list of a package's devices. A row shows the merged state of a device in all stores.
final class DevicesSource: RowSource {
    var info: ListInfo {
        ListInfo(
            "Devices", columns: Self.columns, filterFields: Self.schema.filterFields,
            edits: [.rename: writing.availability], hasPast: false, namingColumn: "device")
    }
    static let columns = schema.columns
    private static let schema = ListSchema<ListedDevice>(
        [
            .device(
                minimumWidth: 10, id: { $0.device.id },
                name: { $0.device.name + ($0.device.isOwn ? " (this device)" : "") }),
            ListColumn(
                "state", "STATE", width: 10,
                .choice(["ok", "damaged", "incomplete", "unreadable", "absent"]),
                example: "state:ok"
            ) { RowCell($0.device.state, $0.device.state == "ok" ? .plain : .problem) },
            .number("rows", "ROWS", width: 9, example: "rows>100") { $0.device.rows },
            .age(example: "age>1d") { $0.device.newest },
            ListColumn(
                "behind", "BEHIND", width: 6, alignment: .trailing, isSortable: false, .age,
                example: "behind>1h"
            ) { $0.behind },
            ListColumn(
                "format", "FORMAT", minimumWidth: 6, width: 10, yieldsWidth: true,
                isSortable: false,
                .choice(["tideline-2", "parstore-1"]), example: "format:parstore-1"
            ) { RowCell($0.device.format ?? "", .dim) },
            ListColumn(
                "problem", "PROBLEM", minimumWidth: 8, isSortable: false,
                example: "problem:*clock*"
            ) { listed in
                // Leave out the folder, because the row already names the device.
                let folder = "Devices/\(listed.device.id.name)/"
                return RowCell(
                    listed.problems.map { $0.replacing(folder, with: "") }.joined(separator: "; "),
                    .problem, value: listed.problems.isEmpty ? .json(.null) : nil)
            },
        ], id: { RowID($0.device.id.name) },
        mark: { row, listed in
            row.device = listed.device.id
            if !listed.canBeRenamed { row.refusedEdits = [.rename: DevicesSource.whyNotRenamed] }
        })
    /// The reason why other devices can't be renamed.
    static let whyNotRenamed = "only this device can be renamed"
    let package: StorePackage
    let writing: WriteAccess
    /// The list of blobs, which undoes edits of blobs.
    let blobs: BlobsSource?
    private let keys: KeyValuePart?
    private let documents: SeenDocumentChanges?
    private let devices: @Sendable () -> [SessionStatus.Device]

    /// Creates the list.
    ///
    /// - Parameters:
    ///   - writing: Whether this device can be renamed.
    ///   - blobs: The list of blobs. The edits of both lists belong to the same part, so either
    ///     list undoes them.
    ///   - keys: The part that determines the rows that a device has seen.
    ///   - documents: The part that determines the changes of documents that a device has seen.
    init(
        of package: StorePackage, _ writing: WriteAccess, blobs: BlobsSource? = nil,
        keys: KeyValuePart? = nil, documents: DocumentStorePart? = nil,
        _ devices: @escaping @Sendable () -> [SessionStatus.Device]
    ) {
        self.package = package
        self.writing = writing
        self.blobs = blobs
        self.keys = keys
        self.documents = documents.map { SeenDocumentChanges($0.context) }
        self.devices = devices
    }

    private func problems(_ device: SessionStatus.Device) -> [String] {
        (device.problems + device.remarks).map { $0.withRelativePaths(inStoreAt: package.path) }
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let devices = devices()
        // Ignore wrong clocks. Otherwise, all other devices would seem to be behind.
        let newest = devices.filter { !$0.hasClockProblem }.compactMap(\.newest).max()
        let listed = devices.map { device in
            ListedDevice(
                device: device, problems: problems(device), newest: newest,
                canBeRenamed: device.id == writing.device)
        }
        return try await ItemList(listed, Self.schema).arrangedWindow(request.ofPresent)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let device = devices().first(where: { RowID($0.id.name) == row }) else { return nil }
        var lines = [
            Detail.Line("device id", device.id.name, .device),
            Detail.Line("state", device.state, device.state == "ok" ? .plain : .problem),
            Detail.Line("format", device.format ?? "none yet"),
        ]
        lines += Self.amounts(
            device.rows, device.keys, device.bytes, device.oldest, device.newest)
        var sections = [Detail.Section("Device", lines)]
        if device.stores.count > 1 {
            sections += device.stores.map { store in
                Detail.Section(
                    store.store.prefix(1).uppercased() + store.store.dropFirst(),
                    [
                        Detail.Line(
                            "state", store.state.rawValue, store.state == .ok ? .plain : .problem)
                    ]
                        + Self.amounts(
                            store.rows, store.keys, store.bytes, store.oldest, store.newest))
            }
        }
        let problems = problems(device)
        if !problems.isEmpty {
            // A small inspector shows only the first two lines.
            sections.insert(
                Detail.Section("Problems", problems.map { Detail.Line("", $0, .problem) }), at: 0)
        }
        return Detail(title: device.name, sections: sections)
    }

    private static func amounts(
        _ rows: Int, _ keys: Int, _ bytes: Int64, _ oldest: Timestamp?, _ newest: Timestamp?
    ) -> [Detail.Line] {
        var lines = [Detail.Line("rows", Counted.grouped(rows), .number)]
        if keys > 0 { lines.append(Detail.Line("keys", Counted.grouped(keys), .number)) }
        lines.append(Detail.Line("size", ByteCount.exactText(bytes), .number))
        if let oldest { lines.append(Detail.Line("first", oldest.fullText, .timestamp)) }
        if let newest { lines.append(Detail.Line("last", newest.fullText, .timestamp)) }
        return lines
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        let devices = devices()
        guard devices.count > 1, let device = devices.first(where: { RowID($0.id.name) == row })
        else { return nil }
        return keys?.seen(by: device, documents: documents, among: self.devices)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        let device = devices().first { RowID($0.id.name) == row }
        return (device.map { [CopyForm("name", $0.name)] } ?? [])
            + [CopyForm("identifier", row.name)]
    }
}

private struct ListedDevice {
    let device: SessionStatus.Device
    let problems: [String]
    /// The time of the newest row of all devices whose clocks are right.
    let newest: Timestamp?
    let canBeRenamed: Bool

    /// The time by which the device's newest row is behind ``newest``.
    var behind: RowCell {
        guard let last = device.newest, let newest else {
            return RowCell("", .dim, value: .json(.null))
        }
        guard newest > last else { return RowCell("", .dim, value: .json(.integer(0))) }
        let seconds =
            newest.microseconds.subtractingReportingOverflow(last.microseconds).0 / 1_000_000
        return RowCell(
            Timestamp.age(ofSeconds: seconds.magnitude), .dim, value: .json(.integer(seconds)))
    }
}
