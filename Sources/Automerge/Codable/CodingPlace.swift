/// A place in a document that can hold a value: a map key or a list index.
package struct CodingPlace {
    package let object: ObjId
    let key: AnyCodingKey

    package var prop: Prop { key.prop }

    /// Returns the value at this place, or `nil` for a missing key or an index beyond the list.
    package func value(in document: Document) throws -> Value? {
        switch prop {
        case .Key(let key): return try document.get(obj: object, key: key)
        case .Index(let index):
            guard index < document.length(obj: object) else { return nil }
            return try document.get(obj: object, index: index)
        }
    }

    /// Writes a scalar at this place. Appends it if the index is the length of the list.
    package func put(_ value: ScalarValue, in document: Document) throws {
        switch prop {
        case .Key(let key): try document.put(obj: object, key: key, value: value)
        case .Index(let index):
            if index < document.length(obj: object) {
                try document.put(obj: object, index: index, value: value)
            } else {
                try document.insert(obj: object, index: index, value: value)
            }
        }
    }

    /// Creates an object at this place. Appends it if the index is the length of the list.
    package func putObject(_ type: ObjType, in document: Document) throws -> ObjId {
        switch prop {
        case .Key(let key): return try document.putObject(obj: object, key: key, ty: type)
        case .Index(let index):
            if index < document.length(obj: object) {
                return try document.putObject(obj: object, index: index, ty: type)
            }
            return try document.insertObject(obj: object, index: index, ty: type)
        }
    }

    /// Increments the counter at this place.
    package func increment(by amount: Int64, in document: Document) throws {
        switch prop {
        case .Key(let key): try document.increment(obj: object, key: key, by: amount)
        case .Index(let index): try document.increment(obj: object, index: index, by: amount)
        }
    }

    /// Deletes the key or item.
    package func delete(in document: Document) throws {
        switch prop {
        case .Key(let key): try document.delete(obj: object, key: key)
        case .Index(let index): try document.delete(obj: object, index: index)
        }
    }

    /// Returns the value of the counter at this place, or `nil` if there is another value or none.
    package func counter(in document: Document) throws -> Int64? {
        guard case .Scalar(.Counter(let value)) = try value(in: document) else { return nil }
        return value
    }
}

extension CodingPlace {
    package init(_ prop: Prop, of object: ObjId) {
        self.init(object: object, key: AnyCodingKey(prop))
    }
}
