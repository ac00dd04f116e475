import Foundation
import LosslessJSON
import Replication

/// Reads of a graph without pending changes.
extension EntityGraph {
    /// Returns the entity with this identifier if it exists.
    func find(_ identifier: String) -> UInt32? {
        guard let node = known(identifier), nodes[Int(node)].flags.contains(.isAlive) else {
            return nil
        }
        return node
    }

    /// Returns the entity with this identifier, including deleted entities and those that are only
    /// referenced.
    func known(_ identifier: String) -> UInt32? {
        guard let name = names.find(identifier), Int(name) < nodeOfName.count else { return nil }
        let node = nodeOfName[Int(name)]
        return node == Self.none ? nil : node
    }

    func identifier(of node: UInt32) -> String { names[nodes[Int(node)].name] }

    func reference(to node: UInt32) -> EntityReference { .identifier(identifier(of: node)) }

    /// Returns the slot of a property, even if the entity is deleted.
    func slot(of identifier: String, key: String) -> UInt32? {
        guard let node = known(identifier), let key = names.find(key) else { return nil }
        return slot(of: node, key: key)
    }

    /// Returns the current entry of a property, by number.
    func currentEntry(of slot: UInt32) -> UInt32? {
        let current = slots[Int(slot)].current
        return current == Self.none ? nil : current
    }

    func current(_ node: UInt32, key: UInt32) -> Entry? {
        guard let slot = slot(of: node, key: key) else { return nil }
        return currentEntry(of: slot).map { entries[Int($0)] }
    }

    /// Returns the newest datestamp of the entity's properties, or the entity's own datestamp if it
    /// has no properties.
    func modified(_ node: UInt32) -> Int64 {
        var newest: Int64?
        for slot in slotNumbers(of: node) {
            guard let current = currentEntry(of: slot) else { continue }
            newest = max(newest ?? .min, entries[Int(current)].date)
        }
        return newest ?? nodes[Int(node)].date
    }

    func bytes(of entry: Entry) -> ArraySlice<UInt8> {
        let start = Int(entry.payload)
        return bytes[start..<start + Int(entry.length)]
    }

    func text(of entry: Entry) -> String {
        let start = Int(entry.payload)
        return bytes.withUnsafeBufferPointer {
            String(
                decoding: UnsafeBufferPointer(rebasing: $0[start..<start + Int(entry.length)]),
                as: UTF8.self)
        }
    }

    /// Decodes a value. A damaged array or dictionary decodes to its text.
    func value(of entry: Entry) -> EntityValue {
        switch entry.kind {
        case .string: return .string(text(of: entry))
        case .integer: return .integer(Int64(bitPattern: entry.payload))
        case .double: return .double(Double(bitPattern: entry.payload))
        case .boolean: return .boolean(entry.payload != 0)
        case .date:
            return .date(Timestamp(microseconds: Int64(bitPattern: entry.payload)))
        case .data: return .data(Data(bytes(of: entry)))
        case .relationship: return .relationship(reference(to: UInt32(entry.payload)))
        case .array, .dictionary:
            if let json = try? JSONParser.parse(Array(bytes(of: entry))),
                let value = try? EntityValue(json: json), value.kind == entry.kind
            {
                return value
            }
            return .string(text(of: entry))
        }
    }

    func property(of entry: Entry) -> Property {
        let value = value(of: entry)
        return Property(
            value, type: entry.tag == 0 ? nil : names[entry.tag],
            datestamp: Timestamp(microseconds: entry.date),
            device: devices[Int(original(of: entry).device)])
    }

    /// Returns the keys in the order in which properties are returned.
    func sorted(keys: [String]) -> [UInt32] {
        Set(keys.compactMap { names.find($0) }).sorted { names.precedes($0, $1) }
    }

    /// Returns the current properties: all of them, or those with `keys`, which must be in key
    /// order.
    func properties(of node: UInt32, keys: [UInt32]? = nil) -> PropertyDictionary {
        let found = sortedSlots(of: node, keys: keys)
        var elements: [PropertyDictionary.Element] = []
        elements.reserveCapacity(found.count)
        for slot in found {
            guard let current = currentEntry(of: slot) else { continue }
            elements.append(
                PropertyDictionary.Element(
                    key: names[slots[Int(slot)].key],
                    property: property(of: entries[Int(current)])))
        }
        return PropertyDictionary(sorted: elements)
    }

    /// Returns the older values of each property that has several.
    private func furtherValues(of node: UInt32) -> [Name: [EntityValue]] {
        var found: [Name: [EntityValue]] = [:]
        for number in slotNumbers(of: node) {
            let slot = slots[Int(number)]
            // A slot with one entry needs no walk along its chain.
            guard slot.firstEntry != Self.none, slot.current != Self.none,
                entries[Int(slot.firstEntry)].next != Self.none
            else { continue }
            let values = visibleEntries(of: number).filter { $0 != slot.current }
                .map { value(of: entries[Int($0)]) }
            if !values.isEmpty { found[names[slot.key]] = values }
        }
        return found
    }

    /// - Parameter withFurther: Whether to include older values of properties with several values.
    func record(
        of node: UInt32, keys: [UInt32]? = nil, withFurther: Bool = false
    ) -> EntityRecord {
        EntityRecord(
            identifier: identifier(of: node), type: names[nodes[Int(node)].type],
            datestamp: Timestamp(microseconds: nodes[Int(node)].date),
            modified: Timestamp(microseconds: modified(node)),
            properties: properties(of: node, keys: keys),
            further: withFurther ? furtherValues(of: node) : [:],
            conflicts: conflictedKeys(of: node))
    }

