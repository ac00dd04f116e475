import Foundation
import Replication

/// The list of a package's devices, each merged over all stores.
final class DevicesSource: RowSource {
    let info = ListInfo(
        "Devices",
        columns: [
            Column("device", "DEVICE", minimumWidth: 10, isSortable: true),
            Column("state", "STATE", width: 10, isSortable: true),
            Column("rows", "ROWS", width: 10, alignment: .trailing, isSortable: true),
            Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
            Column("behind", "BEHIND", width: 6, alignment: .trailing),
            Column("format", "FORMAT", width: 10),
            Column("problem", "PROBLEM", minimumWidth: 8),
        ],
        filterFields: [
            FilterField("device", .name, example: "device:ipad"),
            FilterField(
                "state", .choice(["ok", "damaged", "incomplete", "unreadable", "absent"]),
                example: "state:ok"),
            FilterField("rows", .number, example: "rows>100"),
            FilterField("age", .age, example: "age>1d"),
            FilterField("behind", .age, example: "behind>1h"),
            FilterField(
                "format", .choice(["tideline-2", "parstore-1"]), example: "format:parstore-1"),
            FilterField("problem", example: "problem:*clock*"),
        ], hasPast: false, namingColumn: "device")
    private let path: String
    private let keys: KeyValuePart?
    private let devices: @Sendable () -> [SessionStatus.Device]

    /// - Parameters:
    ///   - path: The path of the package.
    ///   - keys: The part whose rows show what a device has seen of the others.
    init(
        of path: String, keys: KeyValuePart? = nil,
        _ devices: @escaping @Sendable () -> [SessionStatus.Device]
    ) {
        self.path = path
        self.keys = keys
        self.devices = devices
    }

    private func problems(_ device: SessionStatus.Device) -> [String] {
        (device.problems + device.remarks).map { $0.withRelativePaths(inStoreAt: path) }
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let devices = devices()
        // Rows of devices with a wrong clock are ignored, because no other device can be behind
        // them.
        let newest = devices.filter { !$0.hasClockProblem }.compactMap(\.newest).max()
        let rows = devices.map { row($0, newest: newest) }
        return try await RowList(rows).arranged(
            RowQuery(filter: request.query.filter, sort: request.query.sort), by: info
        ).window(request)
    }

    private func row(_ device: SessionStatus.Device, newest: Timestamp?) -> Row {
        Row(
            id: RowID(device.id.name),
            cells: [
                RowCell(device.name + (device.isOwn ? " (this device)" : ""), .device),
                RowCell(device.state, device.state == "ok" ? .plain : .problem),
                RowCell(String(device.rows), .number),
                RowCell(device.newest?.iso8601 ?? "", .timestamp, instant: device.newest),
                behind(device.newest, newest), RowCell(device.format ?? "", .dim),
                RowCell(problems(device).joined(separator: "; "), .problem),
            ], device: device.id)
    }

    /// Returns how far a device's newest row is behind `newest`, the newest row of all devices
    /// whose clocks are right.
    private func behind(_ last: Timestamp?, _ newest: Timestamp?) -> RowCell {
        guard let last, let newest else { return RowCell("", .dim, value: .json(.null)) }
        guard newest > last else { return RowCell("", .dim, value: .json(.integer(0))) }
        let seconds =
            newest.microseconds.subtractingReportingOverflow(last.microseconds).0 / 1_000_000
        return RowCell(
            Timestamp.age(ofSeconds: seconds.magnitude), .dim, value: .json(.integer(seconds)))
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let device = devices().first(where: { RowID($0.id.name) == row }) else { return nil }
        var lines = [
            Detail.Line("device id", device.id.name, .device),
            Detail.Line("state", device.state, device.state == "ok" ? .plain : .problem),
            Detail.Line("format", device.format ?? "none yet"),
        ]
        lines += Self.amounts(
            device.rows, device.keys, device.bytes, device.first, device.newest)
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
                            store.rows, store.keys, store.bytes, store.first, store.newest))
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
        _ rows: Int, _ keys: Int, _ bytes: Int64, _ first: Timestamp?, _ last: Timestamp?
    ) -> [Detail.Line] {
        var lines = [Detail.Line("rows", Counted.grouped(rows), .number)]
        if keys > 0 { lines.append(Detail.Line("keys", Counted.grouped(keys), .number)) }
        lines.append(Detail.Line("bytes", ByteCount.text(Int(clamping: bytes)), .number))
        if let first { lines.append(Detail.Line("first", first.fullText, .timestamp)) }
        if let last { lines.append(Detail.Line("last", last.fullText, .timestamp)) }
        return lines
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        let devices = devices()
        guard devices.count > 1, let device = devices.first(where: { RowID($0.id.name) == row })
        else { return nil }
        return keys?.seen(by: device, among: self.devices)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        [CopyForm("identifier", row.name)]
    }
}
