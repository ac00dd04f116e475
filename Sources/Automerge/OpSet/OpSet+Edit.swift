/// Edits by the document's actor. Each edit adds operations to the pending transaction. An invalid
/// edit throws an error before any operation is added.
extension OpSet {
    // MARK: Rows

    /// Appends the row of a new operation. The caller must set its predecessors.
    @inline(__always)
    private mutating func append(
        object: UInt32, key: UInt32, value: UInt32, meta: UInt32, action: UInt8, flags: UInt8,
        width: UInt16
    ) -> UInt32 {
        let row = UInt32(truncatingIfNeeded: operations.count)
        let counter = pending.startCounter &+ UInt64(operations.count &- pending.firstRow)
        operations.append(
            Operation(
                counter: counter, actor: pending.actor, object: object, key: key, value: value,
                meta: meta, action: action, flags: flags, width: width))
        return row
    }

    /// A value in the form that a row stores.
    struct Stored {
        var value: UInt32
        var meta: UInt32
        var width: Int

        static let nothing = Stored(value: 0, meta: 0, width: 1)
    }

    /// Stores a scalar value in the form that rows use.
    mutating func store(_ scalar: ScalarValue, inText: Bool) throws(FormatError) -> Stored {
        var bytes = ByteWriter()
        let type: UInt32
        switch scalar {
        case .Null: type = ValueType.null
        case .Boolean(let value): type = value ? ValueType.yes : ValueType.no
        case .Uint(let value):
            type = ValueType.unsigned
            bytes.unsigned(value)
        case .Int(let value):
            type = ValueType.signed
            bytes.signed(value)
        case .F64(let value):
            type = ValueType.double
            let pattern = value.bitPattern
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.byte(UInt8(truncatingIfNeeded: pattern >> shift))
            }
        case .String(let value):
            type = ValueType.string
            try value.withBytes { (utf8) throws(FormatError) in bytes.bytes(utf8) }
        case .Bytes(let value):
            type = ValueType.bytes
            bytes.bytes(Array(value))
        case .Counter(let value):
            type = ValueType.counter
            bytes.signed(value)
        case .Timestamp(let value):
            type = ValueType.timestamp
            bytes.signed(ScalarValue.milliseconds(of: value))
        case .Unknown(let code, let data):
            guard code < 16 else {
                throw FormatError(.badValue, "a value's type code is above 15")
            }
            type = UInt32(code)
            bytes.bytes(Array(data))
            try OperationCheck.value(
                meta: UInt64(data.count) << 4 | UInt64(code), bytes: bytes.buffer, action: 1)
        }
        let value = try store(bytes.buffer)
        let width =
            inText ? self.width(ofText: bytes.buffer, type: type, action: Action.set) : 1
        return Stored(value: value, meta: UInt32(bytes.count) << 4 | type, width: width)
    }

    // MARK: Maps

    /// Sets, creates, increments or deletes the value of a key.
    ///
    /// - Returns: The new row, or `nil` if the operation would have no effect.
    mutating func writeKey(
        _ name: UInt32, of object: UInt32, action: UInt8, value: Stored
    ) throws(FormatError) -> UInt32? {
        let existing = slot(object: object, name: name)
        let visible = existing.map { visibleRows(slot: $0, element: none) } ?? []
        guard try isNeeded(action, value, over: visible) else { return nil }
        let row = append(
            object: object, key: name, value: value.value, meta: value.meta, action: action,
            flags: 0, width: 1)
        write(row, over: visible, slot: makeSlot(object: object, name: name), element: none)
        return row
    }

    /// Returns whether an operation that supersedes `visible` has an effect.
    private func isNeeded(
        _ action: UInt8, _ value: Stored, over visible: ContiguousArray<UInt32>
    ) throws(FormatError) -> Bool {
        if action == Action.delete { return !visible.isEmpty }
        if action == Action.increment {
            guard visible.contains(where: { operations[$0].isCounter }) else {
                throw FormatError(.notACounter, "the value to increment is not a counter")
            }
            return true
        }
        if action == Action.set, visible.count == 1 {
            let present = operations[visible[0]]
            if present.action == Action.set, present.meta == value.meta,
                present.successors == none
            {
                let count = present.valueCount
                if count <= 4 { return present.value != value.value }
                return NameTable.compare(
                    UnsafeBufferPointer(start: heap.base + Int(present.value), count: count),
                    UnsafeBufferPointer(start: heap.base + Int(value.value), count: count)) != 0
            }
        }
        return true
    }

    private mutating func write(
        _ row: UInt32, over visible: ContiguousArray<UInt32>, slot: UInt32, element: UInt32
    ) {
        var predecessors = none
        for predecessor in visible { links.add(predecessor, to: &predecessors) }
        operations[row].predecessors = predecessors
        if Action.makesObject(operations[row].action) { makeObject(for: row) }
        write(row, to: slot, element: element)
    }

    // MARK: Elements

    /// Returns the element that covers a position of a list or text.
    @inline(__always)
    func locate(_ position: Int, in object: UInt32) -> ElementStore.Place {
        let (leaf, start) = elements.leaf(covering: position, in: objects[object].root)
        var place = ElementStore.Place(leaf: leaf, index: 0, start: start)
        var bits = elements.leaves[leaf].visible
        if elements.leaves[leaf].isUniform {
            let skip = position &- start
            place.index = bits.position(ofBit: skip)
            place.start = position
            return place
        }
        let table = widths
        while bits != 0 {
            place.index = bits.trailingZeroBitCount
            let width = table.width(ofElement: elements.row(leaf, place.index))
            if place.start &+ width > position { break }
            place.start &+= width
            bits &= bits &- 1
        }
        return place
    }

    /// Sets, creates, increments or deletes the element at a position.
    mutating func writeElement(
        at position: Int, of object: UInt32, action: UInt8, value: Stored
    ) throws(FormatError) -> UInt32? {
        let place = locate(position, in: object)
        let element = elements.row(place.leaf, place.index)
        let visible = visibleRows(slot: operations[element].slot, element: element)
        guard try isNeeded(action, value, over: visible) else { return nil }
        let row = append(
            object: object, key: element, value: value.value, meta: value.meta, action: action,
            flags: 0, width: 0)
        setWidth(value.width, of: row)
        if action == Action.delete, operations[element].slot == none {
            operations[row].predecessors = element
            deletePlain(row, element: element, leaf: place.leaf, index: place.index)
        } else {
            write(row, over: visible, slot: makeSlot(element: element), element: element)
        }
        return row
    }

    /// Deletes the elements that cover up to `count` positions from `position` on.
    ///
    /// - Returns: The position of the first deleted element, which is less than `position` if
    ///   `position` is inside the element.
    mutating func deleteElements(
        at position: Int, count: Int, of object: UInt32
    ) throws(FormatError) -> Int {
        var start = position
        var left = count
        while left > 0, start < objects[object].root.width {
            let place = locate(start, in: object)
            if place.start < start {
                left += start - place.start
                start = place.start
            }
            let element = elements.row(place.leaf, place.index)
            left -= widths.width(ofElement: element)
            if operations[element].slot == none {
                let row = append(
                    object: object, key: element, value: 0, meta: 0, action: Action.delete,
                    flags: 0, width: 0)
                operations[row].predecessors = element
                deletePlain(row, element: element, leaf: place.leaf, index: place.index)
            } else {
                _ = try writeElement(
                    at: start, of: object, action: Action.delete, value: .nothing)
            }
        }
        return start
    }

    /// Returns the element after which a value at a position is inserted, and its place in the
    /// tree.
    @inline(__always)
    func insertionPoint(
        at position: Int, in object: UInt32
    ) -> (after: UInt32, leaf: UInt32, index: Int) {
        let root = objects[object].root
        var after = none
        var leaf = root.first
        var index = 0
        if position > 0 {
            let place = locate(position &- 1, in: object)
            after = elements.row(place.leaf, place.index)
            leaf = place.leaf
            index = place.index &+ 1
        }
        if objects[object].hasMarks {
            return insertionPointAmongMarks(after: after, leaf: leaf, index: index)
        }
        return (after, leaf, index)
    }

    /// Moves an insertion toward the next visible element: past the end of each mark that doesn't
    /// expand, and past the start of each mark that expands.
    private func insertionPointAmongMarks(
        after: UInt32, leaf: UInt32, index: Int
    ) -> (after: UInt32, leaf: UInt32, index: Int) {
        var candidates = [(after: after, leaf: leaf, index: index)]
        var leaf = leaf
        var index = index
        while leaf != none {
            if index == Int(elements.leaves[leaf].count) {
                leaf = elements.leaves[leaf].next
                index = 0
                continue
            }
            if elements.leaves[leaf].visible >> UInt64(index) & 1 != 0 { break }
            let row = elements.row(leaf, index)
            index += 1
            let operation = operations[row]
            guard operation.action == Action.mark else { continue }
            let grows = operation.flags & Operation.expandFlag != 0
            if markNames[row] != nil {
                if grows { candidates.append((row, leaf, index)) }
                continue
            }
            // Don't insert anything between the start and end of an empty mark.
            let begin = self.row(actor: operation.actor, counter: operation.counter &- 1)
            if let begin, let known = candidates.firstIndex(where: { $0.after == begin }) {
                candidates.removeLast(candidates.count - known)
            } else if !grows {
                candidates.append((row, leaf, index))
            }
        }
        return candidates.last ?? (after, leaf, index)
    }

    /// Inserts a value, an object, or the start or end of a mark. The position must not be beyond
    /// the end.
    mutating func insertElement(
        at position: Int, of object: UInt32, action: UInt8, value: Stored, expand: Bool = false,
        markName: UInt32? = nil
    ) -> UInt32 {
        let point = insertionPoint(at: position, in: object)
        let row = append(
            object: object, key: point.after, value: value.value, meta: value.meta,
            action: action,
            flags: expand ? Operation.insertFlag | Operation.expandFlag : Operation.insertFlag,
            width: 0)
        setWidth(value.width, of: row)
        if Action.makesObject(action) { makeObject(for: row) }
        if let markName { markNames[row] = markName }
        insertElement(row, leaf: point.leaf, index: point.index)
        return row
    }

    /// Inserts several consecutive values.
    mutating func insertElements(_ values: [Stored], at position: Int, of object: UInt32) {
        guard !values.isEmpty else { return }
        var point = insertionPoint(at: position, in: object)
        for value in values {
            let row = append(
                object: object, key: point.after, value: value.value, meta: value.meta,
                action: Action.set, flags: Operation.insertFlag, width: 0)
            setWidth(value.width, of: row)
            let place = insertElement(row, leaf: point.leaf, index: point.index)
            point = (row, place.leaf, place.index + 1)
        }
    }

    /// Inserts text as one element per scalar, or per character if the document counts characters.
    mutating func insertText(
        _ text: String, at position: Int, of object: UInt32
    ) throws(FormatError) {
        var point = insertionPoint(at: position, in: object)
        if encoding == .graphemeCluster {
            for character in text {
                let stored = try store(.String(String(character)), inText: true)
                point = insert(stored, at: point, of: object)
            }
            return
        }
        for scalar in text.unicodeScalars {
            let (packed, count) = scalar.packedUTF8
            let width: Int
            switch encoding {
            case .utf8: width = count
            case .utf16: width = count == 4 ? 2 : 1
            default: width = 1
            }
            let stored = Stored(
                value: packed, meta: UInt32(truncatingIfNeeded: count) << 4 | ValueType.string,
                width: width)
            point = insert(stored, at: point, of: object)
        }
    }

    @inline(__always)
    private mutating func insert(
        _ stored: Stored, at point: (after: UInt32, leaf: UInt32, index: Int), of object: UInt32
    ) -> (after: UInt32, leaf: UInt32, index: Int) {
        let row = append(
            object: object, key: point.after, value: stored.value, meta: stored.meta,
            action: Action.set, flags: Operation.insertFlag,
            width: UInt16(truncatingIfNeeded: stored.width))
        if stored.width >= Int(Operation.longWidth) { setWidth(stored.width, of: row) }
        let place = insertElement(row, leaf: point.leaf, index: point.index)
        return (row, place.leaf, place.index &+ 1)
    }
}

