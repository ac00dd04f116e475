/// The value of a key or an index: an object or a scalar.
public enum Value: Hashable, Sendable {
    /// An object, with its identity and type.
    case Object(ObjId, ObjType)
    /// A scalar.
    case Scalar(ScalarValue)
}

extension Value: CustomDebugStringConvertible {
    public var debugDescription: String {
        switch self {
        case .Object(let id, let type): "Object<\(id.debugDescription), \(type)>"
        case .Scalar(let value): "ScalarValue<\(value)>"
        }
    }
}
