/// Differences between two states in the document's history.
///
/// The affected objects are found from the operations that only one of the states contains. In
/// maps, only the keys of these operations are compared. Lists are traversed once.
extension Engine {
    /// Runs `body` and returns patches for its effects on the document.
    mutating func patches(
        _ body: (inout Engine) throws(FormatError) -> Void
    ) throws(FormatError) -> [Patch] {
        commit()
        let before = Set(graph.headHashes)
        try body(&self)
        return difference(from: before, to: Set(graph.headHashes))
    }

    mutating func difference(
        from before: Set<ChangeHash>, to after: Set<ChangeHash>
    ) -> [Patch] {
        comparison(from: before, to: after).patches
    }

    /// Returns the patches, and the number of objects that were omitted because of their paths'
    /// length.
    mutating func comparison(
        from before: Set<ChangeHash>, to after: Set<ChangeHash>
    ) -> (patches: [Patch], leftOut: Int) {
        commit()
        let isBefore = graph.ancestors(of: before.compactMap { graph.index(of: $0) })
        let isAfter = graph.ancestors(of: after.compactMap { graph.index(of: $0) })
        // The rows that only one of the states has, by object.
        var touched: [UInt32: [UInt32]] = [:]
        for change in 0..<graph.count where isBefore[change] != isAfter[change] {
            let record = graph.records[change]
            for row in record.firstRow..<record.firstRow + record.operationCount {
                touched[opSet.operations[row].object, default: []].append(row)
            }
        }
        guard !touched.isEmpty else { return ([], 0) }
        var comparison = Comparison(
            before: graph.clock(of: isBefore, actors: opSet.actors.count),
            after: graph.clock(of: isAfter, actors: opSet.actors.count),
            pathElements: Limits.pathElements(objects: touched.count))
        var waiting = SortedObjects(touched.keys, in: opSet)
        while let object = waiting.popFirst() {
            let isNew = comparison.fresh.contains(object)
            guard let depth = depth(of: object, at: comparison.after, &comparison.depthsAfter)
            else { continue }
            if !isNew,
                self.depth(of: object, at: comparison.before, &comparison.depthsBefore) == nil
            {
                // An omitted object contains this object, and both became visible. Without the
                // omission, the comparison would have found this object through its parent.
                comparison.leftOut += 1
                continue
            }
            guard depth <= comparison.pathElements,
                let path = path(of: object, at: comparison.after, known: comparison.lastPath)
            else {
                comparison.leftOut += 1
                continue
            }
            comparison.pathElements -= depth
            comparison.lastPath = (object, path)
            comparison.builder.enter(opSet.id(of: object), path: path)
            let found =
                opSet.objects[object].isMap
                ? compareMap(object, isNew ? nil : touched[object], &comparison)
                : compareList(object, isNew: isNew, &comparison)
            comparison.builder.flushText()
            for child in found where comparison.fresh.insert(child).inserted {
                waiting.insert(child, in: opSet)
            }
        }
        return (comparison.builder.patches, comparison.leftOut)
    }

    /// The state of a comparison.
    struct Comparison {
        let before: Clock
        let after: Clock
        var builder = PatchBuilder()
        /// The objects that had no visible contents in the earlier state.
        var fresh: Set<UInt32> = []
        /// The known depths of objects. The depth is `nil` for an object that isn't visible,
        /// because another value has replaced the object itself or an object that contains it.
        var depthsBefore: [UInt32: Int?] = [:]
        var depthsAfter: [UInt32: Int?] = [:]
        /// The path of the previous object, which often contains the next one.
        var lastPath: (object: UInt32, path: [PathElement])?
        /// The number of elements that all further paths together may still have.
        var pathElements: Int
        var leftOut = 0
    }

    /// Objects sorted by identifier. An object always comes after the object that contains it.
    struct SortedObjects {
        private var objects: [UInt32]

        init(_ objects: some Sequence<UInt32>, in set: borrowing OpSet) {
            // Precompute the sort key of each object.
            let ranked = objects.map { object -> (rank: (UInt64, Int), object: UInt32) in
                guard object != OpSet.rootObject else { return ((0, -1), object) }
                let maker = set.operations[set.objects[object].maker]
                return ((UInt64(maker.counter), Int(set.actors.ranks[maker.actor])), object)
            }
            self.objects = ranked.sorted { $0.rank > $1.rank }.map(\.object)
        }

