import Replication

/// A reference to an entity, by identifier or by other criteria.
///
/// References that a store returns are resolved and have an ``identifier``. References that a
/// caller passes can also be queries (the entity whose `name` is "Anna") and can describe the
/// entity to create if none matches.
public struct EntityReference: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case null
        case identifier(Name)
        case new
        indirect case match(key: Name, value: EntityValue, type: Name?)
        case identifierOrName(Name, type: Name?)
        indirect case created(Form, EntityInitializer)
    }

    let form: Form

    /// Returns a reference to the entity with this identifier.
    public static func identifier(_ identifier: String) -> Self {
        Self(form: .identifier(Name(identifier)))
    }

    /// Refers to the entity whose current `key` equals `value`, or to the oldest of several such
    /// entities.
    ///
    /// - Parameter type: The type to search; `nil` searches all types.
    public static func `where`(
        _ key: String, equals value: EntityValue, type: String? = nil
    ) -> Self {
        Self(form: .match(key: Name(key), value: value, type: type.map { Name($0) }))
    }

    /// Refers to the entity whose `name` is this string.
    ///
    /// - Parameter type: The type to search; `nil` searches all types.
    public static func named(_ name: String, type: String? = nil) -> Self {
        .where("name", equals: .string(name), type: type)
    }

    /// Refers to the entity with this identifier or, if no entity has it, the one with this name.
    ///
    /// - Parameter type: The type to search; `nil` searches all types. Creating the entity fails if
    ///   an entity of another type has the identifier.
    public static func identifierOrName(_ text: String, type: String? = nil) -> Self {
        Self(form: .identifierOrName(Name(text), type: type.map { Name($0) }))
    }

    /// A reference to no entity.
    public static let null = Self(form: .null)

    /// Refers to a new entity, regardless of existing ones.
    public static func new(
        _ type: String, identifier: String? = nil, properties: PropertyDictionary = [:]
    ) -> Self {
        Self(form: .new).orCreate(type, identifier: identifier, properties: properties)
    }

    /// Returns this reference with the instruction to create the entity if it is missing.
    ///
    /// The new entity gets `type`, the identifier or property that the reference looks for, and
    /// `properties`. An existing entity stays unchanged. If the reference searches one type, `type`
    /// must be that type.
    ///
    /// - Parameter identifier: The identifier of the new entity if the reference doesn't name one;
    ///   `nil` generates a random UUID.
    public func orCreate(
        _ type: String, identifier: String? = nil, properties: PropertyDictionary = [:]
    ) -> Self {
        let base: Form = if case .created(let inner, _) = form { inner } else { form }
        return Self(
            form: .created(
                base,
                EntityInitializer(
                    type: type, identifier: identifier.map { Name($0) }, properties: properties)))
    }

    /// The identifier, if the reference names one.
    public var identifier: String? {
        switch form {
        case .identifier(let identifier): identifier.text
        case .created(.identifier(let identifier), _): identifier.text
        default: nil
        }
    }
}

/// The initial content of a missing entity.
struct EntityInitializer: Hashable, Sendable {
    @Name var type: String
    var identifier: Name?
    var properties: PropertyDictionary
}

extension EntityReference: CustomStringConvertible {
    public var description: String {
        switch form {
        case .null: "no entity"
        case .new: "a new entity"
        case .identifier(let identifier): identifier.text
        case .match(let key, let value, let type):
            "the \(type?.text ?? "entity") whose \(key) is \(value.text)"
        case .identifierOrName(let name, _): name.text
        case .created(let inner, _): EntityReference(form: inner).description
        }
    }
}

/// A Swift type that represents the entities of one type.
///
/// After ``EntityStore/register(_:)``, ``EntityStore/typed(_:)`` returns values of this type.
public protocol EntityReferencing: Sendable {
    /// The type of the entities that it represents.
    static var entityType: String { get }
    /// The entity that the value represents.
    var reference: EntityReference { get }
    /// Creates a value that represents an entity. The store passes a reference with an identifier.
    init(reference: EntityReference)
}
