/// A place in a document where a value is or can be put: a key of a map, an index of a list.
struct CodingPlace {
    let object: ObjId
    let key: AnyCodingKey

    /// What is there; `nil` for a missing key and for an index beyond the list.
    func value(in document: Document) throws -> Value? {
        switch key.prop {
        case .Key(let key): return try document.get(obj: object, key: key)
        case .Index(let index):
            guard index < document.length(obj: object) else { return nil }
            return try document.get(obj: object, index: index)
        }
    }

    /// Puts a scalar there; at the index after the last element, appends it.
    func put(_ value: ScalarValue, in document: Document) throws {
        switch key.prop {
        case .Key(let key): try document.put(obj: object, key: key, value: value)
        case .Index(let index):
            if index < document.length(obj: object) {
                try document.put(obj: object, index: index, value: value)
            } else {
                try document.insert(obj: object, index: index, value: value)
            }
        }
    }

    /// Puts a new object there; at the index after the last element, appends it.
    func putObject(_ type: ObjType, in document: Document) throws -> ObjId {
        switch key.prop {
        case .Key(let key): return try document.putObject(obj: object, key: key, ty: type)
        case .Index(let index):
            if index < document.length(obj: object) {
                return try document.putObject(obj: object, index: index, ty: type)
            }
            return try document.insertObject(obj: object, index: index, ty: type)
        }
    }

    /// Adds to the counter that is there.
    func increment(by amount: Int64, in document: Document) throws {
        switch key.prop {
        case .Key(let key): try document.increment(obj: object, key: key, by: amount)
        case .Index(let index): try document.increment(obj: object, index: index, by: amount)
        }
    }

    /// The value of the counter that is there, or `nil` where something else or nothing is.
    func counter(in document: Document) throws -> Int64? {
        guard case .Scalar(.Counter(let value)) = try value(in: document) else { return nil }
        return value
    }
}
