import Foundation
package import Replication

extension KeyValueStore {
    /// Copies all rows of the given keys into another package, with their causal parents, times and
    /// order.
    ///
    /// The rows keep their order in each log, but get new numbers.
    ///
    /// - Parameters:
    ///   - keys: The keys. Keys without rows are ignored.
    ///   - output: A package without rows of these keys.
    ///   - redaction: The stand-ins for devices, keys and values; `nil` to keep the originals.
    /// - Returns: The number of rows.
    /// - Throws: `ReplicationError`, `.unreadable`, if a log can't be read.
    /// - Complexity: The rows are held in memory. If there are only a few keys, each key is looked
    ///   up in the logs of the devices that wrote it. Otherwise, all rows are read once.
    package func copyRows(
        ofKeys keys: Set<Name>, to output: StorePackage, redaction: Redaction? = nil
    ) throws -> Int {
        guard !keys.isEmpty else { return 0 }
        try failIfUnread(unreadLogs)
        let copy = try KeyValueStore.loaded(output)
        var count = 0
        for (device, log) in try logs(ofKeys: keys).sorted(by: { $0.key < $1.key }) {
            let format = devices.first { $0.device == device }?.format
            let template = format == .parstore1 ? try template(of: device) : nil
            let rows = try redaction.map { try log.rows.map($0.row) } ?? log.rows
            let forks = redaction.map { redaction in
                Set(log.forks.map { Name(redaction.text($0.text)) })
            }
            let owner = try redaction?.device(device) ?? device
            count +=
                try copy.files?.onQueue {
                    try copy.insert(
                        rows, into: owner, template: template, forks: forks ?? log.forks)
                } ?? 0
        }
        try copy.close()
        return count
    }

    /// The problems of the logs that can't be read. They may have rows of any key.
    package var unreadLogs: [DeviceID: String] {
        Dictionary(
            keepingFirst: devices.compactMap { status in
                status.unreadProblem.map { (status.device, $0) }
            })
    }

    /// The rows of the copied keys in one log.
    private struct LogPart {
        /// The rows, in the order of the log.
        var rows: [LogRow] = []
        /// The keys whose rows are not a chain.
        var forks: Set<Name> = []
    }

    private func logs(ofKeys keys: Set<Name>) throws -> [DeviceID: LogPart] {
        let mostLookUps = 256
        let filters =
            keys.count <= mostLookUps
            ? keys.sorted().map { RowFilter(key: $0.text) } : [RowFilter()]
        saveBeforeReading()
        var found: [DeviceID: LogPart] = [:]
        for filter in filters {
            let devices = filter.key.map { Set(writers(of: [$0]).keys) }
            try failIfUnread(
                forEachLog(devices, longest: .max) { reader in
                    var part = LogPart()
                    try reader.forEach(reader.condition(filter), "") { row in
                        if keys.contains(Name(row.key)) { part.rows.append(row) }
                        return true
                    }
                    let forks = try ForkTable([.fork], in: reader.database)
                    for key in Set(part.rows.map { Name($0.key) }) {
                        if try forks?.contains(Array(key.text.utf8)) ?? false {
                            part.forks.insert(key)
                        }
                    }
                    return part
                } merge: { part in
                    guard let device = part.rows.first?.device else { return }
                    found[device, default: LogPart()].rows += part.rows
                    found[device]?.forks.formUnion(part.forks)
                })
        }
        return found.mapValues { part in
            LogPart(rows: part.rows.sorted { $0.id < $1.id }, forks: part.forks)
        }
    }
}

extension Redaction {
    /// Returns a row with stand-ins.
    fileprivate func row(_ row: LogRow) throws -> LogRow {
        func reference(_ row: LogRow.Reference) throws -> LogRow.Reference {
            LogRow.Reference(device: try device(row.device), timestamp: row.timestamp)
        }
        return LogRow(
            device: try device(row.device), id: row.id, timestamp: row.timestamp,
            key: text(row.key), bytes: try row.bytes.map(value),
            parentTimestamp: row.parentTimestamp, parents: try row.parents?.map(reference),
            reverts: try row.reverts.map(reference))
    }

    /// Returns the stand-in for a binary property list. Other bytes are replaced by random ones.
    private func value(_ bytes: Data) throws -> Data {
        guard let value = try? PropertyList(binary: bytes) else { return data(bytes) }
        return Data(try self.value(value).binary())
    }
}
