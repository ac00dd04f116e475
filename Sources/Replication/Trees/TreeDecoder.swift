import Foundation

extension TreeValue {
    /// Decodes a Swift value from this value.
    ///
    /// `Date`, `Data`, and numbers are decoded only from their own kinds of values. Floating-point
    /// numbers are also decoded from integers that the floating-point type represents exactly.
    /// `URL` and `UUID` are decoded from strings, `Decimal` from strings and numbers. A missing
    /// member of an optional type is decoded as `nil`.
    ///
    /// - Throws: `DecodingError` with the place and the value found there, also for a number that
    ///   doesn't fit and for values nested deeper than ``treeDepthLimit``; errors of `Wanted`.
    package func decode<Wanted: Decodable>(as type: Wanted.Type) throws -> Wanted {
        try TreeDecoder(value: self, path: .root, depth: 0).decode(type)
    }
}

/// A decoder of one value of a tree. A missing value decodes as null.
struct TreeDecoder<Value: TreeValue>: Decoder {
    let value: Value?
    let path: TreePath
    /// The number of enclosing arrays and dictionaries.
    let depth: Int

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var content: TreeContent<Value> { value?.treeContent ?? .null }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard case .dictionary(let members) = content else {
            throw mismatch([Name: Value].self, "dictionary")
        }
        try checkDepth()
        return KeyedDecodingContainer(
            KeyedTreeDecoder(members: members, path: path, depth: depth + 1))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = content else {
            throw mismatch([Value].self, "array")
        }
        try checkDepth()
        return UnkeyedTreeDecoder(elements: elements, path: path, depth: depth + 1)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func checkDepth() throws {
        guard depth < Value.treeDepthLimit else {
            throw corrupted("nested deeper than \(Value.treeDepthLimit) levels")
        }
    }

    private func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
        guard let value, !isNull else {
            return .valueNotFound(type, context("expected \(wanted), but there is no value"))
        }
        return .typeMismatch(type, context("it is of kind \(value.treeKind), not \(wanted)"))
    }

    private func corrupted(_ reason: String) -> DecodingError {
        .dataCorrupted(context(reason))
    }

    private func context(_ reason: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: reason)
    }

    private var isNull: Bool { if case .null = content { true } else { false } }
}

extension TreeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { isNull }

    func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
        // Unwrap before casting: if `Wanted` is an optional, casting `nil` to it would succeed.
        if let known = try known(type), let wanted = known as? Wanted { return wanted }
        return try Wanted(from: self)
    }

    /// Returns the value as a type that has built-in decoding, or `nil` for other types.
    private func known(_ type: any Decodable.Type) throws -> Any? {
        switch type {
        case is String.Type: try string(type)
        case is Bool.Type: try boolean()
        case is Double.Type: try double()
        case is Float.Type: try float()
        case let type as any FixedWidthInteger.Type: try integer(type)
        case is Value.Type: try required(type, value)
        case _ where Value.hasOwnKind(type): try required(type, value?.ownKind(type))
        case is Date.Type: try date()
        case is Data.Type: try data()
        case is URL.Type: try url()
        case is UUID.Type: try uuid()
        case is Decimal.Type: try decimal()
        default: nil
        }
    }

    private func required<Found>(_ type: Any.Type, _ found: Found?) throws -> Found {
        guard let found else { throw mismatch(type, "\(type)") }
        return found
    }

    private func string(_ type: Any.Type) throws -> String {
        guard case .string(let text) = content else { throw mismatch(type, "\(type)") }
        return text
    }

    private func boolean() throws -> Bool {
        guard case .boolean(let truth) = content else { throw mismatch(Bool.self, "Bool") }
        return truth
    }

    private func date() throws -> Date {
        switch content {
        case .date(let date): return date
        case .instant(let instant): return instant.date
        default: throw mismatch(Date.self, "Date")
        }
    }

    private func data() throws -> Data {
        guard case .data(let data) = content else { throw mismatch(Data.self, "Data") }
        return data
    }

    private func double() throws -> Double {
        switch content {
        case .double(let number): return number
        case .integer(let number):
            if let exact = Double(exactly: number) { return exact }
            throw corrupted("\(number) can't be represented exactly as a Double")
        case .unsigned(let number):
            if let exact = Double(exactly: number) { return exact }
            throw corrupted("\(number) can't be represented exactly as a Double")
        default: throw mismatch(Double.self, "Double")
        }
    }

    /// Returns the number rounded to the nearest `Float`, because a stored double rarely has
    /// exactly the value of a `Float`.
    private func float() throws -> Float {
        let number = try double()
        let rounded = Float(number)
        guard rounded.isFinite || !number.isFinite else {
            throw corrupted("\(number) is too large for a Float")
        }
        return rounded
    }

    private func integer(_ type: any FixedWidthInteger.Type) throws -> any FixedWidthInteger {
        func exact<Whole: FixedWidthInteger>(_ type: Whole.Type) throws -> Whole {
            switch content {
            case .integer(let number):
                if let whole = Whole(exactly: number) { return whole }
                throw corrupted("\(number) does not fit \(type)")
            case .unsigned(let number):
                if let whole = Whole(exactly: number) { return whole }
                throw corrupted("\(number) does not fit \(type)")
            default: throw mismatch(type, "\(type)")
            }
        }
        return try exact(type)
    }

    private func url() throws -> URL {
        let text = try string(URL.self)
        guard let url = URL(string: text) else {
            throw corrupted("\(text.prefix(200).quoted) is not a URL")
        }
        return url
    }

    private func uuid() throws -> UUID {
        let text = try string(UUID.self)
        guard let uuid = UUID(uuidString: text) else {
            throw corrupted("\(text.prefix(200).quoted) is not a UUID")
        }
        return uuid
    }

    private func decimal() throws -> Decimal {
        switch content {
        case .integer(let number): return Decimal(number)
        case .unsigned(let number): return Decimal(number)
        case .double(let number):
            if let decimal = DecimalText.read(number) { return decimal }
            throw corrupted("\(number) can't be represented exactly as a Decimal")
        default:
            let text = try string(Decimal.self)
            guard let decimal = DecimalText.read(text) else {
                throw corrupted(
                    "\(text.prefix(200).quoted) can't be represented exactly as a Decimal")
            }
            return decimal
        }
    }
}
