/// A CBOR value (RFC 8949). It represents every well-formed value, as automerge-repo's protocol and
/// the data of ephemeral messages require.
public indirect enum CBORValue: Sendable {
    /// A whole number of at least 0.
    case unsigned(UInt64)
    /// The whole number −1 − *n*.
    case negative(UInt64)
    /// Bytes. For a decoded value, a slice of the message.
    case bytes(ArraySlice<UInt8>)
    case text(String)
    case array([CBORValue])
    /// Keys and values in their written order, including repeated keys.
    case map([Entry])
    case tagged(UInt64, CBORValue)
    case boolean(Bool)
    case null
    case undefined
    /// A floating-point number of any of the three lengths.
    case float(Double)
    /// A simple value without a standard meaning.
    case simple(UInt8)

    /// A key of a map and its value.
    public struct Entry: Sendable, Equatable {
        /// The key.
        public var key: CBORValue
        /// The value of the key.
        public var value: CBORValue

        /// Creates an entry of a map.
        public init(_ key: CBORValue, _ value: CBORValue) {
            self.key = key
            self.value = value
        }
    }
}

extension CBORValue: Equatable {
    /// Returns whether two values are identical. Texts are compared by their bytes, and numbers by
    /// their form and bits, so 1 and 1.0 differ, and a NaN equals itself.
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

// Accessors for the fields of a message, in all forms in which programs write them.
extension CBORValue {
    /// Returns the value of a key. If a key is repeated, the last value counts, as in most
    /// programs.
    func member(_ key: StaticString) -> CBORValue? {
        guard case .map(let entries) = self else { return nil }
        return key.withUTF8Buffer { key in
            entries.last { entry in
                guard case .text(let text) = entry.key else { return false }
                return text.utf8.elementsEqual(key)
            }?.value
        }
    }

    /// Whether the field can be treated as missing.
    var isAbsent: Bool {
        switch self {
        case .null, .undefined: true
        default: false
        }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The bytes of a byte string. It may be tagged as a JavaScript typed array (RFC 8746), as
    /// older versions of automerge-repo did.
    var byteString: ArraySlice<UInt8>? {
        switch self {
        case .bytes(let bytes), .tagged(64, .bytes(let bytes)): bytes
        default: nil
        }
    }

    /// A count. It may be a floating-point number, because JavaScript programs write counts of more
    /// than 32 bits in this form.
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
