import Foundation

/// The document and settings of one encoding call, and the places that it has written.
final class EncodingSession {
    let document: Document
    let strategy: SchemaStrategy
    let isCautious: Bool
    let userInfo: [CodingUserInfoKey: Any]

    /// The keys written to each map, as bytes. Maps without written keys are included.
    private var writtenKeys: [ObjId: Set<ContiguousArray<UInt8>>] = [:]
    /// The number of elements written to each list.
    private var writtenCounts: [ObjId: UInt64] = [:]

    init(
        document: Document, strategy: SchemaStrategy, isCautious: Bool,
        userInfo: [CodingUserInfoKey: Any]
    ) {
        self.document = document
        self.strategy = strategy
        self.isCautious = isCautious
        self.userInfo = userInfo
    }

    /// Starts writing `object`, with no keys or elements so far.
    func begin(_ object: ObjId, _ type: ObjType) {
        switch type {
        case .Map: if writtenKeys[object] == nil { writtenKeys[object] = [] }
        case .List: if writtenCounts[object] == nil { writtenCounts[object] = 0 }
        case .Text: break
        }
    }

    /// Records that a place was written. Objects that aren't written as a whole, such as the
    /// parents of a path, keep their other content.
    private func note(_ place: CodingPlace) {
        switch place.key.prop {
        case .Key(let key): writtenKeys[place.object]?.insert(ContiguousArray(key.utf8))
        case .Index(let index):
            if let count = writtenCounts[place.object], index >= count {
                writtenCounts[place.object] = index &+ 1
            }
        }
    }

    /// Returns the map or list that a container writes to. If `place` is `nil`, returns the root.
    func container(
        _ type: ObjType, in place: CodingPlace?, path: [any CodingKey]
    ) throws(CodingKeyLookupError) -> ObjId {
        guard let place else {
            guard type == .Map else {
                throw .InvalidIndexLookup("the root of a document is a map and can't be a list")
            }
            begin(.ROOT, type)
            return .ROOT
        }
        let object = try document.container(type, in: place, strategy: strategy, path: path)
        note(place)
        begin(object, type)
        return object
    }

    /// Writes a scalar. `original` is the value that it was converted from, for error messages.
    func put(_ scalar: ScalarValue, for original: Any, in place: CodingPlace, path: [any CodingKey])
        throws
    {
        try checkKind(.Scalar(scalar), for: original, in: place, path)
        try place.put(scalar, in: document)
        note(place)
    }

    /// Writes a floating-point number. Only finite numbers are allowed: other numbers can't be
    /// decoded reliably.
    func put<Number: BinaryFloatingPoint>(
        finite number: Number, in place: CodingPlace, path: [any CodingKey]
    ) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number,
                .init(
                    codingPath: path,
                    debugDescription: "Automerge encodes finite numbers, not \(number)"))
        }
        try put(.F64(Double(number)), for: number, in: place, path: path)
    }

    /// Encodes a value. A type with a native Automerge representation uses that representation.
    /// Other types use their own `Encodable` implementation.
    func encode<T: Encodable>(_ value: T, in place: CodingPlace, path: [any CodingKey]) throws {
        func put(_ value: some ScalarValueRepresentable) throws {
            try self.put(value.toScalarValue(), for: value, in: place, path: path)
        }
        switch value {
        case let truth as Bool: try put(truth)
        case let text as String: try put(text)
        case let number as any FixedWidthInteger & ScalarValueRepresentable: try put(number)
        case let number as Double: try self.put(finite: number, in: place, path: path)
        case let number as Float: try self.put(finite: number, in: place, path: path)
        case let date as Date: try put(date)
        case let data as Data: try put(data)
        case let url as URL: try put(url)
        case let counter as Counter: try encode(counter, in: place, path: path)
        case let text as AutomergeText: try encode(text, in: place, path: path)
        default:
            try value.encode(
                to: ScopedEncoder(session: self, place: .success(place), codingPath: path))
            note(place)
        }
    }

    /// Returns whether a value would encode itself as a single value.
    static func isPrimitive(_ value: any Encodable) -> Bool {
        value is Bool || value is String || value is any FixedWidthInteger
            || value is any BinaryFloatingPoint
    }

    private func encode(_ counter: Counter, in place: CodingPlace, path: [any CodingKey]) throws {
        let value = Int64(counter.value)
        try checkKind(.Scalar(.Counter(value)), for: counter, in: place, path)
        if let current = try place.counter(in: document) {
            // Increment, so that the change adds up with concurrent increments.
            if current != value { try place.increment(by: value &- current, in: document) }
        } else {
            try place.put(.Counter(value), in: document)
        }
        note(place)
    }

    private func encode(_ text: AutomergeText, in place: CodingPlace, path: [any CodingKey]) throws
    {
        let object: ObjId
        switch try place.value(in: document) {
        case .Object(let existing, .Text): object = existing
        case let other? where strategy != .override:
            throw CodingKeyLookupError.MismatchedSchema(
                "\(path.stringPath()) is a \(other.kind), not a text")
        default:
            guard strategy != .readonly else {
                throw CodingKeyLookupError.SchemaMissing(
                    "the document has no value at \(path.stringPath())")
            }
            object = try place.putObject(.Text, in: document)
        }
        try text.store(in: document, as: object)
        note(place)
    }

    private func checkKind(
        _ value: Value, for original: Any, in place: CodingPlace, _ path: [any CodingKey]
    ) throws {
        guard isCautious, let current = try place.value(in: document), current.kind != value.kind
        else { return }
        throw EncodingError.invalidValue(
            original,
            .init(
                codingPath: path,
                debugDescription:
                    "\(path.stringPath()) in the Automerge document is a \(current.kind), "
                    + "and a \(value.kind) would replace it"))
    }

    /// Deletes the keys and elements that an earlier value had and that this value lacks.
    func deleteUnwritten() throws {
        for (object, keys) in writtenKeys {
            for key in document.keys(obj: object) where !keys.contains(ContiguousArray(key.utf8)) {
                try document.delete(obj: object, key: key)
            }
        }
        for (object, count) in writtenCounts {
            let length = document.length(obj: object)
            if length > count, let surplus = Int64(exactly: length - count) {
                try document.splice(obj: object, start: count, delete: surplus, values: [])
            }
        }
    }
}
