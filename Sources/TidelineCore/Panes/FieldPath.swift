import Replication

/// The path of a part of a row: a property, one of its values, or a part inside a structured value.
public struct FieldPath: Hashable, Sendable, Codable {
    /// The property; empty if the row is a single value, like a key.
    public var property: String
    /// The name of one of the property's values, as given by the source that shows it; `nil` for
    /// all values.
    public var entry: String?
    /// The path inside a structured value, outermost first: member names and item indexes.
    public var steps: [String]

    /// Creates a path. Without arguments, creates the path of a row's single value.
    public init(_ property: String = "", entry: String? = nil, steps: [String] = []) {
        self.property = property
        self.entry = entry
        self.steps = steps
    }

    /// Returns the path of the member or item `step` inside this part.
    public func inside(_ step: String) -> FieldPath {
        FieldPath(property, entry: entry, steps: steps + [step])
    }

    /// Compares the bytes of all names, like ``RowID``.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.names == rhs.names }

    public func hash(into hasher: inout Hasher) { hasher.combine(names) }

    private var names: [Name?] {
        [Name(property), entry.map { Name($0) }] + steps.map { Name($0) }
    }
}

extension FieldPath {
    /// Returns the name of a row followed by this part: `Moby-Dick › stars`. If the name already
    /// contains it, returns the name alone.
    public func title(ofRow name: String) -> String {
        let part = description
        return part.isEmpty || name.hasSuffix("› \(part)") ? name : "\(name) › \(part)"
    }
}

extension FieldPath: ExpressibleByStringLiteral {
    /// Creates the path of a property.
    public init(stringLiteral value: String) { self.init(value) }
}

extension FieldPath: CustomStringConvertible {
    /// The path in readable form: `address › lines › 0`.
    public var description: String {
        ((property.isEmpty ? [] : [property]) + steps).joined(separator: " › ")
    }
}
