public import Replication

extension KeyValueStore {
    /// Which rows of the logs are asked for.
    public struct RowFilter: Hashable, Sendable {
        /// Only rows of these devices; `nil` for all.
        public var devices: Set<DeviceID>?
        /// Only rows of this key.
        public var key: String?
        /// Only rows of keys that begin with this; case counts.
        public var prefix: String?
        /// The first timestamp, itself included; `nil` for no bound.
        public var from: Timestamp?
        /// The last timestamp, itself included; `nil` for no bound.
        public var through: Timestamp?
        /// Values of more bytes are left in their logs; `nil`: as configured.
        public var longestValue: Int?

        /// A filter that lets a row through if it fulfils all that is given.
        public init(
            devices: Set<DeviceID>? = nil, key: String? = nil, prefix: String? = nil,
            from: Timestamp? = nil, through: Timestamp? = nil, longestValue: Int? = nil
        ) {
            self.devices = devices
            self.key = key
            self.prefix = prefix
            self.from = from
            self.through = through
            self.longestValue = longestValue
        }
    }

    /// Where a row stands in the order of all rows: by timestamp, then device, then number.
    public struct RowPosition: Hashable, Comparable, Sendable {
        /// The row's timestamp, which counts first.
        public let timestamp: Timestamp
        /// The row's device, which counts among rows of one timestamp.
        public let device: DeviceID
        /// The row's number in its log, which counts among rows of one device with one timestamp.
        public let id: Int64

        /// The position of such a row, whether there is one or not.
        public init(timestamp: Timestamp, device: DeviceID, id: Int64) {
            self.timestamp = timestamp
            self.device = device
            self.id = id
        }

        /// Whether `lhs` comes before `rhs`: by timestamp, then device, then number.
        public static func < (lhs: Self, rhs: Self) -> Bool {
            if lhs.timestamp != rhs.timestamp { return lhs.timestamp < rhs.timestamp }
            return lhs.device != rhs.device ? lhs.device < rhs.device : lhs.id < rhs.id
        }
    }

    /// Where a page of rows begins, and which way it goes.
    public enum PageStart: Hashable, Sendable {
        /// The oldest rows.
        case oldest
        /// The newest rows.
        case newest
        /// The rows that follow, in time.
        case after(RowPosition)
        /// The rows that come before, in time.
        case before(RowPosition)
    }

    /// Some rows of all logs.
    public struct RowPage: Sendable {
        /// Oldest first, whichever way the page goes.
        public var rows: [LogRow]
        /// Whether there are more rows that way.
        public var hasMore: Bool
        /// Devices whose logs could not be read, and why; their rows are missing here.
        public var unread: [DeviceID: String]
    }
}

extension LogRow {
    /// Where the row stands in the order of all rows.
    public var position: KeyValueStore.RowPosition {
        KeyValueStore.RowPosition(timestamp: timestamp, device: device, id: id)
    }
}
