public import Foundation
import Replication

/// The key of a property to be written.
///
/// A key is any text of at least one byte. Two forms help an entity to hold several values under
/// keys of their own rather than as entries of one key.
public struct PropertyKey: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case name(Name)
        case reference(Name, EntityReference)
    }

    let form: Form

    /// The key of that text. An empty one is refused when it is written.
    public init(_ name: String) { form = .name(Name(name)) }

    private init(form: Form) { self.form = form }

    /// `name-UUID`: a key that nothing else has.
    public static func unique(_ name: String, _ unique: UUID = UUID()) -> Self {
        Self("\(name)-\(unique.uuidString)")
    }

    /// `name-IDENTIFIER` of an entity, which is made when it is missing and the reference says how.
    public static func reference(_ name: String, _ reference: EntityReference) -> Self {
        Self(form: .reference(Name(name), reference))
    }

    /// The text, unless it depends on an entity that is still to be found.
    public var name: String? {
        switch form {
        case .name(let name): name.text
        case .reference(let name, let reference): reference.identifier.map { "\(name)-\($0)" }
        }
    }
}

extension PropertyKey: ExpressibleByStringLiteral {
    /// The key that the literal spells.
    public init(stringLiteral value: String) { self.init(value) }
}
