package import Replication

extension PropertyList: TreeValue {
    package static let treeDepthLimit = depthLimit

    package init?(tree content: TreeContent<Self>) {
        switch content {
        case .boolean(let truth): self = .boolean(truth)
        case .integer(let number): self = .integer(number)
        case .unsigned(let number): self = Self(unsigned: number)
        case .double(let number): self = .real(number)
        case .string(let text): self = .string(text)
        case .data(let data): self = .data(data)
        case .date(let date): self = .date(date)
        case .instant(let instant): self = .date(instant.date)
        case .array(let elements): self = .array(elements)
        case .dictionary(let members): self = .dictionary(members)
        case .null, .ownKind: return nil
        }
    }

    package var treeContent: TreeContent<Self> {
        switch self {
        case .boolean(let truth): .boolean(truth)
        case .integer(let number): .integer(number)
        case .unsigned(let number): .unsigned(number)
        case .real(let number): .double(number)
        case .string(let text): .string(text)
        case .data(let data): .data(data)
        case .date(let date): .date(date)
        case .array(let elements): .array(elements)
        case .dictionary(let members): .dictionary(members)
        }
    }

    package var treeKind: String { kind }
}

extension PropertyList {
    /// Creates the encoding of a Swift value. Returns `nil` if it encodes itself as null, such as a
    /// `nil` optional.
    ///
    /// Numbers, text, booleans, `Date`, and `Data` become values of these kinds. `URL`, `UUID`, and
    /// `Decimal` become strings, and types with members become dictionaries by coding key. Members
    /// that are `nil` are left out.
    ///
    /// - Throws: `EncodingError` with the place: for `nil` inside an array, an integer beyond 64
    ///   bits, and values nested deeper than ``depthLimit``; errors of `value`.
    public init?(encoding value: some Encodable) throws {
        guard let encoded = try Self.encoding(value) else { return nil }
        self = encoded
    }

    /// Decodes a Swift value from this value; the inverse of ``init(encoding:)``.
    ///
    /// Kinds are not converted, except integers to floating-point numbers that represent them
    /// exactly, and numbers to `Decimal`. A missing member is `nil` if its type is optional.
    ///
    /// - Throws: `DecodingError` with the place, the requested type, and the value's kind, also for
    ///   a number that doesn't fit its type; errors of `Wanted`.
    public func value<Wanted: Decodable>(as type: Wanted.Type) throws -> Wanted {
        try decode(as: type)
    }
}
