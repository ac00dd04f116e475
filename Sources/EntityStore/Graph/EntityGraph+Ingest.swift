import Replication

extension EntityGraph {
    /// The maximum number of an entity's slots that are found by walking their chain. With more
    /// slots, a table is used.
    private static let chainLimit = 32

    /// Adds the rows of a device that follow the rows ingested before.
    ///
    /// The caller has checked the batch: ids are consecutive and names exist. Nothing can be read
    /// before ``applyPending()``.
    ///
    /// - Throws: ``EntityStoreError`` with code `.unreadable` if there are too many rows.
    mutating func ingest(_ batch: EntityRowBatch) throws(EntityStoreError) {
        guard entries.count + batch.rows.count < Int(UInt32.max) / 2,
            names.count + batch.names.count < Int(UInt32.max) / 2
        else { throw EntityStoreError(.unreadable, "the store has more rows than fit in memory") }
        let device = try number(of: batch.device)
        for cover in batch.covers {
            for other in cover.upTo.keys { _ = try number(of: other) }
            for other in cover.rows.keys { _ = try number(of: other) }
            if let other = cover.restated?.device { _ = try number(of: other) }
        }
        takeNames(batch.names, device)
        let base = UInt64(bytes.count)
        bytes.append(contentsOf: batch.bytes)
        if batch.rows.count > 1000 {
            entries.reserveCapacity(entries.count + batch.rows.count)
            slots.reserveCapacity(slots.count + batch.rows.count)
        }
        for row in batch.rows {
            let name = localNames[Int(device)][Int(row.entity)]
            let node = node(named: name)
            switch row.operation {
            case .entry: add(row, to: node, device, base: base)
            case .creation: create(node, row, device)
            case .removal: remove(row, of: node, device, batch.covers[Int(row.payload)])
            case .deletion: delete(node, row, device)
            }
        }
        // Skipped rows also have numbers.
        let last = max(batch.lastRow, batch.rows.last?.id ?? 0)
        if last > 0 { lastRows[device] = max(lastRows[device] ?? 0, last) }
        bumpVersion()
    }

    private mutating func takeNames(_ new: [String], _ device: UInt16) {
        guard !new.isEmpty else { return }
        if new.count > 1000 {
            names.reserve(new.count)
            nodes.reserveCapacity(nodes.count + new.count)
        }
        var local = ContiguousArray<UInt32>()
        swap(&local, &localNames[Int(device)])
        local.reserveCapacity(local.count + new.count)
        for name in new { local.append(names.intern(name)) }
        swap(&local, &localNames[Int(device)])
    }

    // MARK: Entries

    private mutating func add(
        _ row: EntityRowBatch.Row, to node: UInt32, _ device: UInt16, base: UInt64
    ) {
        let key = localNames[Int(device)][Int(row.key)]
        let slot = makeSlot(of: node, key: key)
        let number = UInt32(entries.count)
        var entry = Entry(
            timestamp: row.timestamp, date: row.date, payload: row.payload, length: row.length,
            slot: slot, next: slots[Int(slot)].firstEntry,
            tag: localNames[Int(device)][Int(row.tag)], row: row.id, device: device,
            kind: row.kind)
        switch row.kind {
        case .relationship:
            let target = self.node(named: localNames[Int(device)][Int(row.payload)])
            entry.payload = UInt64(target)
            entry.length = nodes[Int(target)].firstIncoming
            nodes[Int(target)].firstIncoming = number
        case .string, .data, .array, .dictionary: entry.payload += base
        case .integer, .double, .boolean, .date: break
        }
        if slots[Int(slot)].flags.contains(.hasCover), isCovered(entry) {
            entry.flags.insert(.isRemoved)
        }
        if !replacing.isEmpty, let last = replacing[device], last.slot == slot,
            last.timestamp == row.timestamp
        {
            replacing[device] = nil
            entry.flags.insert(.isReplacing)
            if let seen = last.seen {
                causes[SlotDevice(slot: slot, device: device), default: []]
                    .append(Causes(row: row.id, seen: seen))
            }
            if let original = last.restated {
                restated[Self.singleKey(device, row.id)] = original
            }
            markDirty(slot: slot)
        }
        let making = nodes[Int(node)].firstCreation
        if making == Self.none {
            noteUnmade(node, date: row.date)
        } else {
            let stamp = creations[Int(making)].stamp
            if stamp.device != device {
                noteFirst(&entry, of: node)
            } else if stamp.timestamp == row.timestamp {
                // Most properties have one entry.
                if entry.next == Self.none {
                    entry.flags.insert(.isFirst)
                } else {
                    noteFirst(&entry, of: node)
                }
            }
        }
        entries.append(entry)
        slots[Int(slot)].firstEntry = number
        noteEntry(number)
        if nodes[Int(node)].newest < row.timestamp { nodes[Int(node)].newest = row.timestamp }
        touch(slot: slot)
        guard !slots[Int(slot)].flags.contains(.isDirty), isVisible(entry) else { return }
        let current = slots[Int(slot)].current
        if current == Self.none || isNewer(entry, entries[Int(current)]) {
            slots[Int(slot)].current = number
        }
    }

