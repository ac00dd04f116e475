/// A part of a row: a property of it, one of several values of that, something inside a structured
/// value.
public struct FieldPath: Hashable, Sendable, Codable {
    /// The property; empty where the row is one value, as a key is.
    public var property: String
    /// Which of the property's values, as the source that showed it names them; `nil`: all of them.
    public var entry: String?
    /// The way inside a structured value, from its outermost level: names of members, numbers of
    /// items.
    public var steps: [String]

    /// A part of a row; without arguments, the whole value of a row that is one.
    public init(_ property: String = "", entry: String? = nil, steps: [String] = []) {
        self.property = property
        self.entry = entry
        self.steps = steps
    }

    /// What is inside this under a name or a number.
    public func inside(_ step: String) -> FieldPath {
        FieldPath(property, entry: entry, steps: steps + [step])
    }

    /// Two are equal when their bytes are, as names of rows.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.names.elementsEqual(rhs.names) { $0.utf8.elementsEqual($1.utf8) }
            && (lhs.entry == nil) == (rhs.entry == nil)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(entry == nil)
        for name in names {
            for byte in name.utf8 { hasher.combine(byte) }
            hasher.combine(UInt8(255))
        }
    }

    private var names: [String] { [property, entry ?? ""] + steps }
}

extension FieldPath: ExpressibleByStringLiteral {
    /// The property of that name.
    public init(stringLiteral value: String) { self.init(value) }
}

extension FieldPath: CustomStringConvertible {
    /// The way to the part as a person reads it: `address › lines › 0`.
    public var description: String {
        ((property.isEmpty ? [] : [property]) + steps).joined(separator: " › ")
    }
}
