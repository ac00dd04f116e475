import Foundation
import Replication

/// Writes entities of a graph in the interchange format.
struct InterchangeWriter {
    private let form: InterchangeForm
    private var writer = JSONWriter()

    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange` for an entity with an ordinary
    ///   property that has the name of a fixed member, as only a foreign file can have.
    static func write(
        _ nodes: some Collection<UInt32>, of graph: EntityGraph, _ form: InterchangeForm
    ) throws(EntityStoreError) -> Data {
        var writer = InterchangeWriter(form: form)
        writer.writer.raw("{\"entities\":[")
        for (place, node) in nodes.enumerated() {
            writer.writer.raw(place == 0 ? "\n" : ",\n")
            try writer.write(node, graph)
        }
        writer.writer.raw(nodes.isEmpty ? "]}\n" : "\n]}\n")
        return Data(writer.writer.bytes)
    }

    private init(form: InterchangeForm) { self.form = form }

    private mutating func write(_ node: UInt32, _ graph: EntityGraph) throws(EntityStoreError) {
        let held = graph.nodes[Int(node)]
        let date = InstantText.write(Timestamp(microseconds: held.date))
        writer.raw("{\"type\":")
        writer.string(graph.names[held.type])
        writer.raw(",\"identifier\":")
        writer.string(graph.names[held.name])
        // The original reads a datestamp only as an object.
        writer.raw(
            form == .normalised
                ? ",\"datestamp\":{\"date\":\"\(date)\"}" : ",\"datestamp\":\"\(date)\"")
        for slot in graph.sortedSlots(of: node) {
            let key = graph.names[graph.slots[Int(slot)].key]
            let current = graph.slots[Int(slot)].current
            guard current != EntityGraph.none else { continue }
            if let fixed = FixedProperty(rawValue: key), fixed != .modified {
                throw EntityStoreError(
                    .invalidInterchange,
                    "\(graph.names[held.name].debugDescription) has a property named \(key), "
                        + "which the format has no place for")
            }
            writer.raw(",")
            writer.string(key)
            writer.raw(":")
            switch form {
            case .compact: try writeCompact(graph.property(of: graph.entries[Int(current)]))
            case .normalised:
                let entries = graph.visibleEntries(of: slot)
                if entries.count > 1 { writer.raw("[") }
                for (place, entry) in entries.enumerated() {
                    if place > 0 { writer.raw(",") }
                    try writeFull(graph.property(of: graph.entries[Int(entry)]))
                }
                if entries.count > 1 { writer.raw("]") }
            }
        }
        writer.raw("}")
    }

    private mutating func writeCompact(_ property: Property) throws(EntityStoreError) {
        guard property.hasDefaultType else { return try writeFull(property) }
        switch property.value {
        case .string, .integer, .boolean: try property.value.writeJSON(to: &writer)
        case .double(let number) where number.isFinite: writer.double(number)
        case .array(let elements) where !elements.contains(where: \.isWrittenAsObject):
            try property.value.writeJSON(to: &writer)
        default: try writeFull(property)
        }
    }

    private mutating func writeFull(_ property: Property) throws(EntityStoreError) {
        writer.raw("{\"\(property.value.kind.name)\":")
        switch property.value {
        case .date(let date): writer.string(InstantText.write(date))
        case .data(let data): writer.string(data.base64EncodedString())
        case .relationship(let target): writer.string(target.identifier ?? "")
        case .double(let number) where !number.isFinite:
            writer.string(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")
        default: try property.value.writeJSON(to: &writer)
        }
        if form == .normalised || !property.hasDefaultType {
            writer.raw(",\"type\":")
            writer.string(property.type)
        }
        if form == .normalised, let date = property.datestamp {
            writer.raw(",\"datestamp\":\"\(InstantText.write(date))\"")
        }
        writer.raw("}")
    }
}

extension EntityValue {
    fileprivate var isWrittenAsObject: Bool {
        switch self {
        case .dictionary, .date, .data: true
        case .double(let number): !number.isFinite
        default: false
        }
    }
}
