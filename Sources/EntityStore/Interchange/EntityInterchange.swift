public import Foundation
public import Replication

/// Entities as a value of their own, apart from any store: what an interchange file says.
///
/// ``data(_:)`` writes it as the file and ``init(_:)`` reads that, so that a program can look at,
/// make and change what it exports or imports. Relationships name their targets by identifier,
/// whether these are among the entities or not.
public struct EntityInterchange: Hashable, Sendable {
    /// An entity with its properties.
    public struct Entity: Hashable, Sendable {
        @Name public var identifier: String
        /// Empty where the exporting store did not know it.
        @Name public var type: String
        /// When it was made; `nil` means when it is imported.
        public var datestamp: Timestamp?
        /// The entries of each property, newest first. A ``Property/datestamp`` of `nil` means when
        /// it is imported; ``Property/device`` is no part of the format.
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

    /// In the order in which they are written and taken in.
    public var entities: [Entity]

    public init(entities: [Entity] = []) { self.entities = entities }

    /// Reads an interchange file, UTF-8 text in either form.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, saying what is wrong and
    ///   where.
    public init(_ data: Data) throws(EntityStoreError) {
        self.init(entities: try InterchangeReader.read(data))
    }

    /// The file that says this, as UTF-8.
    ///
    /// The normalised form loses nothing: ``init(_:)`` gives an equal value back, but for properties
    /// without an entry and for devices. The compact one has the newest entry of each property, and
    /// that without its datestamp.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange` for what the format has no
    ///   place for: a property with the name of a fixed one, an entity or key without a name, a
    ///   relationship that names no identifier or stands inside another value, a value nested too
    ///   deeply.
    public func data(
        _ form: InterchangeForm = .normalised
    ) throws(EntityStoreError) -> Data {
        var writer = InterchangeWriter(form)
        for entity in entities { try writer.append(entity) }
        return writer.finish()
    }
}

extension EntityGraph {
    /// What an entity says in an interchange file of a form.
    func interchange(of node: UInt32, _ form: InterchangeForm) -> EntityInterchange.Entity {
        let held = nodes[Int(node)]
        var entity = EntityInterchange.Entity(
            identifier: names[held.name], type: names[held.type],
            datestamp: Timestamp(microseconds: held.date))
        var next = nodes[Int(node)].firstSlot
        while next != Self.none {
            let number = next
            let slot = slots[Int(number)]
            next = slot.next
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
