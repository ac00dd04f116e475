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
    /// The value that a Swift value encodes itself as; `nil` for what encodes itself as null, such as
    /// an optional that is nothing.
    ///
    /// Numbers, text, booleans, `Date` and `Data` become values of these kinds, `URL`, `UUID` and
    /// `Decimal` strings, and what has members a dictionary of them by their coding keys. A member
    /// that is nothing is left out.
    ///
    /// - Throws: `EncodingError` with the place: for nothing inside an array, an integer beyond 64
    ///   bits, and what is nested deeper than ``depthLimit``; what `value` throws.
    public init?(encoding value: some Encodable) throws {
        guard let encoded = try Self.encoding(value) else { return nil }
        self = encoded
    }

    /// A Swift value of this one, the other way round of ``init(encoding:)``.
    ///
    /// Kinds are not converted into one another, but for an integer that is a floating-point number
    /// exactly, and numbers that are wanted as `Decimal`. What is not there is `nil` where the type
    /// has one.
    ///
    /// - Throws: `DecodingError` with the place, what was wanted and what is there, also for a
    ///   number that does not fit its type; what `Wanted` throws.
    public func value<Wanted: Decodable>(as type: Wanted.Type) throws -> Wanted {
        try decode(as: type)
    }
}
