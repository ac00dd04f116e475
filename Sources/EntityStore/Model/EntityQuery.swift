public import Replication

/// Which entities, in which order.
///
/// Conditions must all hold. Without an order entities come oldest first, and by identifier where
/// that is equal, so that every device lists alike.
public struct EntityQuery: Hashable, Sendable {
    /// Any of these types; `nil`: every type.
    public var types: Set<Name>?
    /// What the entities must fulfil, all of it.
    public var conditions: [EntityCondition]
    /// Words that the text of an entity's string properties must hold, each as the beginning of a
    /// word, whatever case and accents; empty: no such limit.
    public var text: String
    /// What they are ordered by: the first counts most, the next decides between equals.
    public var order: [EntityOrder]
    /// How many to pass over at the beginning; negative counts as 0.
    public var offset: Int
    /// The most entities to give; `nil`: all.
    public var limit: Int?

    /// A query; what is not given does not limit it.
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

    /// A query for the entities of one type.
    public init(
        type: String, where conditions: [EntityCondition] = [], text: String = "",
        order: [EntityOrder] = [], offset: Int = 0, limit: Int? = nil
    ) {
        self.init(
            types: [Name(type)], where: conditions, text: text, order: order, offset: offset,
            limit: limit)
    }

    /// Every entity, oldest first.
    public static let all = EntityQuery()
}

/// A demand on a property. The fixed properties can be asked for like any other.
///
/// A property may have several values; one that passes is enough. A negated condition holds where
/// none of them passes.
public struct EntityCondition: Hashable, Sendable {
    /// What a value is tested for.
    public enum Test: Hashable, Sendable {
        /// One of these values. Integers and doubles are compared as numbers.
        case isIn([EntityValue])
        /// A string that holds this one, whatever case and accents; an array that holds it.
        case contains(String)
        /// A value of the bounds' kind between them, both included; `nil` is no bound. Text is
        /// compared without case and accents.
        case between(EntityValue?, EntityValue?)
        /// Any value.
        case exists
    }

    /// The property, a fixed one included.
    @Name public var key: String
    /// What its values are tested for.
    public var test: Test
    /// Whether the condition holds where no value passes, also where there is none.
    public var isNegated: Bool
    /// The test is made on the newest value alone, where the older ones are only its history.
    public var readsNewestOnly: Bool

    /// A condition on the property `key`.
    public init(
        _ key: String, _ test: Test, isNegated: Bool = false, readsNewestOnly: Bool = false
    ) {
        self.key = key
        self.test = test
        self.isNegated = isNegated
        self.readsNewestOnly = readsNewestOnly
    }

    /// One of the property's values is `value`. Integers and doubles are compared as numbers.
    public static func equal(_ key: String, _ value: EntityValue) -> Self {
        Self(key, .isIn([value]))
    }
    /// One of the property's values is among `values`. Integers and doubles are compared as
    /// numbers.
    public static func isIn(_ key: String, _ values: [EntityValue]) -> Self {
        Self(key, .isIn(values))
    }
    /// One of the property's strings holds `text`, whatever case and accents, or one of its arrays
    /// does.
    public static func contains(_ key: String, _ text: String) -> Self {
        Self(key, .contains(text))
    }
    /// One of the property's values lies between the bounds, both included; `nil` is no bound.
    public static func between(_ key: String, _ low: EntityValue?, _ high: EntityValue?) -> Self {
        Self(key, .between(low, high))
    }
    /// The property has a value.
    public static func exists(_ key: String) -> Self { Self(key, .exists) }

    /// The same condition, the other way round.
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
    /// The property, a fixed one included.
    @Name public var key: String
    /// Whether the greatest comes first.
    public var isDescending: Bool

    /// The order by the property `key`, smallest first unless it is to be descending.
    public init(_ key: String, descending: Bool = false) {
        self.key = key
        self.isDescending = descending
    }
}
