import EntityStore
import Replication

extension AutoSync {
    /// The entries of a list, in its order: that of their datestamps.
    func listEntries(_ entries: [PropertyEntry]) -> [PropertyEntry] {
        entries.filter { !$0.isRemoved && $0.property.value.relationship?.identifier != nil }
            .sorted { first, second in
                let (a, b) = (first.property.datestamp, second.property.datestamp)
                if a != b { return (a ?? .distantPast) < (b ?? .distantPast) }
                if first.id.device != second.id.device { return first.id.device < second.id.device }
                return first.id.row < second.id.row
            }
    }

    /// Takes out of a list what is no longer in it and puts in what is new: what others put in at the
    /// same time stays.
    func setList(
        _ targets: [String], key: String, of reference: EntityReference
    ) async throws {
        let there = listEntries(
            try await entities.entries(of: [reference], keys: [key]).first ?? [])
        let difference = targets.difference(
            from: there.compactMap { $0.property.value.relationship?.identifier })
        guard !difference.isEmpty else { return }
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
                // There is no instant left between two: what follows is written anew.
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
    }

    /// An instant between two; `nil` where there is none.
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
