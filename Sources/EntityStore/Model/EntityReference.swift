import Replication

/// Names an entity without saying how the store finds it.
///
/// What a store returns is resolved: it has an ``identifier``. What a caller passes may also be a
/// question (the entity whose `name` is "Anna") and may say what to make when nothing answers.
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

    init(form: Form) { self.form = form }

    /// The entity with this identifier.
    public static func identifier(_ identifier: String) -> Self {
        Self(form: .identifier(Name(identifier)))
    }

    /// The entity whose current `key` equals `value`; of several, the oldest.
    ///
    /// - Parameter type: Only among entities of this type; `nil`: of any.
    public static func `where`(
        _ key: String, equals value: EntityValue, type: String? = nil
    ) -> Self {
        Self(form: .match(key: Name(key), value: value, type: type.map { Name($0) }))
    }

    /// The entity whose `name` is this string.
    ///
    /// - Parameter type: Only among entities of this type; `nil`: of any.
    public static func named(_ name: String, type: String? = nil) -> Self {
        .where("name", equals: .string(name), type: type)
    }

    /// The entity with this identifier or, when there is none, the one with this name.
    ///
    /// - Parameter type: Only among entities of this type; `nil`: of any. To make one fails where
    ///   an entity of another type has the identifier.
    public static func identifierOrName(_ text: String, type: String? = nil) -> Self {
        Self(form: .identifierOrName(Name(text), type: type.map { Name($0) }))
    }

    /// No entity.
    public static let null = Self(form: .null)

    /// An entity to be made, whatever is there.
    public static func new(
        _ type: String, identifier: String? = nil, properties: PropertyDictionary = [:]
    ) -> Self {
        Self(form: .new).orCreate(type, identifier: identifier, properties: properties)
    }

    /// The same reference, which makes the entity when it is missing.
    ///
    /// The new entity gets `type`, the identifier or the property that the reference looked for,
    /// and `properties`; an entity that is there is left as it is. Of a reference that looks among
    /// entities of one type, `type` must be that one.
    ///
    /// - Parameter identifier: Of the new entity, when the reference itself does not name one;
    ///   `nil` gives it a random UUID.
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

    /// The identifier, of a reference that names one.
    public var identifier: String? {
        switch form {
        case .identifier(let identifier): identifier.text
        case .created(.identifier(let identifier), _): identifier.text
        default: nil
        }
    }
}

/// What a missing entity starts with.
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

/// A Swift type that stands for the entities of one type.
///
/// Registered with ``EntityStore/register(_:)``, it is what ``EntityStore/typed(_:)`` gives for
/// entities of its type.
public protocol EntityReferencing: Sendable {
    /// The type of the entities that it stands for.
    static var entityType: String { get }
    /// The entity that the value stands for.
    var reference: EntityReference { get }
    /// A value that stands for an entity; the store passes one with an identifier.
    init(reference: EntityReference)
}
