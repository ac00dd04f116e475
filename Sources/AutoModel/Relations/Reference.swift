/// What becomes of the rows that refer to a row that is deleted.
public enum DeleteRule: Sendable {
    /// They refer to none.
    case nullify
    /// They are deleted too, and what refers to them in turn.
    case cascade
    /// The row is not deleted while there are any.
    case deny
}

/// The model and the rule of a reference.
public struct ReferenceTarget: Sendable {
    let type: any AutoObject.Type
    let rule: DeleteRule
    /// Whether an object is referred to by one at most, and goes with it.
    let isOwned: Bool
    /// An object that may have to be saved first.
    let pending: PendingObject?
}

/// Leads to one object of another model, or of the same, and keeps nothing alive: the end of a
/// relation that many rows may have to one.
///
/// ```swift
/// var artist = Reference<Artist>(onDelete: .cascade)
/// …
/// album.artist = Reference(nina)
/// try album.artist.object()?.name
/// ```
///
/// The column holds the identifier and has an index. An object that was not saved yet is saved with
/// the one that refers to it.
public struct Reference<Target: AutoObject>: ColumnValue, Equatable {
    private var known: Int64 = 0
    /// An object that may have no identifier yet.
    private var pending: PendingObject?
    private let rule: DeleteRule
    private let isOwned: Bool
    private var database: AutoDatabase?

    /// To none.
    public init(onDelete rule: DeleteRule = .nullify) {
        self.rule = rule
        isOwned = false
    }

    /// To none, of an object that one row at most refers to and that is deleted with it: the strong
    /// end of a relation of one to one. ``Inverse`` is the other end.
    public static func owning(onDelete rule: DeleteRule = .nullify) -> Reference {
        Reference(rule: rule, isOwned: true)
    }

    /// To that object.
    public init(_ object: Target?) {
        self.init(rule: .nullify, isOwned: false)
        guard let object else { return }
        if object.isStored { known = object.id } else { pending = PendingObject(object) }
    }

    /// To the object with that identifier.
    public init(id: Int64) {
        self.init(rule: .nullify, isOwned: false)
        known = id
    }

    private init(rule: DeleteRule, isOwned: Bool) {
        self.rule = rule
        self.isOwned = isOwned
    }

    /// The identifier; `nil` where it leads to none, or to one that has no identifier yet.
    public var id: Int64? {
        let id = pending.map { $0.id } ?? known
        return id == 0 ? nil : id
    }

    /// The object; `nil` where it leads to none, or to a row that is no more.
    ///
    /// The first look fetches it.
    /// - Throws: ``AutoModelError``.
    public func object() throws -> Target? {
        if let object = pending?.object as? Target { return object }
        guard let id else { return nil }
        return try AutoDatabase.table(of: Target.self, in: database).fetch([id]).first
    }

    /// The object; `nil` where it leads to none, or to a row that is no more.
    ///
    /// The first look fetches it.
    /// - Throws: ``AutoModelError``.
    public func object() async throws -> Target? {
        if let object = pending?.object as? Target { return object }
        guard let id else { return nil }
        return try await AutoDatabase.table(of: Target.self, in: database).fetch([id]).first
    }

    /// Whether both lead to the same object.
    public static func == (left: Reference, right: Reference) -> Bool {
        if let a = left.pending?.object, let b = right.pending?.object { return a === b }
        return left.id == right.id && left.pending?.object == nil && right.pending?.object == nil
    }

    // As a column.
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

/// An object that is kept until it is saved: from then on its identifier is enough.
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
