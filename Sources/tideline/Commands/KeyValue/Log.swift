import ArgumentParser
import CommandSupport
import Foundation
import KeyValueStore
import LosslessJSON
import Replication
import TidelineCore

/// `tideline log`: every row that any device wrote.
struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the rows of all devices' logs, oldest first.",
        discussion: "Example: tideline log Notes.store --key note/1/title --json")
    @OptionGroup var store: PathArgument
    @Option(help: "Only rows of this device.") var device: String?
    @Option(parsing: .unconditional, help: "Only rows of this key.") var key: String?
    @Option(parsing: .unconditional, help: "Only rows of keys that begin with this.")
    var prefix: String?
    @Option(parsing: .unconditional, help: TimeArgument.help("Only rows later than an instant"))
    var since: TimeArgument?
    @Option(parsing: .unconditional, help: TimeArgument.help("Only rows up to an instant"))
    var until: TimeArgument?
    @Option(help: "At most this many rows.") var limit: Int?
    @OptionGroup var json: JSONFlag
    /// How many bytes of values are read together.
    private static let bytesAtOnce = 16 << 20

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit cannot be negative") }
    }

    func run() async throws {
        let store = try await Opened.reading(KeyValuePart.self, of: self.store.path)
        var filter = KeyValueStore.RowFilter(key: key, prefix: prefix, through: until?.timestamp)
        if let device { filter.devices = [try DeviceID(device)] }
        if let since {
            guard since.timestamp < .distantFuture else { return }
            filter.from = since.timestamp.successor
        }
        var left = limit ?? .max
        var start = KeyValueStore.PageStart.oldest
        while left > 0 {
            let page = try store.rows(
                filter, start, limit: min(left, 1000), byteLimit: Self.bytesAtOnce)
            // What is damaged is left out from here on: rows after it would hide that some lack.
            Warnings.tell(unread: page.unread)
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
        let status = store.devices.first { $0.device.name == device }
        if filter.devices?.isEmpty ?? false || status?.state == .unreadable {
            throw Failure(
                .badData, "log of \(device)", status?.problem ?? "not all of it can be read")
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

extension LogRow {
    /// The value as a person reads it.
    var valueText: String {
        if isLeftInLog { return "<… \(byteCount) bytes>" }
        return ((try? value()) ?? nil)?.description ?? (isDeletion ? "removed" : "?")
    }

    /// Writes the row in the contract's shape, members in the order of their names. `value` is `null`
    /// for a deletion, and for bytes that are no property list, and for a value too long to be listed,
    /// which `problem` then says.
    ///
    /// - Parameter parents: The rows that it names; where the log's form does not tell whose, their
    ///   `device` is `null`.
    func write(_ parents: [Parent], to writer: inout JSONWriter) {
        let content = Result { try value()?.json() }
        writer.object { writer in
            writer.key("bytes")
            writer.integer(byteCount)
            writer.key("date")
            writer.string(timestamp.iso8601)
            writer.key("deleted")
            writer.boolean(isDeletion)
            writer.key("device")
            writer.string(device.name)
            writer.key("id")
            writer.integer(id)
            writer.key("key")
            writer.string(key)
            writer.key("parent")
            if let parentTimestamp {
                writer.integer(parentTimestamp.microseconds)
            } else {
                writer.null()
            }
            writer.key("parents")
            writer.array { writer in
                for parent in parents { parent.write(to: &writer) }
            }
            if case .failure(let problem) = content {
                writer.key("problem")
                writer.string("\(problem)")
            }
            if !takesBack.isEmpty {
                writer.key("takesBack")
                writer.array { writer in
                    for row in takesBack { writer.integer(row.timestamp.microseconds) }
                }
            }
            writer.key("timestamp")
            writer.integer(timestamp.microseconds)
            writer.key("value")
            writer.verbatim((try? content.get()) ?? "null")
        }
    }
}

extension LogRow.Parent {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("device")
            if let device { writer.string(device.name) } else { writer.null() }
            writer.key("timestamp")
            writer.integer(timestamp.microseconds)
        }
    }
}
