import EntityStore
import Replication

extension AutoSync {
    /// Returns the current entries of a list, ordered by datestamp.
    func listEntries(_ entries: [PropertyEntry]) -> [PropertyEntry] {
        entries.filter { !$0.isRemoved && $0.property.value.relationship?.identifier != nil }
            .sorted { first, second in
                let (a, b) = (first.property.datestamp, second.property.datestamp)
                if a != b { return (a ?? .distantPast) < (b ?? .distantPast) }
                if first.id.device != second.id.device { return first.id.device < second.id.device }
                return first.id.row < second.id.row
            }
    }

    /// Writes this device's changes to a list and keeps other devices' changes.
    ///
    /// - Parameter base: The list before this device changed it; `nil` if unknown.
    /// - Returns: Whether the merged list differs from `own`.
    func setList(
        _ own: [String], since base: [String]?, key: String, of reference: EntityReference
    ) async throws -> Bool {
        let there = listEntries(
            try await entities.entries(of: [reference], keys: [key]).first ?? [])
        let theirs = there.compactMap { $0.property.value.relationship?.identifier }
        let targets = base.map { theirs.merging(own, since: $0) } ?? own
        let difference = targets.difference(from: theirs)
        guard !difference.isEmpty else { return targets != own }
        var removed = Set(
            difference.removals.compactMap { change -> Int? in
                if case .remove(let offset, _, _) = change { offset } else { nil }
            })
        let inserted = Set(
            difference.insertions.compactMap { change -> Int? in
                if case .insert(let offset, _, _) = change { offset } else { nil }
            })
        var kept = there.indices.filter { !removed.contains($0) }[...]
        var added: [(target: String, date: Timestamp)] = []
        var last = Timestamp.earliest
        var hasNoRoom = false
        for (place, target) in targets.enumerated() {
            if !inserted.contains(place), let old = kept.popFirst() {
                if !hasNoRoom {
                    last = there[old].property.datestamp ?? last
                    continue
                }
                // No instant fits between the neighbors, so this and all later entries are
                // rewritten.
                removed.insert(old)
            }
            let next = hasNoRoom ? nil : kept.first.flatMap { there[$0].property.datestamp }
            let date = self.date(after: last, before: next)
            hasNoRoom = hasNoRoom || date == nil
            last = date ?? max(last.successor, clock.now)
            added.append((target, last))
        }
        try await entities.add(
            added.map { target, date in
                var properties = PropertyDictionary()
                properties[key] = Property(.relationship(.identifier(target)), datestamp: date)
                return (reference, properties)
            })
        if !removed.isEmpty {
            _ = try await entities.perform(
                .replace(removed.sorted().map { there[$0].id }, key: key, with: nil, of: reference))
        }
        return targets != own
    }

    /// Returns an instant between two instants; `nil` if none fits.
    private func date(after last: Timestamp, before next: Timestamp?) -> Timestamp? {
        guard let next else { return max(last.successor, clock.now) }
        if last == .earliest {
            let before = Timestamp(microseconds: next.microseconds - 1_000_000)
            return before.isRecordable ? before : nil
        }
        let middle = last.microseconds + (next.microseconds - last.microseconds) / 2
        return middle > last.microseconds && middle < next.microseconds
            ? Timestamp(microseconds: middle) : nil
    }
}

extension [String] {
    /// Returns this list with the changes from `base` to `own`.
    ///
    /// Changes that the list already contains aren't repeated, because the program may have ended
    /// just after sending them.
    fileprivate func merging(_ own: [String], since base: [String]) -> [String] {
        guard self != base else { return own }
        var merged = self
        func count(_ target: String, in list: [String]) -> Int { list.count { $0 == target } }
        let difference = own.difference(from: base)
        for case .remove(_, let target, _) in difference {
            guard count(target, in: merged) > count(target, in: own),
                let place = merged.firstIndex(of: target)
            else { continue }
            merged.remove(at: place)
        }
        for case .insert(let offset, let target, _) in difference
        where count(target, in: merged) < count(target, in: own) {
            let place = offset == 0 ? 0 : merged.firstIndex(of: own[offset - 1]).map { $0 + 1 }
            merged.insert(target, at: place ?? merged.count)
        }
        return merged
    }
}
