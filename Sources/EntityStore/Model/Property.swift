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
    /// Who wrote it; of a side of a conflict that was put back, who wrote it first. Ignored when
    /// written.
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
    /// Names an entry: the device that wrote it and its row in that device's log.
    public struct ID: Hashable, Sendable {
        /// The device that wrote the entry.
        public let device: DeviceID
        /// The row's id in that device's log, from 1.
        public let row: Int64
    }

    public var id: ID
    /// The property that it is an entry of.
    @Name public var key: String
    /// The value with what is known about it.
    public var property: Property
    /// When it was written; the datestamp may be older, for what was imported.
    public var written: Timestamp
    /// Who wrote the value first: another than `id` says for a side of a conflict that was put back,
    /// because what ended the conflict was taken back.
    public var author: DeviceID
    /// When its author wrote it.
    public var authored: Timestamp
    /// It was removed, or its entity or target was deleted after it was written.
    public var isRemoved: Bool
    /// It is what the property reads as.
    public var isCurrent: Bool
}

/// The properties that every entity has. They are derived, and never stored as entries.
public enum FixedProperty: String, Sendable, CaseIterable {
    /// The text that names the entity on every device.
    case identifier
    /// What kind of entity it is, as its maker says.
    case type
    /// When the entity was made.
    case datestamp
    /// The newest datestamp of its properties, or its own when it has none. Where an original file
    /// holds an ordinary property of this name, that one is read.
    case modified

    var semanticType: String {
        switch self {
        case .identifier: "identifier"
        case .type: "entity"
        case .datestamp, .modified: "date"
        }
    }
}
