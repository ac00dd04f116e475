extension ScalarValue: ExpressibleByStringLiteral {
    /// Creates a ``String(_:)``.
    public init(stringLiteral value: Swift.String) { self = .String(value) }
}

extension ScalarValue: ExpressibleByIntegerLiteral {
    /// Creates an ``Int(_:)``.
    public init(integerLiteral value: Int64) { self = .Int(value) }
}

extension ScalarValue: ExpressibleByFloatLiteral {
    /// Creates an ``F64(_:)``.
    public init(floatLiteral value: Double) { self = .F64(value) }
}

extension ScalarValue: ExpressibleByBooleanLiteral {
    /// Creates a ``Boolean(_:)``.
    public init(booleanLiteral value: Bool) { self = .Boolean(value) }
}
