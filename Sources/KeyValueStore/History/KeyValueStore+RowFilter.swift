public import Replication

extension KeyValueStore {
    /// A filter for rows of the logs.
    public struct RowFilter: Hashable, Sendable {
        /// Only rows of these devices; `nil` for all.
        public var devices: Set<DeviceID>?
        /// Only rows of this key; `nil` for all keys.
        public var key: String?
        /// Only rows of keys with this prefix (case-sensitive); `nil` for all keys.
        public var prefix: String?
        /// The first timestamp, inclusive; `nil` for no bound.
        public var from: Timestamp?
        /// The last timestamp, inclusive; `nil` for no bound.
        public var through: Timestamp?
        /// The maximum length of values to load, in bytes; `nil` for the configured maximum.
        public var longestValue: Int?

        /// Creates a filter for rows that match all given criteria.
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

    /// The position of a row in the order of all rows: by timestamp, then device, then number.
    public struct RowPosition: Hashable, Comparable, Sendable {
        /// The row's timestamp, which is compared first.
        public let timestamp: Timestamp
        /// The row's device, which is compared if timestamps are equal.
        public let device: DeviceID
        /// The row's number in its log, which is compared last.
        public let id: Int64

        /// Creates a position, whether or not a row has it.
        public init(timestamp: Timestamp, device: DeviceID, id: Int64) {
            self.timestamp = timestamp
            self.device = device
            self.id = id
        }

        /// Returns whether `lhs` comes before `rhs`: by timestamp, then device, then number.
        public static func < (lhs: Self, rhs: Self) -> Bool {
            if lhs.timestamp != rhs.timestamp { return lhs.timestamp < rhs.timestamp }
            return lhs.device != rhs.device ? lhs.device < rhs.device : lhs.id < rhs.id
        }
    }

    /// The start and direction of a page of rows.
    public enum PageStart: Hashable, Sendable {
        /// The oldest rows.
        case oldest
        /// The newest rows.
        case newest
        /// The rows that follow a position in time.
        case after(RowPosition)
        /// The rows that precede a position in time.
        case before(RowPosition)
    }

    /// A page of rows of all logs.
    public struct RowPage: Sendable {
        /// The rows, oldest first, regardless of the page's direction.
        public var rows: [LogRow]
        /// Whether there are more rows in the page's direction.
        public var hasMore: Bool
        /// The devices whose logs could not be read, with the reasons. Their rows are missing.
        public var unread: [DeviceID: String]
    }
}

extension LogRow {
    /// The row's position in the order of all rows.
    public var position: KeyValueStore.RowPosition {
        KeyValueStore.RowPosition(timestamp: timestamp, device: device, id: id)
    }
}
