import Foundation
import Replication

/// A writer of binary property lists, version 1. ``BinaryPlistReader`` describes their layout.
///
/// Dictionary keys are in byte order and each string is stored once, so equal values result in
/// equal bytes.
struct BinaryPlistWriter {
    private enum Object {
        case scalar(PropertyList)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var objects: [Object] = []
    /// The indices of texts in `objects`. Texts are compared by their bytes, like names.
    private var strings: [Name: Int] = [:]

    static func encode(_ value: PropertyList) throws(PropertyListError) -> [UInt8] {
        var output = Array("bplist00".utf8)
        switch value {
        case .array, .dictionary:
            var writer = BinaryPlistWriter()
            _ = try writer.add(value, depth: 0)
            writer.write(to: &output)
        default:
            // Fast path for a lone scalar, which needs no list of objects.
            append(scalar: value, to: &output)
            let tableStart = output.count
            output.append(8)
            appendTrailer(
                offsetWidth: 1, referenceWidth: 1, count: 1, tableStart: tableStart, to: &output)
        }
        return output
    }

    /// Assigns numbers to `value` and its elements. A container's number is less than the numbers
    /// of its elements.
    private mutating func add(
        _ value: PropertyList, depth: Int
    ) throws(PropertyListError) -> Int {
        let index = objects.count
        switch value {
        case .string(let text):
            if let known = strings[text] { return known }
            strings[text] = index
            objects.append(.scalar(value))
        case .array(let elements):
            try Self.checkDepth(depth)
            objects.append(.array([]))
            var references: [Int] = []
            references.reserveCapacity(elements.count)
            for element in elements { references.append(try add(element, depth: depth + 1)) }
            objects[index] = .array(references)
        case .dictionary(let entries):
            try Self.checkDepth(depth)
            objects.append(.array([]))
            let sorted = entries.sorted { $0.key < $1.key }
            var keys: [Int] = []
            var values: [Int] = []
            for entry in sorted { keys.append(try add(.string(entry.key.text), depth: depth + 1)) }
            for entry in sorted { values.append(try add(entry.value, depth: depth + 1)) }
            objects[index] = .dictionary(keys: keys, values: values)
        default:
            objects.append(.scalar(value))
        }
        return index
    }

    private static func checkDepth(_ depth: Int) throws(PropertyListError) {
        guard depth < PropertyList.depthLimit else {
            throw PropertyListError(
                .tooDeep, "nested deeper than \(PropertyList.depthLimit) levels")
        }
    }

    private func write(to output: inout [UInt8]) {
        let referenceWidth = Self.width(of: UInt64(objects.count))
        var offsets: [UInt64] = []
        offsets.reserveCapacity(objects.count)
        for object in objects {
            offsets.append(UInt64(output.count))
            switch object {
            case .scalar(let value):
                Self.append(scalar: value, to: &output)
            case .array(let references):
                Self.append(marker: 0xA0, count: references.count, to: &output)
                for reference in references {
                    Self.append(UInt64(reference), width: referenceWidth, to: &output)
                }
            case .dictionary(let keys, let values):
                Self.append(marker: 0xD0, count: keys.count, to: &output)
                for reference in keys {
                    Self.append(UInt64(reference), width: referenceWidth, to: &output)
                }
                for reference in values {
                    Self.append(UInt64(reference), width: referenceWidth, to: &output)
                }
            }
        }
        let tableStart = output.count
        let offsetWidth = Self.width(of: UInt64(tableStart))
        for offset in offsets { Self.append(offset, width: offsetWidth, to: &output) }
        Self.appendTrailer(
            offsetWidth: offsetWidth, referenceWidth: referenceWidth, count: objects.count,
            tableStart: tableStart, to: &output)
    }

    private static func append(scalar: PropertyList, to output: inout [UInt8]) {
        switch scalar {
        case .boolean(let value):
            output.append(value ? 0x09 : 0x08)
        case .integer(let value):
            append(integer: value, to: &output)
        case .unsigned(let value):
            if let small = Int64(exactly: value) {
                append(integer: small, to: &output)
            } else {
                output.append(0x14)
                append(0, width: 8, to: &output)
                append(value, width: 8, to: &output)
            }
        case .real(let value):
            output.append(0x23)
            append(value.bitPattern, width: 8, to: &output)
        case .date(let value):
            output.append(0x33)
            append(value.timeIntervalSinceReferenceDate.bitPattern, width: 8, to: &output)
        case .data(let value):
            append(marker: 0x40, count: value.count, to: &output)
            output.append(contentsOf: value)
        case .string(let value):
            append(string: value, to: &output)
        case .array, .dictionary:
            assertionFailure("a container is not a scalar")
        }
    }

    private static func append(integer value: Int64, to output: inout [UInt8]) {
        let bits = UInt64(bitPattern: value)
        // Only eight-byte integers are read as signed.
        let width = value < 0 ? 8 : Self.width(of: bits)
        output.append(0x10 | UInt8(width.trailingZeroBitCount))
        append(bits, width: width, to: &output)
    }

    private static func append(string value: String, to output: inout [UInt8]) {
        let utf8 = value.utf8
        if utf8.allSatisfy({ $0 < 0x80 }) {
            append(marker: 0x50, count: utf8.count, to: &output)
            output.append(contentsOf: utf8)
        } else {
            append(marker: 0x60, count: value.utf16.count, to: &output)
            for unit in value.utf16 {
                output.append(UInt8(unit >> 8))
                output.append(UInt8(truncatingIfNeeded: unit))
            }
        }
    }

    private static func append(marker: UInt8, count: Int, to output: inout [UInt8]) {
        if count < 15 {
            output.append(marker | UInt8(count))
        } else {
            output.append(marker | 0x0F)
            append(integer: Int64(count), to: &output)
        }
    }

    private static func append(_ number: UInt64, width: Int, to output: inout [UInt8]) {
        for index in (0..<width).reversed() {
            output.append(UInt8(truncatingIfNeeded: number >> (UInt64(index) * 8)))
        }
    }

    /// Returns the number of bytes to store `number` in: 1, 2, 4, or 8.
    private static func width(of number: UInt64) -> Int {
        number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFF_FFFF ? 4 : 8
    }

    private static func appendTrailer(
        offsetWidth: Int, referenceWidth: Int, count: Int, tableStart: Int,
        to output: inout [UInt8]
    ) {
        append(0, width: 6, to: &output)
        output.append(UInt8(offsetWidth))
        output.append(UInt8(referenceWidth))
        append(UInt64(count), width: 8, to: &output)
        append(0, width: 8, to: &output)
        append(UInt64(tableStart), width: 8, to: &output)
    }
}