        mutating func insert(_ object: UInt32, in set: borrowing OpSet) {
            let place = objects.indices.firstPosition {
                !Self.precedes(object, objects[$0], in: set)
            }
            if place < objects.count, objects[place] == object { return }
            objects.insert(object, at: place)
        }

        /// Removes the first object. The array is in descending order, so that the first object is
        /// at its end.
        mutating func popFirst() -> UInt32? { objects.popLast() }

        private static func precedes(
            _ left: UInt32, _ right: UInt32, in set: borrowing OpSet
        ) -> Bool {
            if left == OpSet.rootObject || right == OpSet.rootObject {
                return left == OpSet.rootObject && right != left
            }
            return set.precedes(set.objects[left].maker, set.objects[right].maker)
        }
    }

    /// Returns the nesting depth of an object at a clock: the number of objects that contain it.
    /// Returns `nil` if the object isn't visible, because another value hides the object or an
    /// object that contains it.
    ///
    /// - Parameter known: The known depths of other objects. The depths found are added.
    /// - Complexity: O(1) per object with an unknown depth.
    private mutating func depth(
        of object: UInt32, at clock: Clock, _ known: inout [UInt32: Int?]
    ) -> Int? {
        var inside: [UInt32] = []
        var current = object
        var depth: Int? = 0
        while current != OpSet.rootObject {
            if let found = known[current] {
                depth = found
                break
            }
            inside.append(current)
            current = opSet.operations[opSet.objects[current].maker].object
        }
        while let current = inside.popLast() {
            if let around = depth { depth = isShown(current, at: clock) ? around + 1 : nil }
            known[current] = .some(depth)
        }
        return depth
    }

    /// Returns whether an object is the value that its key or element shows at a clock.
    private func isShown(_ object: UInt32, at clock: Clock) -> Bool {
        let maker = opSet.objects[object].maker
        let operation = opSet.operations[maker]
        guard opSet.objects[operation.object].isMap else {
            let element = operation.isInsert ? maker : operation.key
            return opSet.winner(
                slot: opSet.operations[element].slot, element: element, at: clock) == maker
        }
        guard let slot = opSet.slot(object: operation.object, name: operation.key) else {
            return false
        }
        return opSet.winner(slot: slot, element: none, at: clock) == maker
    }

    // MARK: Maps

    /// Compares the keys that `rows` affect. If `rows` is `nil`, the map is new, and all keys are
    /// compared.
    ///
    /// - Returns: The objects that became visible.
    private mutating func compareMap(
        _ object: UInt32, _ rows: [UInt32]?, _ comparison: inout Comparison
    ) -> [UInt32] {
        var names: [UInt32]
        if let rows {
            names = Set(rows.map { opSet.operations[$0].key }).sorted {
                opSet.names.precedes($0, $1)
            }
        } else {
            names = Array(opSet.sortedNames(of: object))
        }
        var found: [UInt32] = []
        for name in names {
            guard let slot = opSet.slot(object: object, name: name) else { continue }
            let old =
                rows == nil
                ? [] : opSet.visibleRows(slot: slot, element: none, at: comparison.before)
            let new = opSet.visibleRows(slot: slot, element: none, at: comparison.after)
            let key = opSet.names.string(name)
            guard let winner = new.last else {
                if !old.isEmpty { comparison.builder.delete(key: key) }
                continue
            }
            if winner == old.last {
                keep(winner, .Key(key), old: old.count, new: new.count, &comparison)
            } else {
                comparison.builder.put(
                    .Key(key), opSet.value(of: winner, at: comparison.after))
                note(winner, &found)
            }
        }
        return found
    }

    /// Adds patches for a value that is still set by the same operation.
    private func keep(
        _ row: UInt32, _ prop: Prop, old: Int, new: Int, _ comparison: inout Comparison
    ) {
        if old <= 1, new > 1 { comparison.builder.conflict(prop) }
        guard opSet.operations[row].isCounter else { return }
        let before = opSet.counter(row, at: comparison.before)
        let after = opSet.counter(row, at: comparison.after)
        if before != after { comparison.builder.increment(prop, by: after &- before) }
    }

