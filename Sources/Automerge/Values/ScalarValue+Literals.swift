extension ScalarValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// Creates a ``String(_:)``.
    public init(stringLiteral value: Swift.String) { self = .String(value) }
    /// Creates an ``Int(_:)``.
    public init(integerLiteral value: Int64) { self = .Int(value) }
    /// Creates an ``F64(_:)``.
    public init(floatLiteral value: Double) { self = .F64(value) }
    /// Creates a ``Boolean(_:)``.
    public init(booleanLiteral value: Bool) { self = .Boolean(value) }
}
