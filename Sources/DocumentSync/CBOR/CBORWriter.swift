/// A writer of values in the form that all programs based on automerge-repo can read: definite
/// lengths, untagged bytes, and lengths and numbers as short as possible.
struct CBORWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    private mutating func head(_ kind: UInt8, _ argument: UInt64) {
        func append(_ detail: UInt8, _ count: Int) {
            bytes.append(kind << 5 | detail)
            for index in (0..<count).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: argument >> UInt64(8 * index)))
            }
        }
        switch argument {
        case 0..<24: bytes.append(kind << 5 | UInt8(argument))
        case ..<0x100: append(24, 1)
        case ..<0x1_0000: append(25, 2)
        case ..<0x1_0000_0000: append(26, 4)
        default: append(27, 8)
        }
    }

    /// Writes the head of a map. Its keys and values follow.
    mutating func map(count: Int) { head(5, UInt64(count)) }
    /// Writes the head of an array. Its elements follow.
    mutating func array(count: Int) { head(4, UInt64(count)) }

    mutating func text(_ text: String) {
        head(3, UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func byteString(_ string: some Collection<UInt8>) {
        head(2, UInt64(string.count))
        bytes.append(contentsOf: string)
    }

    mutating func boolean(_ value: Bool) { bytes.append(value ? 0xf5 : 0xf4) }

    mutating func float(_ number: Double) {
        bytes.append(0xfb)
        for index in (0..<8).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(8 * index)))
        }
    }

    /// Writes a count. A count of more than 32 bits is written as a floating-point number, because
    /// JavaScript programs would read the integer as a BigInt instead of a number.
    mutating func count(_ number: UInt64) {
        if number <= UInt64(UInt32.max) { head(0, number) } else { float(Double(number)) }
    }

    mutating func value(_ value: CBORValue) {
        switch value {
        case .unsigned(let number): head(0, number)
        case .negative(let number): head(1, number)
        case .bytes(let string): byteString(string)
        case .text(let string): text(string)
        case .array(let elements):
            array(count: elements.count)
            for element in elements { self.value(element) }
        case .map(let entries):
            map(count: entries.count)
            for entry in entries {
                self.value(entry.key)
                self.value(entry.value)
            }
        case .tagged(let tag, let content):
            head(6, tag)
            self.value(content)
        case .boolean(let flag): boolean(flag)
        case .null: bytes.append(0xf6)
        case .undefined: bytes.append(0xf7)
        case .float(let number): float(number)
        case .simple(let number):
            // Simple values below 20 fit into the head. The numbers 20 to 23 encode `false`,
            // `true`, `null` and `undefined`. RFC 8949 doesn't allow the numbers 24 to 31.
            if number >= 24 {
                bytes.append(contentsOf: [0xf8, number])
            } else {
                bytes.append(0xe0 | number)
            }
        }
    }
}

extension CBORValue {
    /// The encoded value: definite lengths, numbers as short as possible, and floating-point
    /// numbers in double precision.
    public var encoded: [UInt8] {
        var writer = CBORWriter()
        writer.value(self)
        return writer.bytes
    }
}
