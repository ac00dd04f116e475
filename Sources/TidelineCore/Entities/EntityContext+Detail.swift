import EntityStore
import Foundation
import Replication

/// The inspector's content for an entity.
extension EntityContext {
    /// The maximum number of lines of a section.
    private static let shown = 100
    /// The maximum total number of lines for parts of structured values.
    private static let shownParts = 500

    func detail(ofEntity identifier: String, at instant: Timestamp?) async throws -> Detail? {
        let reference = EntityReference.identifier(identifier)
        guard let store = try await store(at: instant),
            let record = try await store.records(of: [reference])[0]
        else { return nil }
        let entries = try await store.entries(of: [reference])[0]
        let incoming = try await store.relations(to: [reference])[0]
        let names = try await names(record, incoming, in: store)
        var sections = [
            Detail.Section("Properties", properties(record, entries, names)),
            Detail.Section("Entity", facts(record, entries)),
        ]
        if !incoming.isEmpty {
            sections.append(
                Detail.Section(
                    "Incoming relationships (\(Counted.grouped(incoming.count)))",
                    lines(incoming, names)))
        }
        sections += histories(entries)
        return Detail(title: record.name, sections: sections)
    }

    /// Returns the lines about the entity as a whole. The date of a value can be earlier than its
    /// write, if undo restored the value or if it was imported.
    private func facts(_ record: EntityRecord, _ entries: [PropertyEntry]) -> [Detail.Line] {
        let lastWrite = entries.map(\.written).max().flatMap { written in
            let isLater = written.secondText != record.modified.secondText
            return written > record.modified && isLater ? written : nil
        }
        return [
            Detail.Line("identifier", record.identifier),
            Detail.Line(
                "type", record.type.isEmpty ? "unknown: its creation has not arrived" : record.type,
                record.type.isEmpty ? .problem : .label),
            Detail.Line("created", record.datestamp.fullText, .timestamp),
            Detail.Line(
                "modified",
                record.modified.fullText
                    + (lastWrite.map { "  (last write \($0.fullText))" } ?? ""),
                .timestamp),
        ]
    }

    /// Returns the names of related entities, by identifier.
    private func names(
        _ record: EntityRecord, _ incoming: [EntityRelation], in store: EntityStore
    ) async throws -> [Name: String] {
        var wanted = Set(incoming.prefix(Self.shown).map(\.source))
        let outgoing = try await store.relations(from: [record.reference])[0]
        wanted.formUnion(outgoing.prefix(Self.shown).map(\.target))
        let records = try await store.records(of: Array(wanted), keys: EntityRecord.nameKeys)
        return Dictionary(
            keepingFirst: records.compactMap { $0 }.map { (Name($0.identifier), $0.name) })
    }

    private func properties(
        _ record: EntityRecord, _ entries: [PropertyEntry], _ names: [Name: String]
    ) -> [Detail.Line] {
        var lines: [Detail.Line] = []
        for element in record.properties.prefix(Self.shown) {
            let values = entries.filter { Name($0.key) == Name(element.key) && !$0.isRemoved }
            for entry in values.prefix(Self.shown) {
                let property = entry.property
                // If a property has several values, each value is edited separately.
                let field = FieldPath(
                    element.key, entry: values.count > 1 ? Self.name(of: entry.id) : nil)
                var line = Detail.Line(
                    entry.isCurrent ? element.key : "", property.value.shortText,
                    property.value.role, depth: entry.isCurrent ? 0 : 1, field: field,
                    addition: .property)
                if case .relationship(let target) = property.value,
                    let identifier = target.identifier
                {
                    let name = names[identifier]
                    line.text = "→ \(name ?? identifier)" + (name == nil ? " (missing)" : "")
                    if name != nil {
                        line.link = Detail.Link(pane: .entities, row: RowID(identifier))
                    } else {
                        line.role = .problem
                    }
                }
                if !property.hasDefaultType { line.text += "  (\(property.type))" }
                line.addition = property.value.addition(to: field) ?? .property
                line.startsFolded = property.value.hasManyBytes
                lines.append(line)
                property.value.appendParts(
                    of: field, depth: line.depth + 1, to: &lines, limit: Self.shownParts)
            }
        }
        lines += Detail.Line.rest(record.properties.count - Self.shown)
        return lines.isEmpty ? [Detail.Line("", "none", .dim, addition: .property)] : lines
    }

