import Foundation

/// Reading of values, currently or at a clock.
extension OpSet {
    // MARK: Visibility

    /// Returns whether an operation's value was visible at a clock.
    @inline(__always)
    func isVisible(_ row: UInt32, at clock: Clock?) -> Bool {
        guard let clock else { return operations[row].isVisible }
        let operation = operations[row]
        guard operation.holdsValue, clock.covers(operation) else { return false }
        for index in 0..<links.count(operation.successors) {
            let successor = links.row(operation.successors, index)
            if clock.covers(operations[successor]), hides(successor, row) { return false }
        }
        return true
    }

    /// Returns the visible rows of a slot or element at a clock, oldest first.
    func visibleRows(
        slot: UInt32, element: UInt32, at clock: Clock?
    ) -> ContiguousArray<UInt32> {
        if clock == nil { return visibleRows(slot: slot, element: element) }
        var rows = ContiguousArray<UInt32>()
        if slot != none {
            var row = slots[slot].newest
            while row != none {
                if isVisible(row, at: clock) { rows.append(row) }
                row = operations[row].place
            }
        }
        if element != none, isVisible(element, at: clock) { rows.append(element) }
        rows.reverse()
        return rows
    }

    /// Returns the newest visible row of a slot or element, or `none` if nothing is visible.
    @inline(__always)
    func winner(slot: UInt32, element: UInt32, at clock: Clock?) -> UInt32 {
        if clock == nil {
            if slot != none { return slots[slot].winner }
            return operations[element].isVisible ? element : none
        }
        if slot != none {
            var row = slots[slot].newest
            while row != none {
                if isVisible(row, at: clock) { return row }
                row = operations[row].place
            }
        }
        return element != none && isVisible(element, at: clock) ? element : none
    }

    // MARK: Values

    /// Returns the value of an operation. A counter includes the increments that the clock covers.
    func value(of row: UInt32, at clock: Clock?) -> Value {
        let operation = operations[row]
        if Action.makesObject(operation.action) {
            return .Object(id(of: operation.value), type(of: operation.value))
        }
        if operation.isCounter { return .Scalar(.Counter(counter(row, at: clock))) }
        return .Scalar(scalar(of: row))
    }

    /// Returns the value of a counter.
    func counter(_ row: UInt32, at clock: Clock?) -> Int64 {
        var sum = number(of: row)
        forEachIncrement(of: row, at: clock) { sum &+= number(of: $0) }
        return sum
    }

    /// Returns the increment of a counter with the greatest identifier; `nil` if there is none.
    func newestIncrement(of row: UInt32, at clock: Clock?) -> UInt32? {
        var newest: UInt32?
        forEachIncrement(of: row, at: clock) { increment in
            newest = newest.map { precedes($0, increment) ? increment : $0 } ?? increment
        }
        return newest
    }

    /// Returns the increments of a counter, in the order of their identifiers.
    func increments(of row: UInt32, at clock: Clock?) -> [UInt32] {
        var found: [UInt32] = []
        forEachIncrement(of: row, at: clock) { found.append($0) }
        return found.sorted { precedes($0, $1) }
    }

    @inline(__always)
    private func forEachIncrement(of row: UInt32, at clock: Clock?, _ body: (UInt32) -> Void) {
        let field = operations[row].successors
        for index in 0..<links.count(field) {
            let successor = links.row(field, index)
            guard operations[successor].action == Action.increment else { continue }
            if let clock, !clock.covers(operations[successor]) { continue }
            body(successor)
        }
    }

    /// Returns the whole number stored as a value. Its bytes have been checked.
    func number(of row: UInt32) -> Int64 {
        let type = operations[row].valueType
        return withValue(of: row) { bytes in
            var reader = ByteReader(bytes)
            if type == ValueType.unsigned {
                return Int64(truncatingIfNeeded: (try? reader.unsigned()) ?? 0)
            }
            return (try? reader.signed()) ?? 0
        }
    }

    /// Returns the scalar value that an operation set. A counter doesn't include its increments.
    func scalar(of row: UInt32) -> ScalarValue {
        let operation = operations[row]
        return withValue(of: row) { bytes in
            switch operation.valueType {
            case ValueType.null: return .Null
            case ValueType.no: return .Boolean(false)
            case ValueType.yes: return .Boolean(true)
            case ValueType.unsigned:
                var reader = ByteReader(bytes)
                return .Uint((try? reader.unsigned()) ?? 0)
            case ValueType.signed: return .Int(number(of: row))
            case ValueType.double:
                var pattern: UInt64 = 0
                for byte in bytes.reversed() { pattern = pattern << 8 | UInt64(byte) }
                return .F64(Double(bitPattern: pattern))
            case ValueType.string: return .String(String(decoding: bytes, as: UTF8.self))
            case ValueType.bytes: return .Bytes(Data(bytes))
            case ValueType.counter: return .Counter(number(of: row))
            case ValueType.timestamp: return .timestamp(milliseconds: number(of: row))
            default:
                return .Unknown(
                    typeCode: UInt8(truncatingIfNeeded: operation.valueType), data: Data(bytes))
            }
        }
    }

    // MARK: Objects

    func id(of object: UInt32) -> ObjId {
        let maker = objects[object].maker
        guard maker != none else { return .ROOT }
        let operation = operations[maker]
        return ObjId(
            counter: operation.counter,
            actor: ActorId(bytes: actors.bytes(operation.actor)), actorHint: operation.actor)
    }

    func type(of object: UInt32) -> ObjType {
        switch objects[object].type {
        case Action.makeList: .List
        case Action.makeText: .Text
        default: .Map
        }
    }

