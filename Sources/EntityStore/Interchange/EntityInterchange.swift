public import Foundation
public import Replication

/// The content of an interchange file as a value, independent of any store.
///
/// ``data(_:)`` writes the file and ``init(_:)`` reads it, so that programs can inspect, create and
/// change the entities that they export or import. Relationships name their targets by identifier,
/// whether or not the targets are included.
public struct EntityInterchange: Hashable, Sendable {
    /// An entity with its properties.
    public struct Entity: Hashable, Sendable {
        @Name public var identifier: String
        /// Empty if the exporting store didn't know the type.
        @Name public var type: String
        /// The creation date; `nil` means the time of the import.
        public var datestamp: Timestamp?
        /// The entries of each property, newest first. A ``Property/datestamp`` of `nil` means the
        /// time of the import. ``Property/device`` is not part of the format.
        public var properties: [Name: [Property]]

        public init(
            identifier: String, type: String, datestamp: Timestamp? = nil,
            properties: [Name: [Property]] = [:]
        ) {
            self.identifier = identifier
            self.type = type
            self.datestamp = datestamp
            self.properties = properties
        }
    }

    /// The entities, in the order in which they are written and imported.
    public var entities: [Entity]

    public init(entities: [Entity] = []) { self.entities = entities }

    /// Parses an interchange file, UTF-8 text in either form.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, with the problem and its
    ///   position.
    public init(_ data: Data) throws(EntityStoreError) {
        self.init(entities: try InterchangeReader.read(data))
    }

    /// Returns the file content as UTF-8.
    ///
    /// The normalized form is lossless: ``init(_:)`` returns an equal value, except for properties
    /// without entries and for devices. The compact form has only the newest entry of each
    /// property, without its datestamp.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange` for content that the format
    ///   can't represent: a property named like a fixed one, an entity or key without a name, a
    ///   relationship without an identifier or inside another value, a value nested too deeply.
    public func data(
        _ form: InterchangeForm = .normalized
    ) throws(EntityStoreError) -> Data {
        var writer = InterchangeWriter(form)
        for entity in entities { try writer.append(entity) }
        return writer.finish()
    }
}

extension EntityGraph {
    /// Returns the entity in the form of an interchange file.
    func interchange(of node: UInt32, _ form: InterchangeForm) -> EntityInterchange.Entity {
        let held = nodes[Int(node)]
        var entity = EntityInterchange.Entity(
            identifier: names[held.name], type: names[held.type],
            datestamp: Timestamp(microseconds: held.date))
        for number in slotNumbers(of: node) {
            let slot = slots[Int(number)]
            guard slot.current != Self.none else { continue }
            let visible = form == .compact ? [slot.current] : visibleEntries(of: number)
            entity.properties[names[slot.key]] = visible.map {
                var property = property(of: entries[Int($0)])
                property.device = nil
                if form == .compact { property.datestamp = nil }
                return property
            }
        }
        return entity
    }
}
