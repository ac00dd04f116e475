/// A check for well-formed UTF-8: shortest forms only, no surrogates, and nothing beyond U+10FFFF.
enum UTF8Check {
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            let first = bytes[index]
            if first < 0x80 {
                index += 1
                continue
            }
            let length: Int
            var low: UInt8 = 0x80
            var high: UInt8 = 0xbf
            switch first {
            case 0xc2...0xdf: length = 2
            case 0xe0:
                length = 3
                low = 0xa0
            case 0xed:
                length = 3
                high = 0x9f
            case 0xe1...0xef: length = 3
            case 0xf0:
                length = 4
                low = 0x90
            case 0xf1...0xf3: length = 4
            case 0xf4:
                length = 4
                high = 0x8f
            default: return false
            }
            guard index + length <= count, bytes[index + 1] >= low, bytes[index + 1] <= high else {
                return false
            }
            for offset in 2..<Swift.max(length, 2) where bytes[index + offset] & 0xc0 != 0x80 {
                return false
            }
            index += length
        }
        return true
    }
}

/// Checks of single operations, made before they are applied.
enum OperationCheck {
    /// Checks that the bytes of a value match its type.
    static func value(
        meta: UInt64, bytes: UnsafeBufferPointer<UInt8>, action: UInt64
    ) throws(FormatError) {
        switch UInt32(meta & 15) {
        case ValueType.null, ValueType.no, ValueType.yes:
            guard bytes.isEmpty else {
                throw FormatError(.badValue, "a null or boolean value has bytes")
            }
        case ValueType.string:
            if bytes.count == 1, bytes[0] < 0x80 { break }
            guard UTF8Check.isValid(bytes) else {
                throw FormatError(.badValue, "a string is not UTF-8")
            }
        case ValueType.unsigned:
            var reader = ByteReader(bytes)
            _ = try reader.strictUnsigned()
            guard reader.isAtEnd else { throw trailing }
        case ValueType.signed, ValueType.counter, ValueType.timestamp:
            var reader = ByteReader(bytes)
            _ = try reader.strictSigned()
            guard reader.isAtEnd else { throw trailing }
        case ValueType.double:
            guard bytes.count == 8 else {
                throw FormatError(.badValue, "a floating-point value is not eight bytes long")
            }
        default: break
        }
        if action == UInt64(Action.increment) {
            let type = UInt32(meta & 15)
            guard type == ValueType.signed || type == ValueType.unsigned else {
                throw FormatError(.badValue, "an increment is not a whole number")
            }
        } else if Action.makesObject(UInt8(truncatingIfNeeded: action)), action < 8 {
            guard meta == 0 else {
                throw FormatError(.badValue, "an operation that creates an object has a value")
            }
        }
    }

    private static let trailing = FormatError(.badValue, "a number is followed by extra bytes")

    /// Returns the action as a byte.
    static func action(_ number: UInt64) throws(FormatError) -> UInt8 {
        guard let action = UInt8(exactly: number) else {
            throw FormatError(.tooLarge, "an action has a number above 255")
        }
        return action
    }
}
