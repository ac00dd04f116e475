import BenchSupport
import Foundation

/// A recorded editing session. Each edit deletes and inserts at one position.
struct EditTrace {
    struct Edit {
        let position: Int
        let deleted: Int
        let inserted: String
    }

    let edits: [Edit]

    /// Reads a JSON array of `[position, deleted, inserted…]`, with one character per element.
    ///
    /// This parser is only for such traces. A general parser would use memory for a quarter of a
    /// million small arrays, which would be counted as memory of the engine.
    init(contentsOf url: URL) throws {
        var reader = TraceReader(bytes: [UInt8](try Data(contentsOf: url)))
        edits = try reader.edits()
    }
}

/// A parser for the subset of JSON that a trace uses.
private struct TraceReader {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func edits() throws -> [EditTrace.Edit] {
        var edits: [EditTrace.Edit] = []
        try expect("[")
        guard !accept("]") else { return edits }
        repeat { edits.append(try edit()) } while accept(",")
        try expect("]")
        return edits
    }

    private mutating func edit() throws -> EditTrace.Edit {
        try expect("[")
        let position = try number()
        try expect(",")
        let deleted = try number()
        var inserted = ""
        while accept(",") { inserted += try string() }
        try expect("]")
        return EditTrace.Edit(position: position, deleted: deleted, inserted: inserted)
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[index]) { index += 1 }
    }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws {
        guard accept(character) else {
            throw BenchError("the trace has no '\(character)' at byte \(index)")
        }
    }

    private mutating func number() throws -> Int {
        skipSpace()
        let start = index
        while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
        guard let number = Int(String(decoding: bytes[start..<index], as: UTF8.self)) else {
            throw BenchError("the trace has no number at byte \(start)")
        }
        return number
    }

    private mutating func string() throws -> String {
        try expect("\"")
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < bytes.count else { throw BenchError("the trace ends in a string") }
        let content = bytes[start..<index]
        index += 1
        guard content.contains(UInt8(ascii: "\\")) else {
            return String(decoding: content, as: UTF8.self)
        }
        let quoted = [UInt8(ascii: "\"")] + content + [UInt8(ascii: "\"")]
        return try JSONDecoder().decode(String.self, from: Data(quoted))
    }
}
