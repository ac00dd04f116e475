import Replication

@testable import EntityStore

/// The merge rules, computed from all rows at once in the simplest way, for comparison.
struct MergeRules {
    private struct Line {
        var device: DeviceID
        var row: EntityRowBatch.Row
        var entity: String
        var key: String
        var text: String
        var target: String?
        var cover: EntityRowBatch.Cover?

        func isNewer(than other: Line) -> Bool {
            if row.timestamp != other.row.timestamp {
                return row.timestamp > other.row.timestamp
            }
            if device != other.device { return device > other.device }
            return row.id > other.row.id
        }
    }

    private var lines: [Line] = []

    mutating func take(_ log: [EntityRowBatch]) {
        var names = [""]
        for batch in log {
            names += batch.names
            for row in batch.rows {
                lines.append(
                    Line(
                        device: batch.device, row: row, entity: names[Int(row.entity)],
                        key: names[Int(row.key)], text: names[Int(row.tag)],
                        target: row.operation == .entry && row.kind == .relationship
                            ? names[Int(row.payload)] : nil,
                        cover: row.operation == .removal
                            ? batch.covers[Int(row.payload)] : nil))
            }
        }
    }

    private func deletion(_ entity: String) -> Line? {
        lines.filter { $0.entity == entity && $0.row.operation == .deletion }
            .max { $1.isNewer(than: $0) }
    }

    private func creation(_ entity: String) -> Line? {
        let deletion = deletion(entity)
        return lines.filter { line in
            line.entity == entity && line.row.operation == .creation
                && deletion.map(line.isNewer) != false
        }.min { $1.isNewer(than: $0) }
    }

    private func exists(_ entity: String) -> Bool {
        if deletion(entity) != nil { return creation(entity) != nil }
        return lines.contains { $0.entity == entity }
    }

    func type(_ entity: String) -> String { creation(entity)?.text ?? "" }

    /// The existing entities, oldest first.
    var identifiers: [String] {
        func date(_ entity: String) -> Int64 {
            if let creation = creation(entity) { return creation.row.date }
            return lines.filter {
                $0.entity == entity && $0.row.operation != .deletion
            }.map(\.row.date).min() ?? .max
        }
        return Set(lines.map(\.entity)).filter(exists)
            .sorted { (date($0), $0) < (date($1), $1) }
    }

    /// Returns the properties of an entity in conflict, each with the newest value that the writers
    /// of all sides had seen.
    ///
    /// A side is a value that was set: it replaced all values that its writer had seen. An initial
    /// value counts as set by a writer that had seen nothing.
    func conflicts(_ entity: String, view: [PropertyEntry]) -> [String: PropertyEntry.ID?] {
        guard exists(entity) else { return [:] }
        let visible = visible(entity)
        var conflicts: [String: PropertyEntry.ID?] = [:]
        for key in Set(view.map(\.key)) {
            let entries = view.filter { $0.key == key }
            let sides = entries.compactMap { entry in
                visible.contains(entry.id) ? seen(by: entry.id).map { (entry, $0) } : nil
            }
            guard sides.contains(where: { $0.0.property.value != sides[0].0.property.value })
            else { continue }
            // The entries are in the order of their datestamps, but the order of writing decides.
            let known = entries.filter { entry in
                sides.allSatisfy { entry.id.row <= Int64($1.upTo[entry.id.device] ?? 0) }
            }
            let base = lines.filter { line in
                known.contains { $0.id.device == line.device && $0.id.row == Int64(line.row.id) }
            }.max { $1.isNewer(than: $0) }
            conflicts[key] = .some(
                base.map { PropertyEntry.ID(device: $0.device, row: Int64($0.row.id)) })
        }
        return conflicts
    }

    /// The entries that the writer had seen and replaced in the same write. Empty if the write
    /// created the entity with this one value of the property; `nil` if the entry was added.
    private func seen(by id: PropertyEntry.ID) -> EntityRowBatch.Cover? {
        guard
            let entry = lines.first(where: {
                $0.device == id.device && Int64($0.row.id) == id.row
            })
        else { return nil }
        let write = lines.filter {
            $0.device == entry.device && $0.row.timestamp == entry.row.timestamp
                && $0.entity == entry.entity
        }
        let taken = write.last {
            $0.key == entry.key && $0.row.id < entry.row.id && $0.cover?.rows.isEmpty == true
        }
        if let taken { return taken.cover }
        let isMaking = write.contains { $0.row.operation == .creation }
        let values = write.count { $0.row.operation == .entry && $0.key == entry.key }
        return isMaking && values == 1 ? EntityRowBatch.Cover() : nil
    }

    /// The visible entries of an entity.
    func visible(_ entity: String) -> Set<PropertyEntry.ID> {
        var found: Set<PropertyEntry.ID> = []
        for line in lines where line.entity == entity && line.row.operation == .entry {
            if let deletion = deletion(entity), !line.isNewer(than: deletion) { continue }
            if let target = line.target, let deletion = deletion(target),
                !exists(target) || !line.isNewer(than: deletion)
            {
                continue
            }
            let isReverted = lines.contains { removal in
                guard removal.entity == entity, removal.key == line.key,
                    let cover = removal.cover
                else { return false }
                return line.row.id <= cover.upTo[line.device] ?? 0
                    || cover.rows[line.device]?.contains(line.row.id) == true
            }
            if !isReverted {
                found.insert(PropertyEntry.ID(device: line.device, row: Int64(line.row.id)))
            }
        }
        return found
    }
}
