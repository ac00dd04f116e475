import Foundation

/// The document and user info of one decoding call.
struct DecodingSource {
    let document: Document
    let userInfo: [CodingUserInfoKey: Any]

    /// Decodes a value. A type with a native Automerge representation uses that representation.
    /// Other types use their own `Decodable` implementation.
    func decode<T: Decodable>(
        _ type: T.Type, _ value: Value, in place: CodingPlace, path: [any CodingKey]
    ) throws -> T {
        guard let native = try native(type, value, in: place, path) else {
            let subject = ScopedDecoder.Subject.value(place, value)
            return try T(from: ScopedDecoder(source: self, subject: subject, codingPath: path))
        }
        guard let result = native as? T else { throw mismatch(type, value, path) }
        return result
    }

    /// Returns the value as a type with a native representation; `nil` for other types.
    private func native(
        _ type: any Decodable.Type, _ value: Value, in place: CodingPlace, _ path: [any CodingKey]
    ) throws -> Any? {
        switch type {
        case is Bool.Type: try scalar(Bool.self, value, path)
        case is String.Type: try string(value, path)
        case is Double.Type: try floatingPoint(Double.self, value, path)
        case is Float.Type: try floatingPoint(Float.self, value, path)
        case let type as any (FixedWidthInteger & ScalarValueRepresentable).Type:
            try integer(type, value, path)
        case is Date.Type: try scalar(Date.self, value, path)
        case is Data.Type: try scalar(Data.self, value, path)
        case is URL.Type: try scalar(URL.self, value, path)
        case is Counter.Type: try counter(value, in: place, path)
        case is AutomergeText.Type: try text(value, path)
        default: nil
        }
    }

    /// Returns a string, or the characters of a text.
    private func string(_ value: Value, _ path: [any CodingKey]) throws -> String {
        if case .Object(let object, .Text) = value { return try document.text(obj: object) }
        return try scalar(String.self, value, path)
    }

    private func counter(
        _ value: Value, in place: CodingPlace, _ path: [any CodingKey]
    ) throws -> Counter {
        guard case .Scalar(.Counter) = value else { throw mismatch(Counter.self, value, path) }
        return try Counter(doc: document, objId: place.object, key: place.key)
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

    /// Returns a scalar converted to `S`.
    private func scalar<S: ScalarValueRepresentable>(
        _ type: S.Type, _ value: Value, _ path: [any CodingKey]
    ) throws -> S {
        guard case .Scalar(let scalar) = value else { throw mismatch(type, value, path) }
        switch S.fromScalarValue(scalar) {
        case .success(let result): return result
        case .failure(let error): throw mismatch(type, value, path, cause: error)
        }
    }

    /// Returns a signed or unsigned integer that fits in a type.
    private func integer(
        _ type: any FixedWidthInteger.Type, _ value: Value, _ path: [any CodingKey]
    ) throws -> any FixedWidthInteger {
        func exact<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
            let number: Number?
            switch value {
            case .Scalar(.Int(let integer)): number = Number(exactly: integer)
            case .Scalar(.Uint(let integer)): number = Number(exactly: integer)
            default: throw mismatch(type, value, path)
            }
            guard let number else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: path,
                        debugDescription: "\(value.debugDescription) does not fit \(type)"))
            }
            return number
        }
        return try exact(type)
    }

    /// Returns a number. Accepts integers, because programs in other languages don't distinguish
    /// integers from floating-point numbers.
    private func floatingPoint<Number: BinaryFloatingPoint>(
        _ type: Number.Type, _ value: Value, _ path: [any CodingKey]
    ) throws -> Number {
        switch value {
        case .Scalar(.F64(let number)): return Number(number)
        case .Scalar(.Int(let number)): return Number(number)
        case .Scalar(.Uint(let number)): return Number(number)
        default: throw mismatch(type, value, path)
        }
    }

    private func mismatch(
        _ type: Any.Type, _ value: Value, _ path: [any CodingKey], cause: (any Error)? = nil
    ) -> DecodingError {
        .typeMismatch(
            type,
            .init(
                codingPath: path, debugDescription: "\(path.stringPath()) is a \(value.kind)",
                underlyingError: cause))
    }
}
