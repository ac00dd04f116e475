extension OpSet {
    /// Integrates an appended row. Can't fail, because the row has already been checked.
    ///
    /// The row's object, key and predecessors must be set and refer to existing rows.
    mutating func integrate(_ row: UInt32) {
        let operation = operations[row]
        if Action.makesObject(operation.action) { makeObject(for: row) }
        if operation.isInsert {
            let place = insertionPlace(of: row, after: operation.key, in: operation.object)
            insertElement(row, leaf: place.leaf, index: place.index)
        } else if objects[operation.object].isMap {
            let slot = makeSlot(object: operation.object, name: operation.key)
            write(row, to: slot, element: none)
        } else {
            write(row, to: makeSlot(element: operation.key), element: operation.key)
        }
    }

    /// Creates the object of a make operation.
    mutating func makeObject(for row: UInt32) {
        let action = operations[row].action
        var object = Object(maker: row, type: action)
        if object.isMap {
            object.keys = UInt32(mapKeys.count)
            mapKeys.append(MapKeys())
        }
        operations[row].value = UInt32(objects.count)
        objects.append(object)
    }

    /// Returns the place of an insertion: after the element that it follows, and after insertions
    /// at the same place with higher identifiers.
    private func insertionPlace(
        of row: UInt32, after reference: UInt32, in object: UInt32
    ) -> (leaf: UInt32, index: Int) {
        let root = objects[object].root
        var leaf: UInt32
        var index: Int
        if reference == none {
            leaf = root.first
            index = 0
        } else {
            leaf = operations[reference].place
            index = elements.index(of: reference, in: leaf) + 1
        }
        guard leaf != none else { return (none, 0) }
        let counter = operations[row].counter
        while true {
            while index < Int(elements.leaves[leaf].count) {
                if !precedes(row, elements.row(leaf, index)) { return (leaf, index) }
                index += 1
            }
            let next = elements.leaves[leaf].next
            if next == none || !precedes(row, elements.row(next, 0)) { return (leaf, index) }
            // Skip leaves, so that few have to be searched even with many concurrent insertions.
            leaf = elements.leaf(behind: leaf, withCounterUpTo: counter)
            guard leaf != none else {
                return (root.last, Int(elements.leaves[root.last].count))
            }
            index = 0
        }
    }

    /// Inserts an element at its place. The element is visible if the row holds a value.
    @inline(__always)
    @discardableResult
    mutating func insertElement(
        _ row: UInt32, leaf: UInt32, index: Int
    ) -> (leaf: UInt32, index: Int) {
        let operation = operations[row]
        let isVisible = operation.holdsValue && operation.successors == none
        if isVisible { operations[row].flags |= Operation.visibleFlag }
        if operation.action == Action.mark { objects[operation.object].hasMarks = true }
        let table = widths
        return elements.insert(
            row, visible: isVisible, width: isVisible ? table.width(of: row) : 0, leaf: leaf,
            index: index, in: &objects[operation.object].root, widths: table)
    }

    /// Links a row with its predecessors. Returns the number of predecessors that it hid.
    @discardableResult
    mutating func supersede(by row: UInt32) -> UInt32 {
        let field = operations[row].predecessors
        let count = links.count(field)
        var hidden: UInt32 = 0
        for index in 0..<count {
            let predecessor = links.row(field, index)
            var successors = operations[predecessor].successors
            links.add(row, to: &successors)
            operations[predecessor].successors = successors
            if operations[predecessor].isVisible, hides(row, predecessor) {
                operations[predecessor].flags &= ~Operation.visibleFlag
                hidden += 1
            }
        }
        return hidden
    }

    /// Returns whether a successor hides its predecessor. All successors do, except increments of
    /// counters.
    @inline(__always)
    func hides(_ successor: UInt32, _ row: UInt32) -> Bool {
        !(operations[successor].action == Action.increment && operations[row].isCounter)
    }

    /// Adds a row to a slot and updates what is visible. In a list, `element` is the slot's
    /// element.
    mutating func write(_ row: UInt32, to slot: UInt32, element: UInt32) {
        let operation = operations[row]
        let before = element == none ? 0 : widths.width(ofElement: element)
        var state = slots[slot]
        state.visibleCount -= supersede(by: row)
        if operation.action != Action.delete {
            chain(row, into: &state, slot)
            if operation.holdsValue, operation.successors == none {
                operations[row].flags |= Operation.visibleFlag
                state.visibleCount += 1
                if state.winner == none || precedes(state.winner, row) { state.winner = row }
            }
        }
        if state.visibleCount == 0 {
            state.winner = none
        } else if state.winner == none || !operations[state.winner].isVisible {
            state.winner = newestVisible(of: state, element: element)
        }
        slots[slot] = state
        if element != none { refresh(element, widthBefore: before) }
    }

    /// Hides the operations superseded by the deletion of an element without a slot.
    @inline(__always)
    mutating func deletePlain(_ row: UInt32, element: UInt32, leaf: UInt32, index: Int) {
        let width = widths.width(of: element)
        operations[element].flags &= ~Operation.visibleFlag
        var successors = operations[element].successors
        links.add(row, to: &successors)
        operations[element].successors = successors
        let object = Int(operations[element].object)
        elements.update(
            leaf: leaf, index: index, visible: false, old: width, new: 0,
            in: &objects[object].root)
    }

    /// Inserts a row into its slot's chain, which leads from the newest row to the oldest.
    private mutating func chain(_ row: UInt32, into state: inout Slot, _ slot: UInt32) {
        if state.newest == none || precedes(state.newest, row) {
            operations[row].place = state.newest
            state.newest = row
            return
        }
        // A concurrent operation belongs in the middle of the chain. Find the place with the help
        // of the samples.
        var samples = chainSamples[slot] ?? []
        let first = samples.indices.firstPosition { precedes(row, samples[$0]) }
        var newer = first < samples.count ? samples[first] : state.newest
        var passed: [UInt32] = []
        var steps = 0
        while operations[newer].place != none, precedes(row, operations[newer].place) {
            newer = operations[newer].place
            steps += 1
            if steps % Self.chainSampleDistance == 0 { passed.append(newer) }
        }
        if !passed.isEmpty {
            samples.insert(contentsOf: passed.reversed(), at: first)
            chainSamples[slot] = samples
        }
        operations[row].place = operations[newer].place
        operations[newer].place = row
    }

    private static let chainSampleDistance = 64

    private func newestVisible(of slot: Slot, element: UInt32) -> UInt32 {
        // No row newer than the previous winner is visible, so the search starts after it.
        var row =
            slot.winner == none || slot.winner == element
            ? slot.newest : operations[slot.winner].place
        while row != none {
            if operations[row].isVisible { return row }
            row = operations[row].place
        }
        return element != none && operations[element].isVisible ? element : none
    }

    /// Updates the tree after the visible value of an element has changed.
    private mutating func refresh(_ element: UInt32, widthBefore: Int) {
        let leaf = operations[element].place
        let index = elements.index(of: element, in: leaf)
        let table = widths
        let isVisible = table.isVisible(element: element)
        let object = Int(operations[element].object)
        elements.update(
            leaf: leaf, index: index, visible: isVisible, old: widthBefore,
            new: isVisible ? table.width(ofElement: element) : 0, in: &objects[object].root)
    }

    /// Returns the visible rows of a slot or element, oldest first.
    func visibleRows(slot: UInt32, element: UInt32) -> ContiguousArray<UInt32> {
        if slot == none {
            return element != none && operations[element].isVisible ? [element] : []
        }
        let state = slots[slot]
        if state.visibleCount == 0 { return [] }
        if state.visibleCount == 1 { return [state.winner] }
        var rows = ContiguousArray<UInt32>()
        var row = state.newest
        while row != none, rows.count < Int(state.visibleCount) {
            if operations[row].isVisible { rows.append(row) }
            row = operations[row].place
        }
        if rows.count < Int(state.visibleCount), element != none { rows.append(element) }
        rows.reverse()
        return rows
    }
}
