import ArgumentParser
import CommandSupport
import KeyValueStore
import LosslessJSON
import Replication
import TidelineCore

struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the rows of all devices' logs, oldest first.",
        discussion: "Example: tideline log Notes.store --key note/1/title --json")
    @OptionGroup var store: PathArgument
    @Option(parsing: .unconditional, help: "Only rows of this device, by identifier or name.")
    var device: String?
    @Option(parsing: .unconditional, help: "Only rows of this key.") var key: String?
    @Option(parsing: .unconditional, help: "Only rows of keys with this prefix.")
    var prefix: String?
    @Option(
        parsing: .unconditional, help: TimeArgument.help("Only rows after a time"),
        transform: TimeArgument.parse)
    var since: TimeArgument?
    @Option(
        parsing: .unconditional, help: TimeArgument.help("Only rows up to a time"),
        transform: TimeArgument.parse)
    var until: TimeArgument?
    @Option(help: "The maximum number of rows.") var limit: Int?
    @OptionGroup var json: JSONFlag
    /// The maximum number of value bytes per batch.
    private static let bytesAtOnce = 16 << 20

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() async throws {
        let store = try await ModelOpener.reading(KeyValuePart.self, of: self.store.path)
        var filter = KeyValueStore.RowFilter(key: key, prefix: prefix, through: until?.timestamp)
        let device = try self.device.map { try self.store.device(named: $0) }
        if let device {
            guard store.devices.contains(where: { $0.device == device }) else {
                throw Failure(
                    .noSuchItem, "log of \(device)", "the store has no such device",
                    suggestion: (try? StoreKind.package(at: self.store.path))?.deviceList)
            }
            filter.devices = [device]
        }
        if let since {
            guard since.timestamp < .distantFuture else { return }
            filter.from = since.timestamp.successor
        }
        var left = limit ?? .max
        var start = KeyValueStore.PageStart.oldest
        while left > 0 {
            let page = try store.rows(
                filter, start, limit: min(left, 1000), byteLimit: Self.bytesAtOnce)
            // Stop reading a damaged log, because rows after the damage would hide that some rows
            // are missing.
            Warnings.report(unread: page.unread)
            if !page.unread.isEmpty {
                let devices = filter.devices ?? Set(store.devices.map(\.device))
                filter.devices = devices.subtracting(page.unread.keys)
            }
            let parents = json.json ? try store.parents(of: page.rows) : []
            for (index, row) in page.rows.enumerated() {
                print(row, parents.isEmpty ? [] : parents[index])
            }
            left -= page.rows.count
            guard page.hasMore, let last = page.rows.last else { break }
            start = .after(last.position)
        }
        guard let device else { return }
        let status = store.devices.first { $0.device == device }
        if filter.devices?.isEmpty ?? false || status?.state == .unreadable {
            throw Failure(
                .badData, "log of \(device)", status?.problem ?? "not fully readable")
        }
    }

    private func print(_ row: LogRow, _ parents: [LogRow.Parent]) {
        if json.json {
            var writer = JSONWriter()
            row.write(parents, to: &writer)
            Output.line(writer.text)
        } else {
            Output.text(
                Printable.line(
                    "\(row.timestamp.iso8601)  \(row.device)  \(row.key)  \(row.valueText)"))
        }
    }
}
