public import Replication

/// What a cell shows, for what its text does not tell. Each data model says it of its own values.
public protocol CellContent: Hashable, Sendable {
    /// The value in the forms of the command line.
    ///
    /// - Complexity: O(*n*) in the size of the value, which may have to be decoded.
    var asJSON: JSONValue { get }
    /// The number, where it is one.
    var asNumber: Double? { get }
    /// The text as it is, without quotation marks, where it is one.
    var asText: String? { get }
    /// The instant, where it is one.
    var asInstant: Timestamp? { get }
}

extension CellContent {
    /// `nil`: it is no number.
    public var asNumber: Double? { nil }
    /// `nil`: it is no text.
    public var asText: String? { nil }
    /// `nil`: it is no instant.
    public var asInstant: Timestamp? { nil }
}

/// The value that a cell shows: to be compared by, to be written to a file.
public struct CellValue: Hashable, Sendable {
    private let content: any CellContent

    /// A value of some data model.
    public init(_ content: any CellContent) { self.content = content }

    /// A value in the forms of the command line.
    public static func json(_ json: JSONValue) -> Self { Self(json) }

    /// In the forms of the command line.
    ///
    /// - Complexity: O(*n*) in the size of the value, which may have to be decoded.
    public var json: JSONValue { content.asJSON }
    var number: Double? { content.asNumber }
    var string: String? { content.asText }
    var instant: Timestamp? { content.asInstant }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        AnyHashable(lhs.content) == AnyHashable(rhs.content)
    }

    public func hash(into hasher: inout Hasher) { content.hash(into: &hasher) }
}

extension JSONValue: CellContent {
    public var asJSON: JSONValue { self }

    public var asNumber: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    public var asText: String? { if case .string(let text) = self { text } else { nil } }
}
