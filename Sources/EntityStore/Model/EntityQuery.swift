public import Replication

/// A description of the entities to return, and in which order.
///
/// Entities must meet all conditions. Without an order, they are sorted by creation date, oldest
/// first, then by identifier. Every device returns the same order.
public struct EntityQuery: Hashable, Sendable {
    /// The types to return; `nil` returns all types.
    public var types: Set<Name>?
    /// The conditions that entities must meet.
    public var conditions: [EntityCondition]
    /// Words that the string properties of an entity must contain, ignoring case and accents. Each
    /// word matches the start of a word. An empty text matches every entity.
    public var text: String
    /// The sort order. If entities are equal by an element, the next element decides.
    public var order: [EntityOrder]
    /// The number of matches to skip; negative values count as 0.
    public var offset: Int
    /// The maximum number of entities to return; `nil` returns all.
    public var limit: Int?

    /// Creates a query. Arguments that you omit don't restrict it.
    public init(
        types: Set<Name>? = nil, where conditions: [EntityCondition] = [], text: String = "",
        order: [EntityOrder] = [], offset: Int = 0, limit: Int? = nil
    ) {
        self.types = types
        self.conditions = conditions
        self.text = text
        self.order = order
        self.offset = offset
        self.limit = limit
    }

    /// Creates a query for the entities of one type.
    public init(
        type: String, where conditions: [EntityCondition] = [], text: String = "",
        order: [EntityOrder] = [], offset: Int = 0, limit: Int? = nil
    ) {
        self.init(
            types: [Name(type)], where: conditions, text: text, order: order, offset: offset,
            limit: limit)
    }

    /// A query for all entities, oldest first.
    public static let all = EntityQuery()
}

/// A condition on a property, including the fixed properties.
///
/// A property may have several values; one match is enough. A negated condition holds if no value
/// matches.
public struct EntityCondition: Hashable, Sendable {
    /// A test of a value.
    public enum Test: Hashable, Sendable {
        /// Equals one of these values. Integers and doubles compare as numbers.
        case isIn([EntityValue])
        /// A string that contains this text, ignoring case and accents, or an array that contains
        /// it.
        case contains(String)
        /// A value of the same kind as the bounds, from the first to the second, both included. A
        /// bound of `nil` means no limit. Text is compared without case and accents.
        case between(EntityValue?, EntityValue?)
        /// Any value.
        case exists
    }

    /// The key of the property.
    @Name public var key: String
    /// The test for the property's values.
    public var test: Test
    /// Whether the condition holds if no value matches, including if there is no value.
    public var isNegated: Bool
    /// Whether only the newest value is tested and older values count as history.
    public var readsNewestOnly: Bool

    /// Creates a condition on the property `key`.
    public init(
        _ key: String, _ test: Test, isNegated: Bool = false, readsNewestOnly: Bool = false
    ) {
        self.key = key
        self.test = test
        self.isNegated = isNegated
        self.readsNewestOnly = readsNewestOnly
    }

    /// Returns the condition that one of the property's values equals `value`. Integers and doubles
    /// compare as numbers.
    public static func equal(_ key: String, _ value: EntityValue) -> Self {
        Self(key, .isIn([value]))
    }
    /// Returns the condition that one of the property's values is among `values`. Integers and
    /// doubles compare as numbers.
    public static func isIn(_ key: String, _ values: [EntityValue]) -> Self {
        Self(key, .isIn(values))
    }
    /// Returns the condition that one of the property's strings contains `text`, ignoring case and
    /// accents, or one of its arrays contains it.
    public static func contains(_ key: String, _ text: String) -> Self {
        Self(key, .contains(text))
    }
    /// Returns the condition that one of the property's values is between the bounds, inclusive. A
    /// bound of `nil` leaves that end open.
    public static func between(_ key: String, _ low: EntityValue?, _ high: EntityValue?) -> Self {
        Self(key, .between(low, high))
    }
    /// Returns the condition that the property has a value.
    public static func exists(_ key: String) -> Self { Self(key, .exists) }

    /// Returns the negated condition.
    public static prefix func ! (condition: Self) -> Self {
        var negated = condition
        negated.isNegated.toggle()
        return negated
    }
}

/// A sort order by one property. Entities without the property come last in either direction.
///
/// Numbers come before text. Text is compared by letters, ignoring case and accents.
public struct EntityOrder: Hashable, Sendable {
    /// The key of the property.
    @Name public var key: String
    /// Whether the greatest value comes first.
    public var isDescending: Bool

    /// Creates an order by the property `key`, ascending by default.
    public init(_ key: String, descending: Bool = false) {
        self.key = key
        self.isDescending = descending
    }
}
