public import Replication

/// A value of a property, with metadata.
public struct Property: Hashable, Sendable {
    /// The value.
    public var value: EntityValue
    /// The semantic type, such as `email`. If the writer didn't specify it, this is the name of the
    /// value's kind.
    @Name public var type: String
    /// The time when the value was created. When writing, `nil` means the current time.
    public var datestamp: Timestamp?
    /// The device that first wrote the value. Restoring the value later as a side of a conflict
    /// doesn't change it. Ignored when writing.
    public var device: DeviceID?

    /// Creates a value to be written.
    ///
    /// - Parameters:
    ///   - type: The semantic type, such as `email`; `nil` for the name of the value's kind.
    ///   - datestamp: The time when the value was created; `nil` for the time of writing.
    public init(
        _ value: EntityValue, type: String? = nil, datestamp: Timestamp? = nil,
        device: DeviceID? = nil
    ) {
        self.value = value
        self.type = type ?? value.kind.name
        self.datestamp = datestamp
        self.device = device
    }

    /// Whether the semantic type is the name of the value's kind.
    public var hasDefaultType: Bool { type == value.kind.name }
}

/// One of the entries that a property of an entity has or had.
public struct PropertyEntry: Hashable, Sendable {
    /// The identifier of an entry: the device that wrote it, and the row in that device's log.
    public struct ID: Hashable, Sendable, Codable {
        /// The device that wrote the entry.
        public let device: DeviceID
        /// The row's id in that device's log, from 1.
        public let row: Int64
    }

    public var id: ID
    /// The key of the property.
    @Name public var key: String
    /// The value, with metadata.
    public var property: Property
    /// The value.
    public var value: EntityValue { property.value }
    /// The time of writing. Imported values can have an older datestamp.
    public var written: Timestamp
    /// The device that wrote the value first. It differs from the device in `id` if undoing a
    /// resolution restored a side of the conflict.
    public var author: DeviceID
    /// The time when the author wrote the value.
    public var authored: Timestamp
    /// Whether the entry was removed, or its entity or target was deleted later.
    public var isRemoved: Bool
    /// Whether the entry has the current value of the property.
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
    /// The newest datestamp of the entity's properties, or the entity's own datestamp if it has no
    /// properties. If a file of the original Datastore has an ordinary property of this name, that
    /// property is read instead.
    case modified

    var semanticType: String {
        switch self {
        case .identifier: "identifier"
        case .type: "entity"
        case .datestamp, .modified: "date"
        }
    }
}
