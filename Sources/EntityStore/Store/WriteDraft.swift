import Foundation
import Replication

/// The operations of one call. Resolves references, creates missing entities, and orders the
/// operations.
struct WriteDraft {
    private(set) var operations: [EntityOperation] = []
    /// The times of earlier writes to the entities and properties that this call writes.
    private(set) var seen = Seen()
    /// Entities that this call creates.
    private(set) var made: Set<Name> = []
    /// Entities that references created, so that equal references share one entity.
    private var answers: [EntityReference.Form: String] = [:]
    /// Positions of the values that this call sets. Setting a property twice replaces the first
    /// value.
    private var setValues: [Place: Int] = [:]
    private let makesMissing: Bool

    /// The times that a write has to follow.
    struct Seen {
        /// The newest time. A set value names the values that it replaces. So it can be older than
        /// these, if a wrong clock gave them a time far in the future.
        fileprivate(set) var newest = Int64.min
        /// The newest time that the write must exceed even if it is far in the future. It comes
        /// from creations and deletions, because their times alone decide whether an entity exists.
        fileprivate(set) var newestOrdered = Int64.min
    }

    /// A property of an entity.
    struct Place: Hashable {
        @Name var identifier: String
        @Name var key: String
    }

    /// - Parameter makesMissing: Whether references may create entities.
    init(makesMissing: Bool = true) { self.makesMissing = makesMissing }

    // MARK: References

    /// Returns the identifier of the entity that a reference resolves to, creating it if needed;
    /// `nil` if there is none.
    mutating func resolve(
        _ reference: EntityReference, in graph: inout EntityGraph
    ) throws(EntityStoreError) -> String? {
        var form = reference.form
        var initializer: EntityInitializer?
        if case .created(let inner, let initial) = form {
            form = inner
            initializer = initial
        }
        if form != .new, let answer = answers[form] { return answer }
        if let found = try find(form, in: &graph) { return found }
        guard makesMissing, let initializer else { return nil }
        return try make(form, initializer, in: &graph)
    }

    private func find(
        _ form: EntityReference.Form, in graph: inout EntityGraph
    ) throws(EntityStoreError) -> String? {
        switch form {
        case .null, .new, .created: return nil
        case .identifier(let identifier):
            let exists = made.contains(identifier) || graph.find(identifier.text) != nil
            return exists ? identifier.text : nil
        case .match(let key, let value, let type):
            // Compare only newest values. The entity may no longer have an older value.
            let query = EntityQuery(
                types: type.map { [$0] },
                where: [EntityCondition(key.text, .isIn([value]), readsNewestOnly: true)])
            return try graph.select(query).first.map { graph.identifier(of: $0) }
        case .identifierOrName(let name, let type):
            if let found = try find(.identifier(name), in: &graph),
                type.map({ isOfType($0, name, in: graph) }) ?? true
            {
                return found
            }
            return try find(
                .match(key: "name", value: .string(name.text), type: type), in: &graph)
        }
    }

    private func isOfType(_ type: Name, _ identifier: Name, in graph: EntityGraph) -> Bool {
        if let node = graph.find(identifier.text) {
            return Name(graph.names[graph.nodes[Int(node)].type]) == type
        }
        return operations.contains { operation in
            guard case .creation(let made) = operation.action else { return false }
            return Name(operation.identifier) == identifier && Name(made) == type
        }
    }

    private mutating func make(
        _ form: EntityReference.Form, _ initializer: EntityInitializer,
        in graph: inout EntityGraph
    ) throws(EntityStoreError) -> String? {
        var properties = initializer.properties
        let identifier: String
        switch form {
        case .null, .created: return nil
        case .new: identifier = initializer.identifier?.text ?? UUID().uuidString
        case .identifier(let name): identifier = name.text
        case .match(let key, let value, let type):
            try Self.check(initializer, isOf: type)
            identifier = initializer.identifier?.text ?? UUID().uuidString
            if properties[key.text] == nil { properties[key.text] = Property(value) }
        case .identifierOrName(let name, let type):
            try Self.check(initializer, isOf: type)
            identifier = name.text
            if properties["name"] == nil { properties["name"] = Property(.string(name.text)) }
        }
        try create(identifier, type: initializer.type, in: graph)
        if form == .new { operations[operations.count - 1].mustBeNew = true }
        answers[form] = form == .new ? nil : identifier
        try add(properties, to: identifier, replacing: true, in: &graph)
        return identifier
    }