    /// Returns the object with the given identifier.
    @inline(__always)
    func object(_ id: ObjId) throws(FormatError) -> UInt32 {
        if id.isRoot { return Self.rootObject }
        var actor = id.actorHint
        if actor >= UInt32(actors.count) || actors.bytes(actor) != id.actor.bytes {
            guard let found = actors.find(id.actor.bytes) else { throw Self.noObject }
            actor = found
        }
        guard let row = row(actor: actor, counter: id.counter),
            Action.makesObject(operations[row].action)
        else { throw Self.noObject }
        return operations[row].value
    }

    private static let noObject = FormatError(
        .unknownObject, "the document has no object with that identifier")

    // MARK: Maps

    /// Returns the keys of a map that have a value, in the order of their bytes, with their
    /// winners.
    mutating func entries(
        of object: UInt32, at clock: Clock?
    ) -> [(name: UInt32, row: UInt32)] {
        var result: [(name: UInt32, row: UInt32)] = []
        for name in sortedNames(of: object) {
            guard let slot = slot(object: object, name: name) else { continue }
            let row = winner(slot: slot, element: none, at: clock)
            if row != none { result.append((name, row)) }
        }
        return result
    }

    // MARK: Lists and texts

    /// Calls `body` with each visible element and its visible row, in order.
    @inline(__always)
    func forEachVisible(
        of object: UInt32, at clock: Clock?, _ body: (_ element: UInt32, _ row: UInt32) -> Bool
    ) {
        var leaf = objects[object].root.first
        while leaf != none {
            if clock == nil {
                var bits = elements.leaves[leaf].visible
                while bits != 0 {
                    let element = elements.row(leaf, bits.trailingZeroBitCount)
                    bits &= bits &- 1
                    let row = winner(
                        slot: operations[element].slot, element: element, at: nil)
                    guard body(element, row) else { return }
                }
            } else {
                for index in 0..<Int(elements.leaves[leaf].count) {
                    let element = elements.row(leaf, index)
                    let row = winner(
                        slot: operations[element].slot, element: element, at: clock)
                    if row != none, !body(element, row) { return }
                }
            }
            leaf = elements.leaves[leaf].next
        }
    }

    /// Returns the width of an operation's value in its list or text.
    @inline(__always)
    func width(of row: UInt32) -> Int { widths.width(of: row) }

    func length(of object: UInt32, at clock: Clock?) -> Int {
        if clock == nil { return objects[object].root.width }
        var sum = 0
        forEachVisible(of: object, at: clock) { _, row in
            sum += width(of: row)
            return true
        }
        return sum
    }

    /// Returns the element that covers a position, or `none` beyond the end.
    func element(at position: Int, of object: UInt32, at clock: Clock?) -> UInt32 {
        if clock == nil {
            guard position < objects[object].root.width else { return none }
            let place = locate(position, in: object)
            return elements.row(place.leaf, place.index)
        }
        var end = 0
        var found = none
        forEachVisible(of: object, at: clock) { element, row in
            end += width(of: row)
            if end > position { found = element }
            return found == none
        }
        return found
    }

    /// Returns the position of an element, or of the next visible one if the element is hidden.
    func position(of element: UInt32, at clock: Clock?) -> Int {
        let object = operations[element].object
        if clock == nil {
            let leaf = operations[element].place
            let index = elements.index(of: element, in: leaf)
            var sum = elements.start(of: leaf)
            let table = widths
            var bits = elements.leaves[leaf].visible & ((1 << UInt64(index)) &- 1)
            while bits != 0 {
                sum += table.width(ofElement: elements.row(leaf, bits.trailingZeroBitCount))
                bits &= bits &- 1
            }
            return sum
        }
        var sum = 0
        var leaf = objects[object].root.first
        while leaf != none {
            for index in 0..<Int(elements.leaves[leaf].count) {
                let row = elements.row(leaf, index)
                if row == element { return sum }
                let shown = winner(slot: operations[row].slot, element: row, at: clock)
                if shown != none { sum += width(of: shown) }
            }
            leaf = elements.leaves[leaf].next
        }
        return sum
    }

    /// Returns the content of a text object. Elements that aren't strings become object replacement
    /// characters.
    func text(of object: UInt32, at clock: Clock?) -> String {
        var bytes = ByteWriter()
        bytes.reserve(objects[object].root.width)
        forEachVisible(of: object, at: clock) { _, row in
            appendText(of: row, to: &bytes)
            return true
        }
        return String(decoding: bytes.buffer, as: UTF8.self)
    }

    /// Returns the current text between two positions. Only whole elements are included.
    func text(of object: UInt32, from start: Int, to end: Int) -> String {
        var bytes = ByteWriter()
        guard start < end, start < objects[object].root.width else { return "" }
        var place = locate(start, in: object)
        var position = place.start
        let table = widths
        var bits = elements.leaves[place.leaf].visible & (~0 << UInt64(place.index))
        while position < end {
            while bits == 0 {
                place.leaf = elements.leaves[place.leaf].next
                if place.leaf == none { break }
                bits = elements.leaves[place.leaf].visible
            }
            if place.leaf == none { break }
            let row = table.winner(
                ofElement: elements.row(place.leaf, bits.trailingZeroBitCount))
            bits &= bits &- 1
            appendText(of: row, to: &bytes)
            position += table.width(of: row)
        }
        return String(decoding: bytes.buffer, as: UTF8.self)
    }

    @inline(__always)
    func appendText(of row: UInt32, to bytes: inout ByteWriter) {
        let operation = operations[row]
        if operation.action == Action.set, operation.valueType == ValueType.string {
            appendValue(of: operation, to: &bytes)
        } else {
            bytes.packed(0xbcbfef, 3)
        }
    }
}