    private func lines(
        _ incoming: [EntityRelation], _ names: [Name: String]
    ) -> [Detail.Line] {
        incoming.prefix(Self.shown).map { relation -> Detail.Line in
            let identifier = relation.source.identifier ?? ""
            return Detail.Line(
                relation.key, "← \(names[identifier] ?? identifier)", .link,
                link: Detail.Link(pane: .entities, row: RowID(identifier)))
        } + Detail.Line.rest(incoming.count - Self.shown)
    }

    /// Returns a section with the history of all properties: each entry with its date and the first
    /// device that wrote the value.
    private func histories(_ entries: [PropertyEntry]) -> [Detail.Section] {
        var lines: [Detail.Line] = []
        var last = ""
        for entry in entries.prefix(2 * Self.shown) {
            if Name(entry.key) != Name(last) { lines.append(Detail.Line("", entry.key, .key)) }
            last = entry.key
            lines.append(
                Detail.Line(
                    name(of: entry.author), historyText(of: entry),
                    entry.isRemoved ? .deletion : entry.isCurrent ? .winner : .plain, depth: 1,
                    version: Detail.Version(
                        at: entry.written, by: entry.id.device, property: FieldPath(entry.key))))
        }
        lines += Detail.Line.rest(entries.count - 2 * Self.shown, "older")
        return lines.isEmpty
            ? [] : [Detail.Section("History (\(Counted.grouped(entries.count)))", lines)]
    }

    /// Returns the date and value of an entry. Also returns the time of the write if it is later
    /// than the date, for example because of an undo or an import.
    private func historyText(of entry: PropertyEntry) -> String {
        let date = entry.property.datestamp?.secondText ?? ""
        let text = "\(date)  \(entry.property.value.shortText)"
        let written = entry.written.secondText
        if entry.authored != entry.written {
            return "\(text)  (restored by \(name(of: entry.id.device)) \(written))"
        }
        return date == written ? text : "\(text)  (written \(written))"
    }

    /// Returns the property that names the entity.
    static func nameKey(of record: EntityRecord) -> String {
        EntityRecord.nameKeys.first { record.properties[$0] != nil } ?? EntityRecord.nameKeys[0]
    }
}

extension EntityValue {
    /// Returns the value as lines, with the parts of a structured value below it.
    func lines() -> [Detail.Line] {
        let field = FieldPath()
        var lines = [Detail.Line("", shortText, role)]
        lines[0].startsFolded = hasManyBytes
        appendParts(of: field, depth: 1, to: &lines, limit: 500)
        return lines
    }

    /// Returns the addition that is possible inside a structured value.
    fileprivate func addition(to field: FieldPath) -> Detail.Addition? {
        if members != nil { return .member(of: field) }
        return items.map { .item(of: field, number: $0.count) }
    }

    /// The number of lines after which bytes are no longer shown.
    private static let shownBytes = 4_096

    /// Whether the value has more bytes than one line shows.
    fileprivate var hasManyBytes: Bool { (data?.count ?? 0) > 16 }

    /// Appends the lines for the parts of a structured value, or for bytes.
    fileprivate func appendParts(
        of field: FieldPath, depth: Int, to lines: inout [Detail.Line], limit: Int
    ) {
        if let data {
            // If an entity has many long values, show only the bytes of the first values.
            if lines.count < Self.shownBytes { lines += Detail.Line.hex(data, depth: depth) }
            return
        }
        var parts: [(step: String, value: EntityValue, addition: Detail.Addition)] = []
        if let members {
            parts = members.sorted { $0.key < $1.key }.map {
                ($0.key.text, $0.value, .member(of: field))
            }
        } else if let items {
            parts = items.enumerated().map {
                (String($0), $1, .item(of: field, number: $0 + 1))
            }
        }
        for part in parts {
            guard lines.count < limit else { return }
            let inside = field.inside(part.step)
            var line = Detail.Line(
                part.step, part.value.shortText, part.value.role, depth: depth, field: inside,
                addition: part.value.addition(to: inside) ?? part.addition)
            line.startsFolded = part.value.hasManyBytes
            lines.append(line)
            part.value.appendParts(of: inside, depth: depth + 1, to: &lines, limit: limit)
        }
    }
}
