/// A value of CBOR (RFC 8949), as far as automerge-repo's protocol and the data of its ephemeral
/// messages need it: everything that is well-formed.
public indirect enum CBORValue: Sendable {
    /// A whole number from 0.
    case unsigned(UInt64)
    /// The whole number −1 − *n*.
    case negative(UInt64)
    /// Bytes; a part of what was read where the value was read.
    case bytes(ArraySlice<UInt8>)
    case text(String)
    case array([CBORValue])
    /// Keys and values in the order in which they were written, repeated keys included.
    case map([Entry])
    case tagged(UInt64, CBORValue)
    case boolean(Bool)
    case null
    case undefined
    /// A floating-point number, whichever of the three lengths it had.
    case float(Double)
    /// A simple value that has no meaning of its own.
    case simple(UInt8)

    /// A key of a map with its value.
    public struct Entry: Sendable, Equatable {
        public var key: CBORValue
        public var value: CBORValue

        public init(_ key: CBORValue, _ value: CBORValue) {
            self.key = key
            self.value = value
        }
    }
}

extension CBORValue: Equatable {
    /// Whether both are the same value: a text by its bytes, a number by its form and bits, so that
    /// 1 and 1.0 differ, and a NaN equals itself.
    public static func == (first: Self, second: Self) -> Bool {
        switch (first, second) {
        case (.unsigned(let a), .unsigned(let b)), (.negative(let a), .negative(let b)): a == b
        case (.bytes(let a), .bytes(let b)): a == b
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.map(let a), .map(let b)): a == b
        case (.tagged(let a, let x), .tagged(let b, let y)): a == b && x == y
        case (.boolean(let a), .boolean(let b)): a == b
        case (.null, .null), (.undefined, .undefined): true
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.simple(let a), .simple(let b)): a == b
        default: false
        }
    }
}

// What a message's fields are made of, in every form in which programs write them.
extension CBORValue {
    /// The value of a map's key; of the last where there are several, as most programs have it.
    func member(_ key: StaticString) -> CBORValue? {
        guard case .map(let entries) = self else { return nil }
        return key.withUTF8Buffer { key in
            entries.last { entry in
                guard case .text(let text) = entry.key else { return false }
                return text.utf8.elementsEqual(key)
            }?.value
        }
    }

    /// Whether the field may as well be absent.
    var isAbsent: Bool {
        switch self {
        case .null, .undefined: true
        default: false
        }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// Bytes, also where they are marked as a typed array of JavaScript's (RFC 8746): older versions
    /// of automerge-repo wrote them so.
    var byteString: ArraySlice<UInt8>? {
        switch self {
        case .bytes(let bytes), .tagged(64, .bytes(let bytes)): bytes
        default: nil
        }
    }

    /// A count, also where it is written as a floating-point number, as JavaScript's programs write
    /// what exceeds 32 bits.
    var count: UInt64? {
        switch self {
        case .unsigned(let number): number
        case .float(let number): UInt64(exactly: number)
        default: nil
        }
    }

    var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    var elements: [CBORValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}
