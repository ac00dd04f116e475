import Foundation

/// One call of an encoder: where it writes, and what it has written.
final class EncodingSession {
    let document: Document
    let strategy: SchemaStrategy
    let isCautious: Bool
    let userInfo: [CodingUserInfoKey: Any]

    /// The bytes of the keys that were written into each map; a map without any is in it too.
    private var writtenKeys: [ObjId: Set<ContiguousArray<UInt8>>] = [:]
    /// How many elements were written into each list.
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

    /// Notes that `object` is being written, with nothing in it yet.
    func begin(_ object: ObjId, _ type: ObjType) {
        switch type {
        case .Map: if writtenKeys[object] == nil { writtenKeys[object] = [] }
        case .List: if writtenCounts[object] == nil { writtenCounts[object] = 0 }
        case .Text: break
        }
    }

    /// Notes that a place was written; one in an object that is not being written as a whole, as the
    /// parent of a path, stays as it is beside it.
    private func note(_ place: CodingPlace) {
        switch place.key.prop {
        case .Key(let key): writtenKeys[place.object]?.insert(ContiguousArray(key.utf8))
        case .Index(let index):
            if let count = writtenCounts[place.object], index >= count {
                writtenCounts[place.object] = index &+ 1
            }
        }
    }

    /// The map or list that a container writes into: the root where `place` is `nil`.
    func container(
        _ type: ObjType, in place: CodingPlace?, path: [any CodingKey]
    ) throws(CodingKeyLookupError) -> ObjId {
        guard let place else {
            guard type == .Map else {
                throw .InvalidIndexLookup("The root of a document is a map and cannot be a list")
            }
            begin(.ROOT, type)
            return .ROOT
        }
        let object = try document.container(type, in: place, strategy: strategy, path: path)
        note(place)
        begin(object, type)
        return object
    }

    /// Writes a scalar. `original` is what it stands for, for the error.
    func put(_ scalar: ScalarValue, for original: Any, in place: CodingPlace, path: [any CodingKey])
        throws
    {
        try checkKind(.Scalar(scalar), for: original, in: place, path)
        try place.put(scalar, in: document)
        note(place)
    }

    /// Writes a floating point number, which must be finite: decoders could not tell it otherwise.
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

    /// Writes anything: types that a document knows as what they are, others by their own code.
    func encode<T: Encodable>(_ value: T, in place: CodingPlace, path: [any CodingKey]) throws {
        switch value {
        case let date as Date: try put(date.toScalarValue(), for: date, in: place, path: path)
        case let data as Data: try put(data.toScalarValue(), for: data, in: place, path: path)
        case let url as URL: try put(url.toScalarValue(), for: url, in: place, path: path)
        case let counter as Counter: try encode(counter, in: place, path: path)
        case let text as AutomergeText: try encode(text, in: place, path: path)
        default:
            try value.encode(
                to: ScopedEncoder(session: self, place: .success(place), codingPath: path))
            note(place)
        }
    }

    private func encode(_ counter: Counter, in place: CodingPlace, path: [any CodingKey]) throws {
        let value = Int64(counter.value)
        try checkKind(.Scalar(.Counter(value)), for: counter, in: place, path)
        if let current = try place.counter(in: document) {
            // An increment, so that it adds up with those of others.
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
                throw CodingKeyLookupError.SchemaMissing("Nothing is at \(path.stringPath())")
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

    /// Deletes the keys and elements that an earlier value had and this one has not.
    func deleteWhatWasNotWritten() throws {
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