    /// Throws if the type of an entity to create differs from the one that the reference requires.
    private static func check(
        _ initializer: EntityInitializer, isOf type: Name?
    ) throws(EntityStoreError) {
        guard let type, Name(initializer.type) != type else { return }
        throw EntityStoreError(
            .invalidValue,
            "a reference searches for a \(type) but would create a \(initializer.type)")
    }

    /// Creates a new entity.
    mutating func create(
        _ identifier: String, type: String, date: Timestamp? = nil, in graph: EntityGraph
    ) throws(EntityStoreError) {
        guard !identifier.isEmpty, !type.isEmpty else {
            throw EntityStoreError(
                .invalidName, "an entity needs a non-empty identifier and type")
        }
        guard graph.find(identifier) == nil, made.insert(identifier) else {
            throw EntityStoreError(
                .exists, "the entity \(identifier.quoted) already exists")
        }
        observe(identifier, in: graph, isOrdered: true)
        operations.append(
            EntityOperation(identifier: identifier, action: .creation(type: type), date: date))
    }

    /// Notes the time that a write to the entity must exceed.
    ///
    /// - Parameter isOrdered: Whether the write creates or deletes the entity.
    private mutating func observe(
        _ identifier: String, in graph: EntityGraph, isOrdered: Bool = false
    ) {
        guard let node = graph.known(identifier) else { return }
        note(
            graph.nodes[Int(node)].newest,
            isOrdered: isOrdered || graph.nodes[Int(node)].flags.contains(.hasDeletion))
    }

    private mutating func note(_ timestamp: Int64, isOrdered: Bool) {
        seen.newest = max(seen.newest, timestamp)
        if isOrdered { seen.newestOrdered = max(seen.newestOrdered, timestamp) }
    }

    // MARK: Properties

    /// Adds entries to an entity; with `replacing`, removes the other entries of the properties.
    mutating func add(
        _ properties: PropertyDictionary, to identifier: String, replacing: Bool = false,
        in graph: inout EntityGraph
    ) throws(EntityStoreError) {
        for (key, property) in try named(properties, in: &graph) {
            guard replacing else {
                try append(property, key: key, to: identifier, in: &graph)
                continue
            }
            let place = Place(identifier: identifier, key: key)
            if let index = setValues[place] {
                let value = try resolved(property.value, key: key, in: &graph)
                let resolved = Property(value, type: property.type, datestamp: property.datestamp)
                replaceEntry(at: index, with: resolved, in: graph)
                continue
            }
            // An entity that this call creates has no earlier values.
            if !made.contains(identifier) { replaceAll(key, of: identifier, in: graph) }
            try append(property, key: key, to: identifier, in: &graph)
            operations[operations.count - 1].isReplacing = true
            setValues[place] = operations.count - 1
        }
    }

    /// Returns writable properties with resolved keys.
    mutating func named(
        _ properties: PropertyDictionary, in graph: inout EntityGraph
    ) throws(EntityStoreError) -> [(key: String, property: Property)] {
        var named = properties.map { (key: $0.key, property: $0.property) }
        // Sorted, because a dictionary has no order.
        let unresolved = properties.unresolved.sorted {
            String(describing: $0.key.form) < String(describing: $1.key.form)
        }
        for (key, property) in unresolved {
            guard case .reference(let name, let reference) = key.form else { continue }
            guard let target = try resolve(reference, in: &graph) else {
                throw EntityStoreError(
                    .noSuchEntity, "a key refers to \(reference), which doesn't exist")
            }
            named.append(("\(name)-\(target)", property))
        }
        for (key, _) in named where FixedProperty(rawValue: key) != nil {
            throw EntityStoreError(
                .invalidName,
                "\(key.quoted) is set by the store itself and can't be written")
        }
        return named
    }

    /// Adds an entry for any key.
    mutating func append(
        _ property: Property, key: String, to identifier: String, allowsMissing: Bool = false,
        in graph: inout EntityGraph
    ) throws(EntityStoreError) {
        guard !key.isEmpty else {
            throw EntityStoreError(.invalidName, "a property needs a non-empty key")
        }
        let value = try resolved(
            property.value, key: key, allowsMissing: allowsMissing, in: &graph)
        if let target = value.relationship?.identifier { observe(target, in: graph) }
        observe(identifier, in: graph)
        var operation = EntityOperation(
            identifier: identifier,
            action: .entry(key: key, value: value, tag: property.type),
            date: property.datestamp)
        if property.datestamp == nil, let slot = graph.slot(of: identifier, key: key),
            let current = graph.currentEntry(of: slot)
        {
            let date = Timestamp(microseconds: graph.entries[Int(current)].date)
            operation.notBefore = min(date.successor, .latest)
        }
        operations.append(operation)
    }

