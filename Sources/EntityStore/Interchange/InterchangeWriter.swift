import Foundation
import LosslessJSON
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
        var text = Data("{\"entities\":[".utf8)
        for (place, node) in nodes.enumerated() {
            // A line each, so that the files compare well.
            text.append(contentsOf: (place == 0 ? "\n" : ",\n").utf8)
            var writer = InterchangeWriter(form: form)
            try writer.write(node, graph)
            text.append(contentsOf: writer.writer.bytes)
        }
        text.append(contentsOf: (nodes.isEmpty ? "]}\n" : "\n]}\n").utf8)
        return text
    }

    private init(form: InterchangeForm) { self.form = form }

    private mutating func write(_ node: UInt32, _ graph: EntityGraph) throws(EntityStoreError) {
        let held = graph.nodes[Int(node)]
        let form = form
        try writer.object { (writer) throws(EntityStoreError) in
            writer.key("type")
            writer.string(graph.names[held.type])
            writer.key("identifier")
            writer.string(graph.names[held.name])
            writer.key("datestamp")
            let date = InstantText.write(Timestamp(microseconds: held.date))
            // The original reads a datestamp only as an object.
            if form == .normalised { writer.form("date", date) } else { writer.string(date) }
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
                writer.key(key)
                let entries =
                    form == .compact ? [current] : graph.visibleEntries(of: slot)
                let properties = entries.map { graph.property(of: graph.entries[Int($0)]) }
                guard properties.count != 1, form == .normalised else {
                    for property in properties { try writer.append(property, form) }
                    continue
                }
                try writer.array { (writer) throws(EntityStoreError) in
                    for property in properties { try writer.append(property, form) }
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func append(
        _ property: Property, _ form: InterchangeForm
    ) throws(EntityStoreError) {
        guard form == .compact, property.hasDefaultType else { return try full(property, form) }
        switch property.value {
        case .string, .integer, .boolean: try property.value.writeJSON(to: &self)
        case .double(let number) where number.isFinite: real(number)
        case .array(let elements) where !elements.contains(where: \.isWrittenAsObject):
            try property.value.writeJSON(to: &self)
        default: try full(property, form)
        }
    }

    private mutating func full(
        _ property: Property, _ form: InterchangeForm
    ) throws(EntityStoreError) {
        try object { (writer) throws(EntityStoreError) in
            writer.key(property.value.kind.name)
            switch property.value {
            case .date(let date): writer.string(InstantText.write(date))
            case .data(let data): writer.string(data.base64EncodedString())
            case .relationship(let target): writer.string(target.identifier ?? "")
            case .double(let number) where !number.isFinite:
                writer.string(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")
            default: try property.value.writeJSON(to: &writer)
            }
            if form == .normalised || !property.hasDefaultType {
                writer.key("type")
                writer.string(property.type)
            }
            if form == .normalised, let date = property.datestamp {
                writer.key("datestamp")
                writer.string(InstantText.write(date))
            }
        }
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
