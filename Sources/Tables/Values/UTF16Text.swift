import Foundation
import GRDBSQLite
import Replication

/// Reads and writes the texts of databases that store UTF-16.
///
/// SQLite converts between UTF-16 and UTF-8 with losses. It joins a lone surrogate with the next
/// character, and replaces U+FFFE and U+FFFF. A text that was read and written again would change.
///
/// The bytes of a text with lone surrogates are generalized UTF-8, which has three bytes for a lone
/// surrogate: <https://simonsapin.github.io/wtf-8/>
enum UTF16Text {
    /// Returns whether the database of a statement stores UTF-16.
    static func isStored(inDatabaseOf handle: OpaquePointer) -> Bool {
        var statement: OpaquePointer?
        guard let connection = sqlite3_db_handle(handle),
            sqlite3_prepare_v2(connection, "PRAGMA encoding", -1, &statement, nil) == SQLITE_OK
        else { return false }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, let name = sqlite3_column_text(statement, 0)
        else { return false }
        return String(cString: name) != "UTF-8"
    }

    /// Returns whether a text has code points that SQLite would replace.
    static func hasReplacedCodePoint(_ text: String) -> Bool {
        // In UTF-8, both code points start with this byte.
        text.utf8.contains(0xEF) && text.unicodeScalars.contains { $0.value | 1 == 0xFFFF }
    }

    /// Returns the text in a column of the current row.
    static func value(_ column: CInt, _ handle: OpaquePointer) -> TableValue {
        let start = sqlite3_column_text16(handle, column)
        let count = Int(sqlite3_column_bytes16(handle, column))
        let units = units(of: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
        return String(validating: units, as: UTF16.self).map { .text($0) }
            ?? .malformedText(Data(bytes(of: units)))
    }

    /// Binds a text to a parameter of a statement, counted from 1.
    static func bind(_ units: [UInt16], _ position: CInt, _ handle: OpaquePointer) throws {
        // SQLite removes one byte order mark, which can be the first character of the text.
        let marked: [UInt16] = [0xFEFF] + units
        try marked.withUnsafeBytes { bytes in
            try RowStepper.check(
                sqlite3_bind_text64(
                    handle, position, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    sqlite3_uint64(bytes.count), Stepper.transient, UInt8(SQLITE_UTF16)))
        }
    }

    /// Copies code units, which can be unaligned.
    static func units(of text: UnsafeRawBufferPointer) -> [UInt16] {
        let count = text.count / 2
        return [UInt16](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            UnsafeMutableRawBufferPointer(buffer)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: text.prefix(count * 2)))
            initializedCount = count
        }
    }

    /// Returns the code units of a text in generalized UTF-8; `nil` for other bytes.
    static func units(ofGeneralizedUTF8 bytes: [UInt8]) -> [UInt16]? {
        var units: [UInt16] = []
        var rest = bytes[...]
        while let lead = rest.popFirst() {
            let count: Int
            switch lead {
            case 0x00...0x7F: count = 0
            case 0xC0...0xDF: count = 1
            case 0xE0...0xEF: count = 2
            case 0xF0...0xF7: count = 3
            default: return nil
            }
            var scalar = UInt32(lead)
            if count > 0 { scalar &= 0x3F >> UInt32(count) }
            for byte in rest.prefix(count) { scalar = scalar << 6 | UInt32(byte & 0x3F) }
            rest = rest.dropFirst(count)
            if scalar < 0x1_0000 {
                units.append(UInt16(scalar))
            } else {
                guard scalar <= 0x10_FFFF else { return nil }
                units.append(0xD800 | UInt16((scalar - 0x1_0000) >> 10))
                units.append(0xDC00 | UInt16(scalar & 0x3FF))
            }
        }
        // Only the canonical form can be read back as the same bytes.
        return self.bytes(of: units) == bytes ? units : nil
    }

    /// Returns a text in generalized UTF-8. If it has no lone surrogates, this is UTF-8.
    static func bytes(of units: [UInt16]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(units.count)
        func append(_ scalar: UInt32, shiftedBy shift: UInt32) {
            bytes.append(0x80 | UInt8(scalar >> shift & 0x3F))
        }
        var index = 0
        while index < units.count {
            var scalar = UInt32(units[index])
            index += 1
            if units[index - 1] & 0xFC00 == 0xD800, index < units.count,
                units[index] & 0xFC00 == 0xDC00
            {
                scalar = 0x1_0000 + (scalar & 0x3FF) << 10 + UInt32(units[index] & 0x3FF)
                index += 1
            }
            switch scalar {
            case 0..<0x80: bytes.append(UInt8(scalar))
            case 0x80..<0x800:
                bytes.append(0xC0 | UInt8(scalar >> 6))
                append(scalar, shiftedBy: 0)
            case 0x800..<0x1_0000:
                bytes.append(0xE0 | UInt8(scalar >> 12))
                append(scalar, shiftedBy: 6)
                append(scalar, shiftedBy: 0)
            default:
                bytes.append(0xF0 | UInt8(scalar >> 18))
                append(scalar, shiftedBy: 12)
                append(scalar, shiftedBy: 6)
                append(scalar, shiftedBy: 0)
            }
        }
        return bytes
    }
}