    /// Returns a fixed property; `nil` if an ordinary property of that name replaces it.
    func fixed(_ property: FixedProperty, of node: UInt32) -> Property? {
        let found = nodes[Int(node)]
        let value: EntityValue
        switch property {
        case .identifier: value = .string(names[found.name])
        case .type: value = .string(names[found.type])
        case .datestamp: value = .date(Timestamp(microseconds: found.date))
        case .modified:
            if let key = names.find(property.rawValue), current(node, key: key) != nil {
                return nil
            }
            value = .date(Timestamp(microseconds: modified(node)))
        }
        return Property(
            value, type: property.semanticType,
            datestamp: Timestamp(microseconds: found.date))
    }

    /// Returns the visible entries of a property, newest first.
    func visibleEntries(of slot: UInt32) -> [UInt32] {
        entryNumbers(of: slot).filter { isVisible(entries[Int($0)]) }
            .sorted { isNewer(entries[Int($0)], entries[Int($1)]) }
    }

    /// Returns whether a visible entry passes the test.
    func hasVisibleEntry(of slot: UInt32, where passes: (Entry) -> Bool) -> Bool {
        hasEntry(of: slot) { isVisible($0) && passes($0) }
    }

    /// Returns whether any entry in the history of a property passes the test.
    func hasEntry(of slot: UInt32, where passes: (Entry) -> Bool) -> Bool {
        var next = slots[Int(slot)].firstEntry
        while next != Self.none {
            let entry = entries[Int(next)]
            if passes(entry) { return true }
            next = entry.next
        }
        return false
    }

    /// Returns the full history of a property, newest first.
    func history(of slot: UInt32) -> [PropertyEntry] {
        let numbers = entryNumbers(of: slot).sorted {
            isNewer(entries[Int($0)], entries[Int($1)])
        }
        let key = names[slots[Int(slot)].key]
        let current = slots[Int(slot)].current
        return numbers.map { number in
            let entry = entries[Int(number)]
            let original = original(of: entry)
            return PropertyEntry(
                id: id(of: entry), key: key, property: property(of: entry),
                written: Timestamp(microseconds: entry.timestamp),
                author: devices[Int(original.device)],
                authored: Timestamp(microseconds: original.timestamp),
                isRemoved: !isVisible(entry), isCurrent: number == current)
        }
    }

    /// Returns the slots of an entity in key order: all of them, or those with `keys`, which must
    /// be in key order.
    func sortedSlots(of node: UInt32, keys: [UInt32]? = nil) -> [UInt32] {
        if let keys { return keys.compactMap { slot(of: node, key: $0) } }
        return slotNumbers(of: node).sorted {
            names.precedes(slots[Int($0)].key, slots[Int($1)].key)
        }
    }

    // MARK: Relationships

    func relation(_ entry: Entry) -> EntityRelation {
        let slot = slots[Int(entry.slot)]
        let target = UInt32(entry.payload)
        return EntityRelation(
            source: reference(to: slot.node), key: names[slot.key],
            target: reference(to: target),
            type: entry.tag == 0 ? EntityValueKind.relationship.name : names[entry.tag],
            datestamp: Timestamp(microseconds: entry.date),
            device: devices[Int(entry.device)],
            isTargetMissing: !nodes[Int(target)].flags.contains(.isAlive))
    }

    /// Returns the visible relationships of an entity, by key, newest first.
    func outgoing(from node: UInt32) -> [EntityRelation] {
        sortedSlots(of: node).flatMap { slot in
            visibleEntries(of: slot).map { entries[Int($0)] }
                .filter { $0.kind == .relationship }.map(relation)
        }
    }

    /// Returns the relationships that point to an entity, newest first.
    func incoming(to node: UInt32) -> [EntityRelation] {
        let visible = incomingNumbers(of: node).map { entries[Int($0)] }.filter { entry in
            let owner = nodes[Int(slots[Int(entry.slot)].node)]
            return owner.flags.contains(.isAlive) && isVisible(entry)
        }
        return visible.sorted { isNewer($0, $1) }.map(relation)
    }

    // MARK: Lists

    /// Returns the living entities, oldest first, then by identifier.
    mutating func listing() -> ContiguousArray<UInt32> {
        if let listed { return listed }
        var found = ContiguousArray<UInt32>()
        found.reserveCapacity(nodes.count)
        for number in nodes.indices where nodes[number].flags.contains(.isAlive) {
            found.append(UInt32(number))
        }
        found.sort { precedes($0, $1) }
        listed = found
        return found
    }

    func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
        let (first, second) = (nodes[Int(a)], nodes[Int(b)])
        if first.date != second.date { return first.date < second.date }
        return names.precedes(first.name, second.name)
    }

    /// Returns the number of entities per type.
    func typeCounts() -> [Name: Int] {
        var counts: [UInt32: Int] = [:]
        for node in nodes where node.flags.contains(.isAlive) {
            counts[node.type, default: 0] += 1
        }
        return Dictionary(counts.map { (Name(names[$0.key]), $0.value) }, uniquingKeysWith: +)
    }

    /// Returns the number of entities that have each property, by type and key.
    func keyCounts() -> [Name: [Name: Int]] {
        var counts: [SlotKey: Int] = [:]
        for slot in slots where slot.current != Self.none {
            let node = nodes[Int(slot.node)]
            guard node.flags.contains(.isAlive) else { continue }
            counts[SlotKey(node: node.type, key: slot.key), default: 0] += 1
        }
        var named: [Name: [Name: Int]] = [:]
        for (place, count) in counts {
            named[names[place.node], default: [:]][names[place.key]] = count
        }
        return named
    }

    /// The number of properties with a current value.
    var propertyCount: Int {
        slots.count { slot in
            slot.current != Self.none && nodes[Int(slot.node)].flags.contains(.isAlive)
        }
    }
}
