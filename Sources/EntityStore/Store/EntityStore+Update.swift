import Replication

extension EntityStore {
    /// Sets properties to one value, as ``set(_:)`` does, but writes only differences.
    ///
    /// If a property has the value already, with the same semantic type (and datestamp, if given),
    /// it isn't written again. In any case, the property's other entries are removed. Entries of
    /// other devices that haven't arrived yet aren't affected. If an entity or property occurs
    /// twice, the last value counts. Everything is written in one transaction, or in none if
    /// nothing differs.
    ///
    /// - Parameter others: Whether older entries stay, as history or further values, as with
    ///   ``add(_:)``.
    /// - Returns: The entities, in the order of `properties`.
    /// - Throws: The errors of ``add(_:)``.
    @discardableResult
    public func update(
        _ properties: [(entity: EntityReference, properties: PropertyDictionary)],
        keepingOthers others: Bool = false
    ) throws -> [EntityReference] {
        var draft = WriteDraft()
        var entities: [EntityReference] = []
        var wanted: [(identifier: String, properties: PropertyDictionary)] = []
        var places: [Name: Int] = [:]
        for (reference, properties) in properties {
            let identifier = try existing(reference, &draft)
            entities.append(.identifier(identifier))
            let place = places[identifier] ?? wanted.count
            if place == wanted.count {
                places[identifier] = place
                wanted.append((identifier, [:]))
            }
            for (key, property) in try draft.named(properties, in: &graph) {
                var property = property
                property.value = try draft.resolved(property.value, key: key, in: &graph)
                wanted[place].properties[key] = property
            }
        }
        let begun = draft.entriesByPlace()
        for (identifier, properties) in wanted {
            for element in properties {
                let place = WriteDraft.Place(identifier: identifier, key: element.key)
                try draft.update(
                    element.property, place, begun: begun[place], keepingOthers: others,
                    in: &graph)
            }
        }
        try write(draft)
        return entities
    }
}

extension WriteDraft {
    /// Returns, for each property, the position of its last value in the operations.
    fileprivate func entriesByPlace() -> [Place: Int] {
        var entries: [Place: Int] = [:]
        for (index, operation) in operations.enumerated() {
            guard case .entry(let key, _, _) = operation.action else { continue }
            entries[Place(identifier: operation.identifier, key: key)] = index
        }
        return entries
    }

    /// Sets a property to one value, if it doesn't have this value already.
    ///
    /// - Parameter index: The position of the property's first value if the draft creates the
    ///   entity.
    fileprivate mutating func update(
        _ property: Property, _ place: Place, begun index: Int?, keepingOthers: Bool,
        in graph: inout EntityGraph
    ) throws(EntityStoreError) {
        if let index { return replaceEntry(at: index, with: property, in: graph) }
        let exists = graph.find(place.identifier) != nil
        if exists, let slot = graph.slot(of: place.identifier, key: place.key),
            let current = graph.currentEntry(of: slot)
        {
            let known = graph.property(of: graph.entries[Int(current)])
            if known.holds(property) {
                guard !keepingOthers else { return }
                let others = graph.visibleEntries(of: slot).filter { $0 != current }
                return remove(
                    others.map { graph.id(ofEntry: $0) }, key: place.key, of: place.identifier,
                    in: graph)
            }
        }
        if exists, !keepingOthers {
            replaceAll(place.key, of: place.identifier, in: graph)
        }
        try append(property, key: place.key, to: place.identifier, in: &graph)
    }
}

extension Property {
    /// Returns whether the property has the value and type of `other`, and its datestamp if it has
    /// one.
    func holds(_ other: Property) -> Bool {
        Name(type) == Name(other.type) && value == other.value
            && (other.datestamp == nil || datestamp == other.datestamp)
    }
}
