import Replication

extension EntityGraph {
    /// Returns the entities that a query matches, sorted, before applying its offset and limit.
    mutating func select(_ query: EntityQuery) throws(EntityStoreError) -> ContiguousArray<UInt32> {
        let types = query.types.map { wanted in Set(wanted.compactMap { names.find($0.text) }) }
        if let types, types.isEmpty { return [] }
        var prepared: [PreparedCondition] = []
        for condition in query.conditions {
            prepared.append(try PreparedCondition(condition, in: self))
        }
        let texts = query.text.isEmpty ? nil : matches(text: query.text)
        var found = candidates(prepared, texts) ?? listing()
        found.removeAll { node in
            let held = nodes[Int(node)]
            return !held.flags.contains(.isAlive) || types?.contains(held.type) == false
                || texts?.contains(node) == false
                || !prepared.allSatisfy { $0.holds(for: node, in: self) }
        }
        if !query.order.isEmpty { sort(&found, by: query.order) }
        return found
    }

    /// Returns the smallest set of entities that the text or a single condition leaves to test,
    /// oldest first; `nil` if every entity must be tested.
    private mutating func candidates(
        _ conditions: [PreparedCondition], _ texts: Set<UInt32>?
    ) -> ContiguousArray<UInt32>? {
        var fewest = texts.map(Array.init)
        for condition in conditions {
            guard !condition.condition.isNegated,
                case .ordinary(let key?) = condition.subject, let hashes = condition.test.hashes
            else { continue }
            var found: Set<UInt32> = []
            for hash in hashes {
                for slot in candidates(key: key, hash: hash) {
                    found.insert(slots[Int(slot)].node)
                }
            }
            if found.count < fewest?.count ?? .max { fewest = Array(found) }
        }
        guard let fewest else { return nil }
        return ContiguousArray(fewest.sorted { precedes($0, $1) })
    }

    private struct PreparedCondition {
        enum Subject {
            /// `nil` if no entity has a property with this key.
            case ordinary(UInt32?)
            case fixed(FixedProperty)
        }

        let condition: EntityCondition
        let test: ValueTest
        let subject: Subject

        init(_ condition: EntityCondition, in graph: EntityGraph)
            throws(EntityStoreError)
        {
            self.condition = condition
            test = try ValueTest(condition.test, in: graph)
            if let fixed = FixedProperty(rawValue: condition.key) {
                subject = .fixed(fixed)
            } else {
                subject = .ordinary(graph.names.find(condition.key))
            }
        }

        func holds(for node: UInt32, in graph: EntityGraph) -> Bool {
            passes(node, graph) != condition.isNegated
        }

        private func passes(_ node: UInt32, _ graph: EntityGraph) -> Bool {
            switch subject {
            case .ordinary(nil): return false
            case .ordinary(let key?):
                guard let slot = graph.slot(of: node, key: key),
                    let current = graph.currentEntry(of: slot)
                else { return false }
                if test.passes(graph.entries[Int(current)], in: graph) { return true }
                return !condition.readsNewestOnly
                    && graph.hasVisibleEntry(of: slot) { test.passes($0, in: graph) }
            case .fixed(let fixed):
                guard let value = graph.fixed(fixed, of: node)?.value else {
                    guard let key = graph.names.find(fixed.rawValue),
                        let entry = graph.current(node, key: key)
                    else { return false }
                    return test.passes(entry, in: graph)
                }
                return FixedTest.passes(value, condition.test)
            }
        }
    }

    // MARK: Order

    /// The value by which a property is sorted. All numbers are sorted together. In ascending
    /// order, they come before texts, and texts come before other values.
    private enum SortKey {
        case number(Double, exact: Int64)
        case text([UInt8])
        case other([UInt8])
        case missing

        var rank: Int {
            switch self {
            case .number: 0
            case .text: 1
            case .other: 2
            case .missing: 3
            }
        }

        /// Returns a negative number, zero, or a positive number. Missing values also stay last in
        /// descending order.
        func compare(_ other: SortKey, isDescending: Bool) -> Int {
            let sign = isDescending ? -1 : 1
            switch (self, other) {
            case (.number(let a, let exactA), .number(let b, let exactB)):
                if a < b { return -sign }
                if a > b { return sign }
                return exactA < exactB ? -sign : exactA > exactB ? sign : 0
            case (.text(let a), .text(let b)), (.other(let a), .other(let b)):
                if a == b { return 0 }
                return a.lexicographicallyPrecedes(b) ? -sign : sign
            case (.missing, .missing): return 0
            case (.missing, _): return 1
            case (_, .missing): return -1
            default: return rank < other.rank ? -sign : sign
            }
        }
    }

    private func sort(_ found: inout ContiguousArray<UInt32>, by order: [EntityOrder]) {
        let columns = order.map { order in
            let fixed = FixedProperty(rawValue: order.key)
            let key = names.find(order.key)
            return found.map { sortKey($0, fixed, key) }
        }
        // Places are in listing order, which breaks ties.
        let places = (0..<found.count).sorted { a, b in
            for (column, order) in zip(columns, order) {
                let result = column[a].compare(column[b], isDescending: order.isDescending)
                if result != 0 { return result < 0 }
            }
            return a < b
        }
        let unsorted = found
        for (place, number) in places.enumerated() { found[place] = unsorted[number] }
    }

    private func sortKey(_ node: UInt32, _ fixed: FixedProperty?, _ key: UInt32?) -> SortKey {
        if let fixed, let value = self.fixed(fixed, of: node)?.value {
            if let date = value.date?.microseconds { return .number(Double(date), exact: date) }
            return .text(FoldedText.fold(value.text))
        }
        guard let key, let entry = current(node, key: key) else { return .missing }
        let whole = Int64(bitPattern: entry.payload)
        switch entry.kind {
        case .integer, .boolean, .date: return .number(Double(whole), exact: whole)
        case .double:
            let number = Double(bitPattern: entry.payload)
            if number.isNaN { return .number(.infinity, exact: .max) }
            // Equal to the integer with the same value.
            return .number(number, exact: Int64(exactly: number) ?? 0)
        case .string: return .text(FoldedText.fold(text(of: entry)))
        case .relationship: return .other(Array(identifier(of: UInt32(entry.payload)).utf8))
        case .data, .array, .dictionary: return .other(Array(bytes(of: entry)))
        }
    }
}

/// Tests of fixed properties, which are strings and dates.
private enum FixedTest {
    static func passes(_ value: EntityValue, _ test: EntityCondition.Test) -> Bool {
        switch test {
        case .exists: return true
        case .isIn(let values): return values.contains(value)
        case .contains(let part):
            return FoldedText.contains(FoldedText.fold(value.text), FoldedText.fold(part))
        case .between(let low, let high):
            return isOrdered(low, value) && isOrdered(value, high)
        }
    }

    private static func isOrdered(_ a: EntityValue?, _ b: EntityValue?) -> Bool {
        switch (a, b) {
        case (nil, _), (_, nil): true
        case (.string(let a)?, .string(let b)?):
            !FoldedText.fold(b).lexicographicallyPrecedes(FoldedText.fold(a))
        case (.date(let a)?, .date(let b)?): a <= b
        default: false
        }
    }
}
