import Foundation

/// The document and user info of one decoding call.
struct DecodingSource {
    let document: Document
    let userInfo: [CodingUserInfoKey: Any]

    /// Decodes a value. Types with a native Automerge representation use it; other types use their
    /// own `Decodable` implementation.
    func decode<T: Decodable>(
        _ type: T.Type, _ value: Value, in place: CodingPlace, path: [any CodingKey]
    ) throws -> T {
        switch type {
        case is Date.Type: return try special(Date.self, value, path)
        case is Data.Type: return try special(Data.self, value, path)
        case is URL.Type: return try special(URL.self, value, path)
        case is Counter.Type:
            guard case .Scalar(.Counter) = value,
                let counter = try Counter(doc: document, objId: place.object, key: place.key) as? T
            else { throw mismatch(type, value, path) }
            return counter
        case is AutomergeText.Type:
            guard let text = try text(value, path) as? T else { throw mismatch(type, value, path) }
            return text
        default:
            let subject = ScopedDecoder.Subject.value(place, value)
            return try T(from: ScopedDecoder(source: self, subject: subject, codingPath: path))
        }
    }

    /// Returns a text that is bound to its object. Strings, which older versions wrote for a text
    /// at the top level, result in an unbound text.
    private func text(_ value: Value, _ path: [any CodingKey]) throws -> AutomergeText {
        switch value {
        case .Object(let object, .Text): try AutomergeText(doc: document, objId: object)
        case .Scalar(.String(let string)): AutomergeText(string)
        default: throw mismatch(AutomergeText.self, value, path)
        }
    }

    private func special<S: ScalarValueRepresentable, T>(
        _ type: S.Type, _ value: Value, _ path: [any CodingKey]
    ) throws -> T {
        guard let result = try scalar(type, value, path) as? T else {
            throw mismatch(type, value, path)
        }
        return result
    }

    /// Returns a scalar converted to `S`.
    func scalar<S: ScalarValueRepresentable>(
        _ type: S.Type, _ value: Value, _ path: [any CodingKey]
    ) throws -> S {
        guard case .Scalar(let scalar) = value else { throw mismatch(type, value, path) }
        switch S.fromScalarValue(scalar) {
        case .success(let result): return result
        case .failure(let error): throw mismatch(type, value, path, cause: error)
        }
    }

    /// Returns a signed or unsigned integer that fits in `Number`.
    func integer<Number: FixedWidthInteger>(_ value: Value, _ path: [any CodingKey]) throws
        -> Number
    {
        let number: Number?
        switch value {
        case .Scalar(.Int(let integer)): number = Number(exactly: integer)
        case .Scalar(.Uint(let integer)): number = Number(exactly: integer)
        default: throw mismatch(Number.self, value, path)
        }
        guard let number else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: path,
                    debugDescription: "\(value.debugDescription) does not fit \(Number.self)"))
        }
        return number
    }

    /// Returns a number. Accepts integers, because programs in other languages don't distinguish
    /// them from floating-point numbers.
    func floatingPoint<Number: BinaryFloatingPoint>(
        _ value: Value, _ path: [any CodingKey]
    ) throws -> Number {
        switch value {
        case .Scalar(.F64(let number)): return Number(number)
        case .Scalar(.Int(let number)): return Number(number)
        case .Scalar(.Uint(let number)): return Number(number)
        default: throw mismatch(Number.self, value, path)
        }
    }

    func mismatch(
        _ type: Any.Type, _ value: Value, _ path: [any CodingKey], cause: (any Error)? = nil
    ) -> DecodingError {
        .typeMismatch(
            type,
            .init(
                codingPath: path, debugDescription: "\(path.stringPath()) is a \(value.kind)",
                underlyingError: cause))
    }
}
