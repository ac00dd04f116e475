public import Replication

/// Which entities, in which order.
///
/// Conditions must all hold. Without an order entities come oldest first, and by identifier where
/// that is equal, so that every device lists alike.
public struct EntityQuery: Hashable, Sendable {
    /// Any of these types; `nil`: every type.
    public var types: Set<Name>?
    public var conditions: [EntityCondition]
    /// Words that the text of an entity's string properties must hold, each as the beginning of a
    /// word, whatever case and accents; empty: no such limit.
    public var text: String
    public var order: [EntityOrder]
    public var offset: Int
    /// The most entities to give; `nil`: all.
    public var limit: Int?

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

    public init(
        type: String, where conditions: [EntityCondition] = [], text: String = "",
        order: [EntityOrder] = [], offset: Int = 0, limit: Int? = nil
    ) {
        self.init(
            types: [Name(type)], where: conditions, text: text, order: order, offset: offset,
            limit: limit)
    }

    public static let all = EntityQuery()
}

/// A demand on a property. The fixed properties can be asked for like any other.
///
/// A property may have several values; one that passes is enough. A negated condition holds where
/// none of them passes.
public struct EntityCondition: Hashable, Sendable {
    public enum Test: Hashable, Sendable {
        /// One of these values. Integers and doubles are compared as numbers.
        case isIn([EntityValue])
        /// A string that holds this one, whatever case and accents; an array that holds it.
        case contains(String)
        /// A value of the bounds' kind between them, both included; `nil` is no bound. Text is
        /// compared without case and accents.
        case between(EntityValue?, EntityValue?)
        case exists
    }

    @Name public var key: String
    public var test: Test
    public var isNegated: Bool
    /// The test is made on the newest value alone, where the older ones are only its history.
    public var readsNewestOnly: Bool

    public init(
        _ key: String, _ test: Test, isNegated: Bool = false, readsNewestOnly: Bool = false
    ) {
        self.key = key
        self.test = test
        self.isNegated = isNegated
        self.readsNewestOnly = readsNewestOnly
    }

    public static func equal(_ key: String, _ value: EntityValue) -> Self {
        Self(key, .isIn([value]))
    }
    public static func isIn(_ key: String, _ values: [EntityValue]) -> Self {
        Self(key, .isIn(values))
    }
    public static func contains(_ key: String, _ text: String) -> Self {
        Self(key, .contains(text))
    }
    public static func between(_ key: String, _ low: EntityValue?, _ high: EntityValue?) -> Self {
        Self(key, .between(low, high))
    }
    public static func exists(_ key: String) -> Self { Self(key, .exists) }

    public static prefix func ! (condition: Self) -> Self {
        var negated = condition
        negated.isNegated.toggle()
        return negated
    }
}

/// An order by a property; entities without it come last, either way.
///
/// Numbers come before text, text goes by its letters whatever their case and accents.
public struct EntityOrder: Hashable, Sendable {
    @Name public var key: String
    public var isDescending: Bool

    public init(_ key: String, descending: Bool = false) {
        self.key = key
        self.isDescending = descending
    }
}
