import LosslessJSON

/// A splitter for the objects of a JSON array, or of JSON Lines.
///
/// It takes the file in pieces and keeps one object in memory.
struct JSONObjects {
    private enum State { case start, item, firstItem, separator, object, end }

    /// The row itself, a list of properties and a tag add levels to a value, which can have 256.
    private static let depthLimit = 256 + 3

    private let isArray: Bool
    private var state: State
    private var bytes: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var place = ImportPlace()
    private var objectPlace = ImportPlace()
    private var mark = ByteOrderMark()

    init(isArray: Bool) {
        self.isArray = isArray
        state = isArray ? .start : .item
    }

    /// Reads the next piece of the file and calls `body` with each complete object.
    mutating func read(
        _ piece: UnsafeRawBufferPointer, _ body: ([JSON.Member], ImportPlace) throws -> Void
    ) throws {
        for byte in piece.dropFirst(try mark.prefix(of: piece)) {
            if state == .object { try takeInObject(byte, body) } else { try takeOutside(byte) }
            place.pass(byte)
        }
    }

    /// Checks that the file is complete.
    func end() throws(TablesError) {
        if state == .object { throw objectPlace.error("the object is never closed") }
        if isArray, state != .end { throw place.error("the array is never closed") }
    }

    private mutating func takeOutside(_ byte: UInt8) throws(TablesError) {
        if [0x20, 0x09, 0x0A, 0x0D].contains(byte) { return }
        switch (state, byte) {
        case (.start, UInt8(ascii: "[")): state = .firstItem
        case (.firstItem, UInt8(ascii: "]")), (.separator, UInt8(ascii: "]")): state = .end
        case (.separator, UInt8(ascii: ",")): state = .item
        case (.item, UInt8(ascii: "{")), (.firstItem, UInt8(ascii: "{")):
            (state, depth, objectPlace) = (.object, 1, place)
            bytes = [byte]
        default:
            let expected =
                switch state {
                case .start: "[ at the start of an array of objects"
                case .separator: "a comma or ]"
                case .end: "the end of the file"
                default: "an object"
                }
            throw place.error("expected \(expected)")
        }
    }

    private mutating func takeInObject(
        _ byte: UInt8, _ body: ([JSON.Member], ImportPlace) throws -> Void
    ) throws {
        bytes.append(byte)
        guard bytes.count <= ImportPlace.rowLimit else {
            throw objectPlace.error("the row is longer than \(ImportPlace.rowLimit) bytes")
        }
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            guard depth == 0 else { return }
            try body(try members(), objectPlace)
            state = isArray ? .separator : .item
            bytes.removeAll(keepingCapacity: true)
        default: break
        }
    }

    private func members() throws(TablesError) -> [JSON.Member] {
        do {
            guard
                case .object(let members) = try JSONParser.parse(
                    bytes, depthLimit: Self.depthLimit)
            else { return [] }
            return members
        } catch {
            var place = objectPlace
            place.column = error.line == 1 ? place.column + error.column - 1 : error.column
            place.line += error.line - 1
            throw place.error(error.message)
        }
    }
}
