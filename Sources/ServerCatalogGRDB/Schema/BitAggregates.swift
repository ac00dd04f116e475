public import GRDB

/// `BIT_OR(x)`: the bits set in at least one of the integers; NULL is left out, and the result
/// of nothing else.
public struct BitOr: DatabaseAggregate {
    private var bits: Int64?

    public init() {}

    public mutating func step(_ values: [DatabaseValue]) {
        guard let value = values.first.flatMap(Int64.fromDatabaseValue) else { return }
        bits = (bits ?? 0) | value
    }

    public func finalize() -> (any DatabaseValueConvertible)? { bits }

    /// The aggregate for `Database.add(function:)`, to be called by the name `BIT_OR`.
    public static let function = DatabaseFunction(
        "BIT_OR", argumentCount: 1, pure: true, aggregate: BitOr.self)
}

/// `BIT_AND(x)`: the bits set in all of the integers; NULL is left out, and the result of
/// nothing else.
public struct BitAnd: DatabaseAggregate {
    private var bits: Int64?

    public init() {}

    public mutating func step(_ values: [DatabaseValue]) {
        guard let value = values.first.flatMap(Int64.fromDatabaseValue) else { return }
        bits = (bits ?? -1) & value
    }

    public func finalize() -> (any DatabaseValueConvertible)? { bits }

    /// The aggregate for `Database.add(function:)`, to be called by the name `BIT_AND`.
    public static let function = DatabaseFunction(
        "BIT_AND", argumentCount: 1, pure: true, aggregate: BitAnd.self)
}
