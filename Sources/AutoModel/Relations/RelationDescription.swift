/// A relation as it is declared. Used by what the macro makes.
public struct RelationList {
    let table: String
    private(set) var all: [RelationDescription] = []

    init(of table: String) { self.table = table }

    public mutating func add<Target>(_ name: String, _ relation: ManyToMany<Target>) {
        all.append(
            RelationDescription(
                owner: table, name: relation.inverse ?? name, target: Target.self,
                repeats: relation.repeats, isOwner: relation.inverse == nil, slot: all.count))
    }

    public mutating func add<Child>(_ name: String, _ relation: Children<Child>) {
        add(Child.self)
    }
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

/// A relation that has a table of its own, or that another one gives.
struct RelationDescription: Sendable {
    let owner: String
    let name: String
    let target: any AutoObject.Type
    let repeats: Bool
    /// Whether the table is this one's.
    let isOwner: Bool
    let slot: Int

    var table: String { table(of: owner) }
    func table(of owner: String) -> String { "\(owner)_\(name)" }
}

/// What an object knows of one of its relations. Protected by the object's lock.
final class RelationSlot {
    /// The children that were fetched, and the state of their table then.
    var children: [any AutoObject] = []
    var version: Version?
    /// The list of a relation of many to many, where it was set and not saved.
    var listed: [PendingObject] = []
    var isDirty = false
}

extension AutoObject {
    /// Uses a slot under the object's lock, which makes it if it is not there.
    func withSlot<Result>(_ slot: Int, _ body: (RelationSlot) -> Result) -> Result {
        withExtras { extras in
            let found = extras.relations[slot] ?? RelationSlot()
            extras.relations[slot] = found
            return body(found)
        }
    }

    /// Its table; an object of none has no related ones.
    var ownTable: (any AnyTable)? { locked { _$state.table } }
    /// 0 where it has none yet; unlike `id` it makes none.
    var storedID: Int64 { locked { _$state.phase == .stored ? _$state.id : 0 } }
}