    /// Marks a new entry as its property's initial value, if the same write created the entity and
    /// gives the property no other value.
    private mutating func noteFirst(_ entry: inout Entry, of node: UInt32) {
        var making = nodes[Int(node)].firstCreation
        while making != Self.none, creations[Int(making)].stamp.device != entry.device {
            making = creations[Int(making)].next
        }
        guard making != Self.none,
            creations[Int(making)].stamp.timestamp == entry.timestamp
        else { return }
        guard let other = newest(of: entry.device, in: entry.slot),
            entries[Int(other)].row > creations[Int(making)].stamp.row
        else {
            entry.flags.insert(.isFirst)
            // A single entry is never in conflict.
            if entry.next != Self.none { markDirty(slot: entry.slot) }
            return
        }
        guard entries[Int(other)].flags.remove(.isFirst) != nil else { return }
        if other != entry.next || entries[Int(other)].next != Self.none {
            markDirty(slot: entry.slot)
        }
    }

    private func isCovered(_ entry: Entry) -> Bool {
        if let limit = covers[SlotDevice(slot: entry.slot, device: entry.device)],
            entry.row <= limit
        {
            return true
        }
        return single[entry.slot]?.contains(Self.singleKey(entry.device, entry.row)) == true
    }

    static func singleKey(_ device: UInt16, _ row: UInt32) -> UInt64 {
        UInt64(device) << 32 | UInt64(row)
    }

    private mutating func makeSlot(of node: UInt32, key: UInt32) -> UInt32 {
        if let slot = slot(of: node, key: key) { return slot }
        let number = UInt32(slots.count)
        slots.append(Slot(node: node, key: key, next: nodes[Int(node)].firstSlot))
        nodes[Int(node)].firstSlot = number
        nodes[Int(node)].slotCount += 1
        if nodes[Int(node)].flags.contains(.isTabled) {
            slotTable[SlotKey(node: node, key: key)] = number
        } else if nodes[Int(node)].slotCount > Self.chainLimit {
            nodes[Int(node)].flags.insert(.isTabled)
            var slot = number
            while slot != Self.none {
                slotTable[SlotKey(node: node, key: slots[Int(slot)].key)] = slot
                slot = slots[Int(slot)].next
            }
        }
        return number
    }

    /// Registers an entity whose creation hasn't arrived. It is visible because of its entries.
    private mutating func noteUnmade(_ node: UInt32, date: Int64) {
        guard nodes[Int(node)].firstCreation == Self.none else { return }
        if date < nodes[Int(node)].date {
            nodes[Int(node)].date = date
            listed = nil
        }
        let flags = nodes[Int(node)].flags
        if !flags.contains(.hasDeletion), !flags.contains(.isAlive) {
            touch(node: node)
            nodes[Int(node)].flags.insert(.isAlive)
            listed = nil
        }
    }

    // MARK: Creations, removals and deletions

    private mutating func create(_ node: UInt32, _ row: EntityRowBatch.Row, _ device: UInt16) {
        touch(node: node)
        let number = UInt32(creations.count)
        let type = localNames[Int(device)][Int(row.tag)]
        let isFirst = nodes[Int(node)].firstCreation == Self.none
        creations.append(
            Creation(
                stamp: Stamp(timestamp: row.timestamp, device: device, row: row.id),
                date: row.date, type: type, next: nodes[Int(node)].firstCreation))
        nodes[Int(node)].firstCreation = number
        nodes[Int(node)].newest = max(nodes[Int(node)].newest, row.timestamp)
        if isFirst, !nodes[Int(node)].flags.contains(.hasDeletion) {
            nodes[Int(node)].type = type
            nodes[Int(node)].date = row.date
            nodes[Int(node)].flags.insert(.isAlive)
            listed = nil
        } else {
            markDirty(node: node)
        }
    }

    private mutating func delete(_ node: UInt32, _ row: EntityRowBatch.Row, _ device: UInt16) {
        touch(node: node)
        nodes[Int(node)].newest = max(nodes[Int(node)].newest, row.timestamp)
        let stamp = Stamp(timestamp: row.timestamp, device: device, row: row.id)
        if let known = deletions[node], !isNewer(stamp, known) { return }
        deletions[node] = stamp
        nodes[Int(node)].flags.insert(.hasDeletion)
        markDirty(node: node)
    }

