extension ScalarValue: ExpressibleByStringLiteral {
    /// A ``String(_:)``.
    public init(stringLiteral value: Swift.String) { self = .String(value) }
}

extension ScalarValue: ExpressibleByIntegerLiteral {
    /// An ``Int(_:)``.
    public init(integerLiteral value: Int64) { self = .Int(value) }
}

extension ScalarValue: ExpressibleByFloatLiteral {
    /// An ``F64(_:)``.
    public init(floatLiteral value: Double) { self = .F64(value) }
}

extension ScalarValue: ExpressibleByBooleanLiteral {
    /// A ``Boolean(_:)``.
    public init(booleanLiteral value: Bool) { self = .Boolean(value) }
}
