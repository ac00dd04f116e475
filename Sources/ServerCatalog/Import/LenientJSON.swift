import Foundation

/// A JSON value, read with one leniency: a comma may stand before a closing bracket.
enum LenientJSON: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case array([LenientJSON])
    /// In the order of the text; of equal keys, the last one counts.
    case object([Member])

    struct Member: Hashable, Sendable {
        let key: String
        let value: LenientJSON
    }

    /// The member called `key`; `nil` where there is none, or this is no object.
    subscript(key: String) -> LenientJSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key == key }?.value
    }

    /// Reads one value that fills `bytes`.
    ///
    /// - Throws: ``LenientJSON/Failure`` for anything else, nesting deeper than 64 included.
    init(parsing bytes: [UInt8]) throws(Failure) {
        var parser = LenientJSONParser(bytes)
        self = try parser.parseDocument()
    }

    /// Where and why a text is no JSON.
    struct Failure: Error, Hashable, Sendable {
        let byteOffset: Int
        let reason: String
    }
}
