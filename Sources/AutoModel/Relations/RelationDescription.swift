/// The relations of a model. For code that the macro generates.
public struct RelationList {
    let table: String
    private(set) var all: [RelationDescription] = []

    init(of table: String) { self.table = table }

    /// Adds a relation.
    public mutating func add<Target>(_ name: String, _ relation: ManyToMany<Target>) {
        all.append(
            RelationDescription(
                owner: table, name: relation.inverse ?? name, target: Target.self,
                repeats: relation.repeats, isOwner: relation.inverse == nil, slot: all.count))
    }

    /// Adds a relation.
    public mutating func add<Child>(_ name: String, _ relation: Children<Child>) {
        add(Child.self)
    }
    /// Adds a relation.
    public mutating func add<Owner>(_ name: String, _ relation: Inverse<Owner>) {
        add(Owner.self)
    }

    private mutating func add(_ target: any AutoObject.Type) {
        all.append(
            RelationDescription(
                owner: table, name: "", target: target, repeats: true, isOwner: false,
                slot: all.count))
    }
}

/// A relation with a separate table, or the inverse of one.
struct RelationDescription: Sendable {
    let owner: String
    let name: String
    let target: any AutoObject.Type
    let repeats: Bool
    /// Whether the relation owns the table. The inverse doesn't.
    let isOwner: Bool
    let slot: Int

    var table: String { table(of: owner) }
    func table(of owner: String) -> String { "\(owner)_\(name)" }
}

/// An object's state of one relation, protected by the object's lock.
final class RelationSlot {
    /// The fetched children, and the version of their table.
    var children: [any AutoObject] = []
    var version: Version?
    /// The identifiers of a fetched many-to-many list, valid at `version`. The list doesn't retain
    /// its objects, because the objects of two lists may refer to each other.
    var ids: [Int64] = []
    /// The unsaved list of a many-to-many relation. Valid if `isDirty` is set.
    var listed: [PendingObject] = []
    var isDirty = false
}

extension AutoObject {
    /// Accesses the state of a relation, creating it if needed, under the object's lock.
    func withSlot<Result>(_ slot: Int, _ body: (RelationSlot) -> Result) -> Result {
        withExtras { extras in
            let found = extras.relations[slot] ?? RelationSlot()
            extras.relations[slot] = found
            return body(found)
        }
    }

    /// The object's table; `nil` if the object doesn't belong to a database.
    var ownTable: (any AnyTable)? { locked { _$state.table } }
    /// The identifier of a saved object; otherwise 0. Reading this property doesn't assign an
    /// identifier, unlike reading `id`.
    var storedID: Int64 { locked { _$state.phase == .stored ? _$state.id : 0 } }
}