    private mutating func remove(
        _ row: EntityRowBatch.Row, of node: UInt32, _ device: UInt16, _ cover: EntityRowBatch.Cover
    ) {
        let slot = makeSlot(of: node, key: localNames[Int(device)][Int(row.key)])
        nodes[Int(node)].newest = max(nodes[Int(node)].newest, row.timestamp)
        noteUnmade(node, date: row.date)
        for (other, limit) in cover.upTo {
            guard let number = deviceNumbers[other] else { continue }
            let place = SlotDevice(slot: slot, device: number)
            covers[place] = max(covers[place] ?? 0, limit)
            lastCovered[number] = max(lastCovered[number] ?? 0, limit)
            if number == device { forget(place) { $0 <= limit } }
        }
        for (other, rows) in cover.rows {
            guard let number = deviceNumbers[other] else { continue }
            for row in rows {
                single[slot, default: []].insert(Self.singleKey(number, row))
                lastCovered[number] = max(lastCovered[number] ?? 0, row)
            }
            if number == device {
                forget(SlotDevice(slot: slot, device: device)) { rows.contains($0) }
            }
        }
        if cover.rows.isEmpty {
            replacing[device] = Replacement(
                slot: slot, timestamp: row.timestamp, seen: seen(cover, by: device, of: slot),
                restated: cover.restated.flatMap { original in
                    guard let number = deviceNumbers[original.device],
                        let row = UInt32(exactly: original.row)
                    else { return nil }
                    return Self.singleKey(number, row)
                })
        }
        if !cover.upTo.isEmpty || !cover.rows.isEmpty { slots[Int(slot)].flags.insert(.hasCover) }
        touch(slot: slot)
        markDirty(slot: slot)
    }

    /// Returns the rows that the writer of a removal had seen, as in ``Replacement``.
    private func seen(
        _ cover: EntityRowBatch.Cover, by device: UInt16, of slot: UInt32
    ) -> [SeenRows]? {
        if cover.upTo.count == 1, let limit = cover.upTo[devices[Int(device)]],
            newest(of: device, in: slot).map({ entries[Int($0)].row <= limit }) ?? true
        {
            return nil
        }
        var seen: [SeenRows] = []
        seen.reserveCapacity(cover.upTo.count)
        for (other, limit) in cover.upTo {
            guard let number = deviceNumbers[other] else { continue }
            seen.append(SeenRows(device: number, row: limit))
        }
        return seen
    }

    /// Returns the last entry of a property that a device wrote.
    private func newest(of device: UInt16, in slot: UInt32) -> UInt32? {
        var next = slots[Int(slot)].firstEntry
        while next != Self.none {
            if entries[Int(next)].device == device { return next }
            next = entries[Int(next)].next
        }
        return nil
    }

    /// Drops the causes of removed values, which are no longer needed.
    private mutating func forget(_ place: SlotDevice, where isReverted: (UInt32) -> Bool) {
        guard !keepsCauses, !causes.isEmpty, var held = causes[place] else { return }
        held.removeAll { isReverted($0.row) }
        causes[place] = held.isEmpty ? nil : held
    }

    /// Returns the number of the last ingested row of a device; 0 if there is none.
    func lastRow(of device: DeviceID) -> UInt32 {
        deviceNumbers[device].flatMap { lastRows[$0] } ?? 0
    }

    /// Returns the highest number of a device's rows that removals name; `nil` if no removal names
    /// a row of the device.
    func lastCoveredRow(of device: DeviceID) -> UInt32? {
        deviceNumbers[device].flatMap { lastCovered[$0] }
    }

    // MARK: Deferred work

    mutating func markDirty(node: UInt32) {
        guard nodes[Int(node)].flags.insert(.isDirty).inserted else { return }
        dirtyNodes.append(node)
    }

    mutating func markDirty(slot: UInt32) {
        guard slots[Int(slot)].flags.insert(.isDirty).inserted else { return }
        dirtySlots.append(slot)
    }

    mutating func touch(node: UInt32) {
        guard isTracking, nodes[Int(node)].flags.insert(.isTouched).inserted else { return }
        if nodes[Int(node)].flags.contains(.isAlive) { nodes[Int(node)].flags.insert(.wasAlive) }
        touchedNodes.append(node)
    }

    mutating func touch(slot: UInt32) {
        guard isTracking, slots[Int(slot)].flags.insert(.isTouched).inserted else { return }
        touchedSlots.append(slot)
        touch(node: slots[Int(slot)].node)
    }
}
