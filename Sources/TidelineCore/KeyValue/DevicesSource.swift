import KeyValueStore
import Replication

/// The devices of a package: how far each has come, and what is wrong with it.
final class DevicesSource: RowSource {
    let title = "Devices"
    let hasPast = false
    let columns = [
        Column("device", "DEVICE", minimumWidth: 10, isSortable: true),
        Column("state", "STATE", width: 10, isSortable: true),
        Column("rows", "ROWS", width: 10, alignment: .trailing, isSortable: true),
        Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
        Column("behind", "BEHIND", width: 8, alignment: .trailing),
        Column("format", "FORMAT", width: 10),
        Column("problem", "PROBLEM", minimumWidth: 8),
    ]
    let filterFields = [
        FilterField("device", .name, example: "device:ipad"),
        FilterField(
            "state", .choice(["ok", "incomplete", "unreadable", "absent"]), example: "state:ok"),
        FilterField("rows", .number, example: "rows>100"),
        FilterField("age", .age, example: "age>1d"),
        FilterField("behind", .age, example: "behind>1h"),
        FilterField(
            "format", .choice(["tideline-2", "parstore-1"]), example: "format:parstore-1"),
        FilterField("problem", example: "problem:*clock*"),
    ]
    private let context: KeyValueContext

    init(_ context: KeyValueContext) { self.context = context }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let devices = context.devices
        let newest = devices.compactMap(\.last).max()
        let rows = devices.map { row($0, newest: newest) }
        return try RowList(rows).arranged(
            RowQuery(filter: request.query.filter, sort: request.query.sort), columns: columns,
            fields: filterFields, now: context.store.configuration.clock.now
        ).window(request)
    }

    private func row(_ status: DeviceStatus, newest: Timestamp?) -> Row {
        Row(
            id: RowID(status.device.name),
            cells: [
                RowCell(status.name + (status.isOwn ? " (this one)" : ""), .device),
                RowCell(status.state.rawValue, status.state == .ok ? .plain : .problem),
                RowCell(String(status.rows), .number),
                RowCell(status.last?.iso8601 ?? "", .timestamp, instant: status.last),
                behind(status.last, newest),
                RowCell(status.format?.rawValue ?? "", .dim),
                RowCell(problems(status).joined(separator: "; "), .problem),
            ], device: status.device)
    }

    /// How long before the newest row of all devices this one's newest was written.
    private func behind(_ last: Timestamp?, _ newest: Timestamp?) -> RowCell {
        guard let last, let newest else { return RowCell("", .dim, value: .json(.null)) }
        guard newest > last else { return RowCell("", .dim, value: .json(.integer(0))) }
        let seconds =
            newest.microseconds.subtractingReportingOverflow(last.microseconds).0 / 1_000_000
        let text =
            switch seconds {
            case ..<60: "\(seconds) s"
            case ..<3600: "\(seconds / 60) min"
            case ..<86_400: "\(seconds / 3600) h"
            default: "\(seconds / 86_400) d"
            }
        return RowCell(text, .dim, value: .json(.integer(seconds)))
    }

    private func problems(_ status: DeviceStatus) -> [String] {
        var problems: [String] = []
        if let problem = status.problem { problems.append(problem) }
        if status.hasClockProblem { problems.append("its clock is more than a day ahead") }
        problems += status.findings.filter {
            status.problem?.contains($0.name) != true
        }.map { "\($0.name.debugDescription) is \($0.explanation)" }
        return problems
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let status = context.store.devices.first(where: { RowID($0.device.name) == row })
        else { return nil }
        var lines = [
            Detail.Line("identifier", status.device.name, .device),
            Detail.Line("state", status.state.rawValue, status.state == .ok ? .plain : .problem),
            Detail.Line("format", status.format?.rawValue ?? "none yet"),
            Detail.Line("rows", String(status.rows), .number),
            Detail.Line("keys", String(status.keys), .number),
            Detail.Line("bytes", PropertyList.size(Int(clamping: status.bytes)), .number),
        ]
        if let first = status.first {
            lines.append(Detail.Line("first", first.iso8601, .timestamp))
        }
        if let last = status.last { lines.append(Detail.Line("last", last.iso8601, .timestamp)) }
        var sections = [Detail.Section("Device", lines)]
        let problems = problems(status)
        if !problems.isEmpty {
            sections.append(
                Detail.Section("Problems", problems.map { Detail.Line("", $0, .problem) }))
        }
        return Detail(title: status.name, sections: sections)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        [CopyForm("identifier", row.name)]
    }
}