    private func note(_ row: UInt32, _ found: inout [UInt32]) {
        let operation = opSet.operations[row]
        if Action.makesObject(operation.action) { found.append(operation.value) }
    }

    // MARK: Lists and texts

    private mutating func compareList(
        _ object: UInt32, isNew: Bool, _ comparison: inout Comparison
    ) -> [UInt32] {
        let isText = opSet.objects[object].isText
        var found: [UInt32] = []
        var old = MarkState()
        var new = MarkState()
        var marks = MarkComparison()
        var index = 0
        var leaf = opSet.objects[object].root.first
        while leaf != none {
            for place in 0..<Int(opSet.elements.leaves[leaf].count) {
                let element = opSet.elements.row(leaf, place)
                let operation = opSet.operations[element]
                if operation.action == Action.mark {
                    if !isNew, comparison.before.covers(operation) { old.pass(element, in: opSet) }
                    if comparison.after.covers(operation) { new.pass(element, in: opSet) }
                    continue
                }
                let was =
                    isNew
                    ? none
                    : opSet.winner(
                        slot: operation.slot, element: element, at: comparison.before)
                let winner = opSet.winner(
                    slot: operation.slot, element: element, at: comparison.after)
                if winner == none {
                    if was != none {
                        comparison.builder.flushText()
                        comparison.builder.delete(at: index, length: opSet.width(of: was))
                    }
                    continue
                }
                let width = opSet.width(of: winner)
                marks.update(old: old, new: new, in: opSet)
                if winner == was {
                    if !marks.changes.isEmpty {
                        comparison.builder.flushText()
                        comparison.builder.mark(marks.changes, at: index, length: width)
                    }
                    if operation.slot != none || operation.isCounter {
                        comparison.builder.flushText()
                        keep(
                            winner, .Index(UInt64(index)),
                            old: opSet.visibleRows(
                                slot: operation.slot, element: element, at: comparison.before
                            ).count,
                            new: opSet.visibleRows(
                                slot: operation.slot, element: element, at: comparison.after
                            ).count, &comparison)
                    }
                } else {
                    if isText, was != none {
                        comparison.builder.flushText()
                        comparison.builder.delete(at: index, length: opSet.width(of: was))
                    }
                    add(
                        winner, at: index, isText: isText, isPut: was != none, marks.holding,
                        &comparison)
                    note(winner, &found)
                }
                index += width
            }
            leaf = opSet.elements.leaves[leaf].next
        }
        return found
    }

    private func add(
        _ row: UInt32, at index: Int, isText: Bool, isPut: Bool, _ marks: [String: Value],
        _ comparison: inout Comparison
    ) {
        let operation = opSet.operations[row]
        if isText, operation.action == Action.set, operation.valueType == ValueType.string {
            let text = opSet.withValue(of: row) { String(decoding: $0, as: UTF8.self) }
            comparison.builder.splice(
                text, at: index, length: opSet.width(of: row), marks: marks)
            return
        }
        comparison.builder.flushText()
        let value = opSet.value(of: row, at: comparison.after)
        if isPut, !isText {
            comparison.builder.put(.Index(UInt64(index)), value)
        } else {
            comparison.builder.insert(value, at: index, marks: marks)
        }
    }

    /// The marks at one position in the earlier and the later state, recomputed only when they
    /// change.
    private struct MarkComparison {
        private var versions = (old: 0, new: 0)
        /// The marks in effect in the later state.
        private(set) var holding: [String: Value] = [:]
        /// The marks that came into effect, and `.Null` for marks that are no longer in effect.
        private(set) var changes: [(name: String, value: ScalarValue)] = []

        mutating func update(old: MarkState, new: MarkState, in set: borrowing OpSet) {
            guard versions.old != old.version || versions.new != new.version else { return }
            versions = (old.version, new.version)
            var before: [String: ScalarValue] = [:]
            for (name, row) in old.current { before[set.names.string(name)] = set.scalar(of: row) }
            var after: [String: ScalarValue] = [:]
            for (name, row) in new.current { after[set.names.string(name)] = set.scalar(of: row) }
            holding = after.filter { $0.value != .Null }.mapValues { .Scalar($0) }
            changes = []
            for name in Set(before.keys).union(after.keys).sorted() {
                let value = after[name] ?? .Null
                if (before[name] ?? .Null) != value { changes.append((name, value)) }
            }
        }
    }
}
