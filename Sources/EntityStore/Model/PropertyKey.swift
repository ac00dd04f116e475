public import Foundation
import Replication

/// The key of a property to write.
///
/// A key is any text of at least one byte. Two of the forms below give an entity several values
/// under separate keys, instead of several entries under one key.
public struct PropertyKey: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case name(Name)
        case reference(Name, EntityReference)
    }

    let form: Form

    /// Creates a key from text. Writing an empty key throws.
    public init(_ name: String) { form = .name(Name(name)) }

    private init(form: Form) { self.form = form }

    /// Returns the key `name-UUID`, which is unique.
    public static func unique(_ name: String, _ unique: UUID = UUID()) -> Self {
        Self("\(name)-\(unique.uuidString)")
    }

    /// Returns the key `name-IDENTIFIER` for an entity, which is created if it is missing and the
    /// reference describes it.
    public static func reference(_ name: String, _ reference: EntityReference) -> Self {
        Self(form: .reference(Name(name), reference))
    }

    /// The text; `nil` if it depends on an unresolved entity.
    public var name: String? {
        switch form {
        case .name(let name): name.text
        case .reference(let name, let reference): reference.identifier.map { "\(name)-\($0)" }
        }
    }
}

extension PropertyKey: ExpressibleByStringLiteral {
    /// Creates a key from a literal.
    public init(stringLiteral value: String) { self.init(value) }
}
