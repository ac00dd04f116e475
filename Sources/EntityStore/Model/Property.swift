public import Replication

/// A value of a property with what is known about it.
public struct Property: Hashable, Sendable {
    /// The value.
    public var value: EntityValue
    /// The semantic type: what the value means, such as `email`. It is the kind's own name when
    /// the writer gave none.
    @Name public var type: String
    /// When the value came to be. To be written: `nil` means now.
    public var datestamp: Timestamp?
    /// The device that wrote it first, also if a side of a conflict was restored later. Ignored
    /// when writing.
    public var device: DeviceID?

    /// A value to be written.
    ///
    /// - Parameters:
    ///   - type: What the value means, such as `email`; `nil` for the name of its kind.
    ///   - datestamp: When it came to be; `nil` for when it is written.
    public init(
        _ value: EntityValue, type: String? = nil, datestamp: Timestamp? = nil,
        device: DeviceID? = nil
    ) {
        self.value = value
        self.type = type ?? value.kind.name
        self.datestamp = datestamp
        self.device = device
    }

    /// Whether the semantic type says no more than the kind does.
    public var hasDefaultType: Bool { type == value.kind.name }
}

/// One of the entries that a property of an entity has or had.
public struct PropertyEntry: Hashable, Sendable {
    /// Identifies an entry by the device that wrote it and its row in that device's log.
    public struct ID: Hashable, Sendable {
        /// The device that wrote the entry.
        public let device: DeviceID
        /// The row's id in that device's log, from 1.
        public let row: Int64
    }

    public var id: ID
    /// The key of the property.
    @Name public var key: String
    /// The value with what is known about it.
    public var property: Property
    /// When it was written; the datestamp may be older, for what was imported.
    public var written: Timestamp
    /// The device that wrote the value first. It differs from the device in `id` if undoing a
    /// resolution restored a side of the conflict.
    public var author: DeviceID
    /// When its author wrote it.
    public var authored: Timestamp
    /// Whether it was removed, or its entity or target was deleted after it was written.
    public var isRemoved: Bool
    /// Whether it is the current value of the property.
    public var isCurrent: Bool
}

/// The properties that every entity has. They are derived and never stored as entries.
public enum FixedProperty: String, Sendable, CaseIterable {
    /// The text that identifies the entity on every device.
    case identifier
    /// The type of the entity, as set by its creator.
    case type
    /// The creation date of the entity.
    case datestamp
    /// The newest datestamp of its properties, or its own if it has none. If an original file has
    /// an ordinary property of this name, that property is read instead.
    case modified

    var semanticType: String {
        switch self {
        case .identifier: "identifier"
        case .type: "entity"
        case .datestamp, .modified: "date"
        }
    }
}
