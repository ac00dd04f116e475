import Foundation
import Replication

/// A reader of binary property lists, version 1 ("bplist00").
///
///     "bplist00" | objects … | offset of each object | trailer, 32 bytes:
///     5 unused, 1 sort version, 1 bytes per offset, 1 bytes per reference,
///     8 number of objects, 8 index of the root, 8 start of the offsets   (all big-endian)
///
/// An object is a marker byte (kind in the upper half, size in the lower), followed by its content.
/// No input is trusted: each read is bounds-checked, and decoded objects are cached, so an object
/// that is shared is decoded once. A list that would expand far beyond its bytes is refused.
struct BinaryPlistReader {
    private let bytes: UnsafeRawBufferPointer
    private let trailer: BinaryPlistTrailer
    /// The decoded value of each object, with its size when all its references are expanded. The
    /// array is empty if the list consists of one scalar.
    private var decoded: [(value: PropertyList, weight: Int)?] = []
    private let weightLimit: Int
    /// Whether to accept the object references of keyed archives.
    private var takesIdentifiers = false

    /// Decodes a list.
    ///
    /// - Parameter takesIdentifiers: Whether the list may be a keyed archive. A reference to an
    ///   object becomes a dictionary with a single member `CF$UID`, as in XML.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, takesIdentifiers: Bool = false
    ) throws(PropertyListError) -> PropertyList {
        var reader = try BinaryPlistReader(bytes)
        reader.takesIdentifiers = takesIdentifiers
        return try reader.object(reader.trailer.root, depth: 0).value
    }

    /// Returns whether the bytes start and end like a property list. This detects most damage to a
    /// value in a few nanoseconds, without checking the content.
    static func isFramed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 42 && bytes.prefix(7).elementsEqual("bplist0".utf8)
            && BinaryPlistTrailer(bytes) != nil
    }

    private init(_ bytes: UnsafeRawBufferPointer) throws(PropertyListError) {
        guard bytes.count >= 42, bytes.prefix(6).elementsEqual("bplist".utf8) else {
            throw PropertyListError(.malformed, "not a binary property list")
        }
        guard bytes[6] == UInt8(ascii: "0") else {
            throw PropertyListError(.unsupported, "the version of the property list is unknown")
        }
        guard let trailer = BinaryPlistTrailer(bytes) else {
            throw PropertyListError(.malformed, "the trailer is not valid", at: bytes.count - 32)
        }
        self.bytes = bytes
        self.trailer = trailer
        weightLimit = 64 << 20 + min(bytes.count, 1 << 40) * 16
    }

    /// Reads a big-endian number of 1 to 8 bytes inside the objects or the table.
    private func number(at offset: Int, width: Int) throws(PropertyListError) -> UInt64 {
        guard offset >= 8, width <= 8, offset <= bytes.count - 32 - width else {
            throw PropertyListError(.malformed, "a number is cut off", at: offset)
        }
        var number: UInt64 = 0
        for index in offset..<offset + width { number = number << 8 | UInt64(bytes[index]) }
        return number
    }

    private func range(_ start: Int, _ length: Int) throws(PropertyListError) -> Range<Int> {
        guard length >= 0, start >= 8, start <= trailer.tableStart,
            length <= trailer.tableStart - start
        else {
            throw PropertyListError(.malformed, "an object is cut off", at: start)
        }
        return start..<start + length
    }

    private mutating func object(
        _ index: Int, depth: Int
    ) throws(PropertyListError) -> (value: PropertyList, weight: Int) {
        if !decoded.isEmpty, let known = decoded[index] { return known }
        let place = try number(
            at: trailer.place(ofObject: index), width: trailer.offsetWidth)
        guard let offset = Int(exactly: place), offset >= 8, offset < trailer.tableStart else {
            throw PropertyListError(
                .malformed, "an object is outside the valid range", at: trailer.tableStart)
        }
        let result = try content(of: bytes[offset], at: offset, depth: depth)
        guard result.weight <= weightLimit else {
            throw PropertyListError(.tooLarge, "it expands beyond the size limit")
        }
        if !decoded.isEmpty { decoded[index] = result }
        return result
    }

    private mutating func content(
        of marker: UInt8, at offset: Int, depth: Int
    ) throws(PropertyListError) -> (value: PropertyList, weight: Int) {
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            guard low == 8 || low == 9 else { break }
            return (.boolean(low == 9), 8)
        case 0x1:
            return (try integer(at: offset + 1, log2Width: low), 16)
        case 0x2:
            if low == 2 {
                let bits = UInt32(truncatingIfNeeded: try number(at: offset + 1, width: 4))
                return (.real(Double(Float(bitPattern: bits))), 16)
            }
            guard low == 3 else { break }
            return (.real(Double(bitPattern: try number(at: offset + 1, width: 8))), 16)
        case 0x3:
            guard low == 3 else { break }
            let seconds = Double(bitPattern: try number(at: offset + 1, width: 8))
            return (.date(Date(timeIntervalSinceReferenceDate: seconds)), 16)
        case 0x4:
            let (length, start) = try self.length(low, at: offset)
            let range = try range(start, length)
            return (.data(Data(bytes[range])), 16 + length)
        case 0x5, 0x6, 0x7:
            return try string(marker >> 4, low, at: offset)
        case 0x8:
            guard takesIdentifiers, low < 8 else { break }
            let value = PropertyList(unsigned: try number(at: offset + 1, width: low + 1))
            return (.dictionary(["CF$UID": value]), 32)
        case 0xA:
            return try array(low, at: offset, depth: depth)
        case 0xD:
            return try dictionary(low, at: offset, depth: depth)
        default: break
        }
        throw PropertyListError(
            .unsupported, "an object has a type that values don't support", at: offset)
    }

    private func integer(at start: Int, log2Width: Int) throws(PropertyListError) -> PropertyList {
        switch log2Width {
        case 0...2:
            let value = try number(at: start, width: 1 << log2Width)
            return .integer(Int64(value))
        case 3:
            return .integer(Int64(bitPattern: try number(at: start, width: 8)))
        case 4:
            let high = try number(at: start, width: 8)
            let low = try number(at: start + 8, width: 8)
            if high == 0 { return PropertyList(unsigned: low) }
            if high == .max, low > UInt64(Int64.max) { return .integer(Int64(bitPattern: low)) }
        default: break
        }
        throw PropertyListError(.unsupported, "an integer has more than 64 bits", at: start)
    }

    /// Reads the length that follows a marker, and returns it with the start of the content.
    private func length(
        _ low: Int, at offset: Int
    ) throws(PropertyListError) -> (length: Int, start: Int) {
        guard low == 0x0F else { return (low, offset + 1) }
        let header = try range(offset + 1, 1)
        let marker = bytes[header.lowerBound]
        let width = 1 << Int(marker & 0x0F)
        guard marker >> 4 == 1, width <= 8,
            let length = Int(exactly: try number(at: offset + 2, width: width))
        else { throw PropertyListError(.malformed, "a length is not valid", at: offset) }
        return (length, offset + 2 + width)
    }

    private func string(
        _ kind: UInt8, _ low: Int, at offset: Int
    ) throws(PropertyListError) -> (value: PropertyList, weight: Int) {
        let (length, start) = try self.length(low, at: offset)
        if kind == 0x6 {
            guard length <= bytes.count / 2 else {
                throw PropertyListError(.malformed, "a string is cut off", at: offset)
            }
            let content = bytes[try range(start, length * 2)]
            let units = (0..<length).map { unit -> UInt16 in
                let at = content.startIndex + unit * 2
                return UInt16(content[at]) << 8 | UInt16(content[at + 1])
            }
            return (.string(String(decoding: units, as: UTF16.self)), 16 + length * 3)
        }
        let content = bytes[try range(start, length)]
        if kind == 0x5 {
            guard content.allSatisfy({ $0 < 0x80 }) else {
                throw PropertyListError(
                    .malformed, "an ASCII string has a byte that is not ASCII", at: offset)
            }
            return (.string(String(decoding: content, as: UTF8.self)), 16 + length)
        }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw PropertyListError(.malformed, "a string is not UTF-8", at: offset)
        }
        return (.string(text), 16 + length)
    }

    private func reference(_ start: Int, _ index: Int) throws(PropertyListError) -> Int {
        let place = start + index * trailer.referenceWidth
        guard let object = Int(exactly: try number(at: place, width: trailer.referenceWidth)),
            object < trailer.count
        else { throw PropertyListError(.malformed, "a reference is out of range", at: place) }
        return object
    }

    private mutating func array(
        _ low: Int, at offset: Int, depth: Int
    ) throws(PropertyListError) -> (value: PropertyList, weight: Int) {
        let start = try enter(low, at: offset, references: 1, depth: depth)
        var elements: [PropertyList] = []
        elements.reserveCapacity(start.length)
        var weight = 16
        for index in 0..<start.length {
            let element = try object(try reference(start.start, index), depth: depth + 1)
            elements.append(element.value)
            weight += element.weight
            guard weight <= weightLimit else { break }
        }
        return (.array(elements), weight)
    }

    private mutating func dictionary(
        _ low: Int, at offset: Int, depth: Int
    ) throws(PropertyListError) -> (value: PropertyList, weight: Int) {
        let (length, start) = try enter(low, at: offset, references: 2, depth: depth)
        var entries: [Name: PropertyList] = [:]
        entries.reserveCapacity(length)
        var weight = 16
        for index in 0..<length {
            let key = try object(try reference(start, index), depth: depth + 1)
            guard case .string(let name) = key.value else {
                throw PropertyListError(.unsupported, "a key is not a string", at: offset)
            }
            let value = try object(try reference(start, length + index), depth: depth + 1)
            guard entries.updateValue(value.value, forKey: name) == nil else {
                throw PropertyListError(.malformed, "a dictionary has a key twice", at: offset)
            }
            weight += key.weight + value.weight
            guard weight <= weightLimit else { break }
        }
        return (.dictionary(entries), weight)
    }

    /// Checks that all references of a container exist, and prepares the cache of objects.
    private mutating func enter(
        _ low: Int, at offset: Int, references: Int, depth: Int
    ) throws(PropertyListError) -> (length: Int, start: Int) {
        guard depth < PropertyList.depthLimit else {
            throw PropertyListError(.tooDeep, "nested too deeply, or in itself", at: offset)
        }
        let (length, start) = try self.length(low, at: offset)
        guard length <= bytes.count / (references * trailer.referenceWidth) else {
            throw PropertyListError(.malformed, "a container is cut off", at: offset)
        }
        _ = try range(start, length * references * trailer.referenceWidth)
        if decoded.isEmpty { decoded = Array(repeating: nil, count: trailer.count) }
        return (length, start)
    }
}
