/// A fast check of binary property lists that doesn't decode them. The check covers the most common
/// lists: lone scalars, and short arrays and dictionaries of scalars.
struct PlainPlist {
    private let bytes: UnsafeRawBufferPointer
    private let trailer: BinaryPlistTrailer

    /// Returns whether ``BinaryPlistReader/decode(_:takesIdentifiers:)`` certainly accepts the
    /// bytes. If `false`, decode the bytes to find out.
    static func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let list = PlainPlist(bytes) else { return false }
        return list.isPlainRoot
    }

    /// The limits for a list that the check accepts. Larger lists might be too large when decoded.
    private static let mostElements = 16
    private static let mostBytes = 65_536

    private init?(_ bytes: UnsafeRawBufferPointer) {
        guard (42...Self.mostBytes).contains(bytes.count),
            bytes.loadUnaligned(as: UInt64.self).bigEndian == 0x6270_6C69_7374_3030,  // bplist00
            let trailer = BinaryPlistTrailer(bytes), trailer.offsetWidth <= 4,
            trailer.referenceWidth <= 4
        else { return nil }
        self.bytes = bytes
        self.trailer = trailer
    }

    private var isPlainRoot: Bool {
        guard let offset = offset(ofObject: trailer.root) else { return false }
        switch bytes[offset] >> 4 {
        case 0xA:
            guard let (length, start) = elements(at: offset, references: 1) else { return false }
            return (0..<length).allSatisfy { isScalar(element(start, $0)) }
        case 0xD:
            guard let (length, start) = elements(at: offset, references: 2) else { return false }
            for index in 0..<length {
                guard let key = key(start, index), isScalar(element(start, length + index)) else {
                    return false
                }
                for other in 0..<index where self.key(start, other)?.elementsEqual(key) ?? true {
                    return false
                }
            }
            return true
        default:
            return isScalar(offset)
        }
    }

    /// Reads a number of 1 to 4 bytes before the trailer.
    private func number(at offset: Int, width: Int) -> Int? {
        guard offset >= 8, offset + width <= trailer.start else { return nil }
        var number = 0
        for index in offset..<offset + width { number = number << 8 | Int(bytes[index]) }
        return number
    }

    private func offset(ofObject index: Int) -> Int? {
        let place = trailer.place(ofObject: index)
        guard let offset = number(at: place, width: trailer.offsetWidth), offset >= 8,
            offset < trailer.tableStart
        else { return nil }
        return offset
    }

    /// Returns the number of elements of a container, and the start of its references.
    private func elements(at offset: Int, references: Int) -> (length: Int, start: Int)? {
        let length = Int(bytes[offset] & 0x0F)
        guard length < min(0x0F, Self.mostElements),
            length * references * trailer.referenceWidth <= trailer.tableStart - (offset + 1)
        else { return nil }
        return (length, offset + 1)
    }

    /// Returns the offset of the object that a container references.
    private func element(_ start: Int, _ index: Int) -> Int? {
        guard
            let object = number(
                at: start + index * trailer.referenceWidth, width: trailer.referenceWidth),
            object < trailer.count
        else { return nil }
        return offset(ofObject: object)
    }

    private func key(_ start: Int, _ index: Int) -> UnsafeRawBufferPointer? {
        guard let offset = element(start, index), bytes[offset] >> 4 == 0x5, isScalar(offset)
        else { return nil }
        return content(at: offset, width: 1)
    }

    /// Returns the bytes of a string or data at `offset`.
    private func content(at offset: Int, width: Int) -> UnsafeRawBufferPointer? {
        var length = Int(bytes[offset] & 0x0F)
        var start = offset + 1
        if length == 0x0F {
            guard start < trailer.tableStart, bytes[start] >> 4 == 1, bytes[start] & 0x0F <= 2
            else {
                return nil
            }
            let lengthWidth = 1 << Int(bytes[start] & 0x0F)
            guard let given = number(at: start + 1, width: lengthWidth) else { return nil }
            length = given
            start += 1 + lengthWidth
        }
        guard start <= trailer.tableStart, length <= Self.mostBytes,
            length * width <= trailer.tableStart - start
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + length * width])
    }

    private func isScalar(_ offset: Int?) -> Bool {
        guard let offset else { return false }
        let low = Int(bytes[offset] & 0x0F)
        switch bytes[offset] >> 4 {
        case 0x0: return low == 8 || low == 9
        case 0x1: return low <= 3 && offset + 1 + (1 << low) <= trailer.start
        case 0x2: return (low == 2 || low == 3) && offset + 1 + (1 << low) <= trailer.start
        case 0x3: return low == 3 && offset + 9 <= trailer.start
        case 0x4: return content(at: offset, width: 1) != nil
        case 0x5: return content(at: offset, width: 1).map(Self.isASCII) ?? false
        case 0x6: return content(at: offset, width: 2) != nil
        default: return false
        }
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        var bits: UInt64 = 0
        while index + 8 <= bytes.count {
            bits |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bits |= UInt64(bytes[index])
            index += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}
