/// The effect that deleting a row has on the rows that refer to it.
public enum DeleteRule: Sendable {
    /// The references become `nil`.
    case nullify
    /// The referring rows are also deleted. The delete rules of references to them apply in turn.
    case cascade
    /// The row can't be deleted while other rows refer to it.
    case deny
}

/// The model and delete rule of a reference.
public struct ReferenceTarget: Sendable {
    let type: any AutoObject.Type
    let rule: DeleteRule
    /// Whether this row owns the target: at most one row refers to it, and deleting that row
    /// deletes the target.
    let isOwned: Bool
    /// An object that may have to be saved first, to get an identifier.
    let pending: PendingObject?
}

/// A reference to an object of the owner's or another model: a many-to-one relation.
///
/// ```swift
/// var artist = Reference<Artist>(onDelete: .cascade)
/// …
/// album.artist = Reference(nina)
/// try album.artist.object()?.name
/// ```
///
/// The column stores the identifier and has an index. A reference doesn't keep a saved object
/// alive. If the referenced object was never saved, saving the owner also saves it.
public struct Reference<Target: AutoObject>: ColumnValue, Equatable {
    private var known: Int64 = 0
    /// An object that might not have an identifier yet.
    private var pending: PendingObject?
    private let rule: DeleteRule
    private let isOwned: Bool
    private var database: AutoDatabase?

    /// Creates an empty reference.
    ///
    /// - Parameter rule: The effect of deleting the referenced row.
    public init(onDelete rule: DeleteRule = .nullify) {
        self.rule = rule
        isOwned = false
    }

    /// Creates an empty reference that owns its target: at most one row refers to it, and deleting
    /// that row deletes the target. ``Inverse`` is the other end of this one-to-one relation.
    public static func owning(onDelete rule: DeleteRule = .nullify) -> Reference {
        Reference(rule: rule, isOwned: true)
    }

    /// Creates a reference to an object.
    public init(_ object: Target?) {
        self.init(rule: .nullify, isOwned: false)
        guard let object else { return }
        if object.isStored { known = object.id } else { pending = PendingObject(object) }
    }

    /// Creates a reference to the object with the given identifier.
    public init(id: Int64) {
        self.init(rule: .nullify, isOwned: false)
        known = id
    }

    private init(rule: DeleteRule, isOwned: Bool) {
        self.rule = rule
        self.isOwned = isOwned
    }

    /// The object's identifier; `nil` if there is no object or it has no identifier yet.
    public var id: Int64? {
        let id = pending.map { $0.id } ?? known
        return id == 0 ? nil : id
    }

    /// Returns the object, fetching it if needed; `nil` if there is none or its row was deleted.
    ///
    /// - Throws: ``AutoModelError``.
    public func object() throws -> Target? {
        if let object = pending?.object as? Target { return object }
        guard let id else { return nil }
        return try AutoDatabase.table(of: Target.self, in: database).fetch([id]).first
    }

    /// Runs `object()` asynchronously.
    public func object() async throws -> Target? {
        if let object = pending?.object as? Target { return object }
        guard let id else { return nil }
        return try await AutoDatabase.table(of: Target.self, in: database).fetch([id]).first
    }

    /// Returns whether both references lead to the same object.
    public static func == (left: Reference, right: Reference) -> Bool {
        if let a = left.pending?.object, let b = right.pending?.object { return a === b }
        return left.id == right.id && left.pending?.object == nil && right.pending?.object == nil
    }

    // Conformance to `ColumnValue`.
    public static var columnType: ColumnType { .integer }
    public static var isNullable: Bool { true }
    public var sqlValue: SQLValue { id.map { .integer($0) } ?? .null }
    public init(sqlValue: SQLValue) throws {
        self.init(rule: .nullify, isOwned: false)
        known = sqlValue.isNull ? 0 : try Int64(sqlValue: sqlValue)
    }
    public var _$reference: ReferenceTarget? {
        ReferenceTarget(type: Target.self, rule: rule, isOwned: isOwned, pending: pending)
    }

    func bound(to database: AutoDatabase?) -> Reference {
        var copy = self
        copy.database = database
        return copy
    }
}

/// `nil` is an empty reference: `album.artist = nil`.
extension Reference: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self.init(rule: .nullify, isOwned: false) }
}

/// A referenced object. Retains it until it is saved, and then keeps only its identifier.
final class PendingObject: Sendable {
    private let state: Locked<(object: (any AutoObject)?, id: Int64)>

    init(_ object: any AutoObject) { state = Locked((object, 0)) }

    var object: (any AutoObject)? { state.withLock { $0.object } }

    var id: Int64 {
        guard let object else { return state.withLock { $0.id } }
        let id = object.id
        if object.isStored { state.withLock { $0 = (nil, id) } }
        return id
    }
}