    /// Returns the value with a relationship's target resolved to its identifier.
    mutating func resolved(
        _ value: EntityValue, key: String, allowsMissing: Bool = false,
        in graph: inout EntityGraph
    ) throws(EntityStoreError) -> EntityValue {
        guard case .relationship(let reference) = value else { return value }
        if let target = try resolve(reference, in: &graph) {
            return .relationship(.identifier(target))
        }
        guard allowsMissing, reference.identifier?.isEmpty == false else {
            throw EntityStoreError(
                .noSuchEntity,
                "\(key.quoted) points to \(reference), which doesn't exist")
        }
        return value
    }

    /// Replaces a value that this call was going to write.
    mutating func replaceEntry(
        at index: Int, with property: Property, in graph: EntityGraph
    ) {
        guard case .entry(let key, _, _) = operations[index].action else { return }
        if let target = property.value.relationship?.identifier { observe(target, in: graph) }
        operations[index].action = .entry(
            key: key, value: property.value, tag: property.type)
        operations[index].date = property.datestamp
    }

    /// Removes every known entry of a property. Does nothing if none is visible.
    mutating func removeAll(_ key: String, of identifier: String, in graph: EntityGraph) {
        guard let slot = graph.slot(of: identifier, key: key),
            graph.currentEntry(of: slot) != nil
        else { return }
        replaceAll(key, of: identifier, in: graph)
    }

    /// Removes every known entry of a property, because the next operation sets a new value. The
    /// removal is also recorded if there are no entries, so that other devices treat the value as
    /// set.
    mutating func replaceAll(_ key: String, of identifier: String, in graph: EntityGraph) {
        var cover = EntityRowBatch.Cover()
        if let slot = graph.slot(of: identifier, key: key) {
            for number in graph.entryNumbers(of: slot) {
                let entry = graph.entries[Int(number)]
                let device = graph.devices[Int(entry.device)]
                cover.upTo[device] = max(cover.upTo[device] ?? 0, entry.row)
            }
        }
        observe(identifier, in: graph)
        operations.append(
            EntityOperation(identifier: identifier, action: .removal(key: key, cover: cover)))
    }

    /// Removes single entries of a property.
    mutating func remove(
        _ entries: [PropertyEntry.ID], key: String, of identifier: String, in graph: EntityGraph
    ) {
        var cover = EntityRowBatch.Cover()
        for entry in entries {
            guard let row = UInt32(exactly: entry.row) else { continue }
            cover.rows[entry.device, default: []].append(row)
        }
        guard !cover.rows.isEmpty else { return }
        observe(identifier, in: graph)
        operations.append(
            EntityOperation(identifier: identifier, action: .removal(key: key, cover: cover)))
    }

    /// Starts writing a set value: adds the removal that gives the next entry its causes. These are
    /// the rows in `side`, or no rows if `side` is `nil`. So a restored value is a side of its
    /// conflict again.
    mutating func begin(
        sideOf key: String, of identifier: String, as side: EntityOperation.Side? = nil
    ) {
        let cover = EntityRowBatch.Cover(upTo: side?.seen ?? [:], restated: side?.original)
        operations.append(
            EntityOperation(identifier: identifier, action: .removal(key: key, cover: cover)))
    }

    mutating func delete(_ identifier: String, in graph: EntityGraph) {
        guard let node = graph.find(identifier) else { return }
        observe(identifier, in: graph, isOrdered: true)
        // The time must be later than the times of all relationships to the entity, even if the
        // clocks of their writers were ahead.
        for number in graph.incomingNumbers(of: node) {
            note(graph.entries[Int(number)].timestamp, isOrdered: true)
        }
        operations.append(EntityOperation(identifier: identifier, action: .deletion))
    }

    /// Adds prepared operations.
    mutating func append(_ restored: [EntityOperation], in graph: EntityGraph) {
        for operation in restored {
            observe(operation.identifier, in: graph, isOrdered: operation.action.isOrdered)
            if case .entry(_, .relationship(let target), _) = operation.action,
                let identifier = target.identifier
            {
                observe(identifier, in: graph)
            }
            if let side = operation.side, case .entry(let key, _, _) = operation.action {
                begin(sideOf: key, of: operation.identifier, as: side)
            }
            operations.append(operation)
        }
    }
}
