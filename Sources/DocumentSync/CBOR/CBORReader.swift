extension CBORValue {
    /// The limits beyond which a value is rejected.
    public struct Limits: Sendable {
        /// The maximum nesting depth of arrays, maps and tags.
        public var depth = 32
        /// The maximum number of values at all depths, including keys. Each value takes about forty
        /// bytes of memory, even if it takes few bytes in the message.
        public var values = 65_536

        /// Creates the default limits.
        public init() {}
    }

    /// Reads one value that takes up all of `bytes`.
    ///
    /// All length forms are accepted, including indefinite lengths and numbers that are longer than
    /// necessary.
    ///
    /// - Throws: `CBORError` if the bytes are malformed or exceed `limits`.
    /// - Complexity: O(*n*) in the number of bytes. Memory is bounded by the number of bytes and by
    ///   `limits`.
    public init(_ bytes: [UInt8], limits: Limits = Limits()) throws(CBORError) {
        var reader = CBORReader(bytes[...], limits: limits)
        self = try reader.value(depth: 0)
        guard reader.isAtEnd else {
            throw CBORError(
                .trailingBytes, "bytes follow the value", at: reader.position)
        }
    }
}

/// A reader of values in sequence.
struct CBORReader {
    private let bytes: ArraySlice<UInt8>
    private let limits: CBORValue.Limits
    private(set) var position: Int
    private var valuesLeft: Int

    init(_ bytes: ArraySlice<UInt8>, limits: CBORValue.Limits) {
        self.bytes = bytes
        self.limits = limits
        position = bytes.startIndex
        valuesLeft = limits.values
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    /// The first byte of a value: three bits of kind, and five bits that describe the rest of the
    /// head.
    private struct Head {
        let kind: UInt8
        let detail: UInt8
        var isIndefinite: Bool { detail == 31 }
    }

    mutating func value(depth: Int) throws(CBORError) -> CBORValue {
        try value(of: try head(), depth: depth)
    }

    private mutating func value(of head: Head, depth: Int) throws(CBORError) -> CBORValue {
        let start = position - 1
        guard depth <= limits.depth, valuesLeft > 0 else {
            throw CBORError(
                .tooLarge,
                depth > limits.depth
                    ? "values are nested deeper than \(limits.depth)"
                    : "there are more than \(limits.values) values", at: start)
        }
        valuesLeft -= 1
        switch head.kind {
        case 0: return .unsigned(try argument(head))
        case 1: return .negative(try argument(head))
        case 2: return .bytes(try string(head))
        case 3:
            guard let text = String(validating: try string(head), as: UTF8.self) else {
                throw CBORError(.malformed, "a text is not UTF-8", at: start)
            }
            return .text(text)
        case 4: return .array(try items(head, depth: depth))
        case 5: return .map(try entries(head, depth: depth))
        case 6: return .tagged(try argument(head), try value(depth: depth + 1))
        default: return try simple(head)
        }
    }

    private mutating func head() throws(CBORError) -> Head {
        let byte = try self.byte()
        return Head(kind: byte >> 5, detail: byte & 31)
    }

    private mutating func byte() throws(CBORError) -> UInt8 {
        guard position < bytes.endIndex else {
            throw CBORError(.truncated, "the bytes end within a value", at: position)
        }
        position += 1
        return bytes[position - 1]
    }

    private mutating func number(byteCount: Int) throws(CBORError) -> UInt64 {
        var number: UInt64 = 0
        for _ in 0..<byteCount { number = number << 8 | UInt64(try byte()) }
        return number
    }

    private mutating func argument(_ head: Head) throws(CBORError) -> UInt64 {
        switch head.detail {
        case 0..<24: return UInt64(head.detail)
        case 24...27: return try number(byteCount: 1 << Int(head.detail - 24))
        default:
            throw CBORError(.malformed, "no value starts with that byte", at: position - 1)
        }
    }

    /// Returns a length. It is at most the number of remaining bytes, because each unit takes at
    /// least one byte.
    private mutating func length(_ head: Head, unit: Int) throws(CBORError) -> Int {
        let start = position - 1
        let length = try argument(head)
        guard length <= UInt64((bytes.endIndex - position) / unit) else {
            throw CBORError(.truncated, "a length exceeds the remaining bytes", at: start)
        }
        return Int(length)
    }

    /// Returns the bytes of a string, either a slice of the message or its joined pieces.
    private mutating func string(_ head: Head) throws(CBORError) -> ArraySlice<UInt8> {
        guard head.isIndefinite else {
            let count = try length(head, unit: 1)
            position += count
            return bytes[(position - count)..<position]
        }
        var whole: [UInt8] = []
        while let piece = try next() {
            guard piece.kind == head.kind, !piece.isIndefinite else {
                throw CBORError(
                    .malformed, "a string contains an item of another type", at: position - 1)
            }
            whole += try string(piece)
        }
        return whole[...]
    }

    /// Returns the head of the next item of a string, array or map with indefinite length, or `nil`
    /// at its end.
    private mutating func next() throws(CBORError) -> Head? {
        let head = try head()
        return head.kind == 7 && head.isIndefinite ? nil : head
    }

    private mutating func items(_ head: Head, depth: Int) throws(CBORError) -> [CBORValue] {
        var items: [CBORValue] = []
        if head.isIndefinite {
            while let next = try next() { items.append(try value(of: next, depth: depth + 1)) }
        } else {
            for _ in 0..<(try length(head, unit: 1)) {
                items.append(try value(depth: depth + 1))
            }
        }
        return items
    }

    private mutating func entries(
        _ head: Head, depth: Int
    ) throws(CBORError) -> [CBORValue.Entry] {
        var entries: [CBORValue.Entry] = []
        if head.isIndefinite {
            while let next = try next() {
                let key = try value(of: next, depth: depth + 1)
                entries.append(.init(key, try value(depth: depth + 1)))
            }
        } else {
            for _ in 0..<(try length(head, unit: 2)) {
                let key = try value(depth: depth + 1)
                entries.append(.init(key, try value(depth: depth + 1)))
            }
        }
        return entries
    }

    private mutating func simple(_ head: Head) throws(CBORError) -> CBORValue {
        switch head.detail {
        case 20: return .boolean(false)
        case 21: return .boolean(true)
        case 22: return .null
        case 23: return .undefined
        case 0..<20: return .simple(head.detail)
        case 24:
            let value = try byte()
            guard value >= 32 else {
                throw CBORError(
                    .malformed, "a simple value is longer than it needs to be", at: position - 1)
            }
            return .simple(value)
        case 25: return .float(Self.half(UInt16(try number(byteCount: 2))))
        case 26: return .float(Double(Float(bitPattern: UInt32(try number(byteCount: 4)))))
        case 27: return .float(Double(bitPattern: try number(byteCount: 8)))
        default:
            throw CBORError(.malformed, "no value starts with that byte", at: position - 1)
        }
    }

    /// Converts a half-precision number of 16 bits: one sign bit, five exponent bits and ten
    /// fraction bits.
    private static func half(_ bits: UInt16) -> Double {
        let exponent = Int(bits >> 10 & 31)
        let fraction = Double(bits & 1023)
        let magnitude: Double =
            switch exponent {
            case 0: fraction / 16_777_216
            case 31: fraction == 0 ? .infinity : .nan
            default:
                (1 + fraction / 1024) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
            }
        return bits >> 15 == 0 ? magnitude : -magnitude
    }
}
