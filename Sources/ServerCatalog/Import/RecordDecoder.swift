import LosslessJSON

/// Extracts members from a record, and reports members that are missing or have the wrong type.
struct RecordDecoder {
    struct Failure: Error {
        let reason: String
    }

    /// Parses a record, allowing the deviations found in the service's files: trailing commas, and
    /// strings that aren't valid text.
    static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSON {
        try JSONParser.parse(bytes, allowing: [.trailingCommas, .brokenText], depthLimit: 64)
    }

    private let json: JSON
    private let path: String

    init(_ json: JSON, path: String = "") {
        self.json = json
        self.path = path
    }

    func string(_ key: String) throws(Failure) -> String {
        guard let value = try optionalString(key) else { throw wrong(key, "is missing") }
        return value
    }

    /// Returns a string; `nil` if the member is missing or null.
    func optionalString(_ key: String) throws(Failure) -> String? {
        switch json[key] {
        case nil, .null: return nil
        case .string(let value): return value
        default: throw wrong(key, "is not a string")
        }
    }

    func integer(_ key: String) throws(Failure) -> Int {
        guard let value = try optionalInteger(key) else { throw wrong(key, "is missing") }
        return value
    }

    func optionalInteger(_ key: String) throws(Failure) -> Int? {
        switch json[key] {
        case nil, .null: return nil
        case .number(let digits):
            guard let value = Self.integer(digits) else { throw wrong(key, "is not an integer") }
            return value
        default: throw wrong(key, "is not an integer")
        }
    }

    func real(_ key: String) throws(Failure) -> Double {
        switch json[key] {
        case nil, .null: throw wrong(key, "is missing")
        case .number(let digits):
            guard let value = Double(digits), value.isFinite else {
                throw wrong(key, "is too large")
            }
            return value
        default: throw wrong(key, "is not a number")
        }
    }

    /// Returns a decoder for the object at `key`; `nil` if the member is missing or null.
    func optionalObject(_ key: String) throws(Failure) -> RecordDecoder? {
        switch json[key] {
        case nil, .null: return nil
        case .object?: return json[key].map { RecordDecoder($0, path: "\(path)\(key).") }
        default: throw wrong(key, "is not an object")
        }
    }

    func object(_ key: String) throws(Failure) -> RecordDecoder {
        guard let value = try optionalObject(key) else { throw wrong(key, "is missing") }
        return value
    }

    /// Returns decoders for the objects in the array at `key`.
    func objects(_ key: String) throws(Failure) -> [RecordDecoder] {
        switch json[key] {
        case nil, .null: throw wrong(key, "is missing")
        case .array(let elements):
            return elements.enumerated().map { index, element in
                RecordDecoder(element, path: "\(path)\(key)[\(index)].")
            }
        default: throw wrong(key, "is not an array")
        }
    }

    /// Returns the integers in the array at `key`; `nil` if the member is missing or null.
    func optionalIntegers(_ key: String) throws(Failure) -> [Int]? {
        switch json[key] {
        case nil, .null: return nil
        case .array(let elements):
            var integers: [Int] = []
            for element in elements {
                guard case .number(let digits) = element, let value = Self.integer(digits) else {
                    throw wrong(key, "contains values other than integers")
                }
                integers.append(value)
            }
            return integers
        default: throw wrong(key, "is not an array")
        }
    }

    /// The names of the members.
    var keys: [String] {
        guard case .object(let members) = json else { return [] }
        return members.map(\.name)
    }

    /// Returns the integer with these digits, even if written as a real.
    private static func integer(_ digits: String) -> Int? {
        JSON.isReal(digits) ? Double(digits).flatMap { Int(exactly: $0) } : Int(digits)
    }

    private func wrong(_ key: String, _ reason: String) -> Failure {
        Failure(reason: "\(path)\(key) \(reason)")
    }
}
