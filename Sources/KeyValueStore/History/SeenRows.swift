public import Replication

extension KeyValueStore {
    /// The rows of the other devices that each device had provably seen.
    ///
    /// A row names the heads of its key that its writer had read (``LogRow/parents``), and logs are
    /// read from their start. So a device that names another device's row had also read all earlier
    /// rows of that log. The result is a lower bound: reading alone leaves no proof, and writing
    /// keys that no other device has written leaves none either.
    ///
    /// A row counts only if the device itself names it. A third device that names it proves
    /// nothing, even if that device's row was seen, because log files can arrive in any order.
    ///
    /// A PARStore 1 row names one timestamp without a device. If exactly one other device has a row
    /// of the key with this timestamp, the writer had seen that row. For PARStore 1 logs, the
    /// number of rows behind is approximate, because Core Data numbers the rows of one save in any
    /// order.
    public struct SeenRows: Sendable {
        /// The rows of one device that another device had provably seen.
        public struct Entry: Hashable, Sendable {
            /// The time of the last seen row in the log; `nil` if no row was provably seen. The row
            /// itself may be missing on this device.
            public let newest: Timestamp?
            /// The number of rows in the log after the last seen row. Rows that can't be read don't
            /// count.
            public let rowsBehind: Int
            /// The time from the last seen row to the last row of the log. Zero if the last row is
            /// older, and `nil` if no row was seen.
            public let timeBehind: Duration?
            /// The number of conflicts in which the log's device wrote a side that the other device
            /// had not seen.
            public let unseenConflictCount: Int
        }

        /// The devices, in byte order of their ids.
        public let devices: [DeviceID]
        /// The logs that could not be read, with the reasons. They prove nothing about other logs,
        /// and their rows don't count.
        public internal(set) var unread: [DeviceID: String] = [:]

        /// A row that a device had seen, with its place in the log.
        struct Known: Sendable {
            var timestamp: Int64
            /// The row's number. 0 if the row isn't in the log.
            var id: Int64
            var rowsBehind = 0
        }

        /// A side of a conflict.
        struct Side: Sendable {
            let key: String
            let timestamp: Int64
            var id: Int64 = .max
        }

        /// The results of reading the logs.
        var scans: [DeviceID: LogScan] = [:]
        /// The newest row that each device has seen of each other device. The first key is the
        /// device that wrote the row.
        var known: [DeviceID: [DeviceID: Known]] = [:]
        /// The sides of conflicts by device, from the end of each log to its start.
        var sides: [DeviceID: [Side]] = [:]
        var rowCounts: [DeviceID: Int] = [:]
        /// The time of the last row in each log.
        var last: [DeviceID: Int64] = [:]

        init(_ devices: [DeviceStatus]) {
            self.devices = devices.map(\.device).sorted()
            for status in devices {
                rowCounts[status.device] = status.rows
                last[status.device] = status.last?.microseconds
            }
        }

        /// Returns the rows of `other` that `device` had seen.
        ///
        /// - Complexity: O(log *n*) in the number of conflicts.
        public func entry(of device: DeviceID, about other: DeviceID) -> Entry {
            let unseen = unseenSides(of: other, by: device).count
            guard let known = known[other]?[device] else {
                return Entry(
                    newest: nil, rowsBehind: rowCounts[other] ?? 0, timeBehind: nil,
                    unseenConflictCount: unseen)
            }
            let behind = last[other].map {
                $0.subtractingReportingOverflow(known.timestamp).partialValue
            }
            return Entry(
                newest: Timestamp(microseconds: known.timestamp), rowsBehind: known.rowsBehind,
                timeBehind: .microseconds(max(0, behind ?? 0)), unseenConflictCount: unseen)
        }

        /// Returns the keys of the conflicts in which `other` wrote a side that `device` might not
        /// have seen. The keys are in byte order.
        ///
        /// - Complexity: O(*n* log *n*) in the number of keys returned.
        public func unseenConflicts(of other: DeviceID, by device: DeviceID) -> [String] {
            Set(unseenSides(of: other, by: device).map { Name($0.key) }).sorted().map(\.text)
        }

        private func unseenSides(of other: DeviceID, by device: DeviceID) -> ArraySlice<Side> {
            guard let sides = sides[other] else { return [] }
            guard let known = known[other]?[device] else { return sides[...] }
            return sides[..<sides.indices.firstPosition { sides[$0].id <= known.id }]
        }
    }
}