extension UInt64 {
    /// Returns the position of the set bit that follows `skip` lower set bits.
    @inline(__always)
    func position(ofBit skip: Int) -> Int {
        var bits = self
        var left = skip
        var base = 0
        let low = Int((bits & 0xffff_ffff).nonzeroBitCount)
        if left >= low {
            left &-= low
            bits >>= 32
            base = 32
        }
        let half = Int((bits & 0xffff).nonzeroBitCount)
        if left >= half {
            left &-= half
            bits >>= 16
            base &+= 16
        }
        let quarter = Int((bits & 0xff).nonzeroBitCount)
        if left >= quarter {
            left &-= quarter
            bits >>= 8
            base &+= 8
        }
        while left > 0 {
            bits &= bits &- 1
            left &-= 1
        }
        return base &+ bits.trailingZeroBitCount
    }
}

extension Unicode.Scalar {
    /// The UTF-8 bytes, lowest first, and their number.
    @inline(__always)
    var packedUTF8: (UInt32, Int) {
        let code = value
        if code < 0x80 { return (code, 1) }
        if code < 0x800 { return (0xc0 | code >> 6 | (0x80 | code & 0x3f) << 8, 2) }
        if code < 0x1_0000 {
            return (
                0xe0 | code >> 12 | (0x80 | code >> 6 & 0x3f) << 8 | (0x80 | code & 0x3f) << 16, 3
            )
        }
        let tail = (0x80 | code >> 6 & 0x3f) << 16 | (0x80 | code & 0x3f) << 24
        return (0xf0 | code >> 18 | (0x80 | code >> 12 & 0x3f) << 8 | tail, 4)
    }
}
