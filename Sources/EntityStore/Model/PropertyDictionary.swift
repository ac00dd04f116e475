public import Replication

/// Properties by key, in key order (by bytes).
///
/// Subscripts by text read and write whole properties; `dictionary[value: "age"] = 21` is the
/// short form with the kind's own semantic type.
public struct PropertyDictionary: Sendable {
    /// A property with its key.
    public struct Element: Hashable, Sendable {
        /// The property's key.
        @Name public private(set) var key: String
        /// The property's value with what is known about it.
        public var property: Property
    }

    /// Sorted by key; without repetitions.
    private(set) var elements: [Element]
    /// Those whose key is still to be found, in the order they were added.
    private(set) var unresolved: [PropertyKey: Property]

    /// A dictionary without properties.
    public init() {
        elements = []
        unresolved = [:]
    }

    /// - Precondition: `sorted` is in key order and repeats none: what the graph hands out.
    init(sorted: [Element]) {
        elements = sorted
        unresolved = [:]
    }

    /// How many properties there are, those included whose key depends on an entity still to be
    /// found.
    public var count: Int { elements.count + unresolved.count }
    /// Whether there is no property.
    public var isEmpty: Bool { count == 0 }
    /// The keys that are known, in byte order.
    public var keys: [String] { elements.map(\.key) }

    /// The property of a key; set it to `nil` to remove it.
    ///
    /// - Complexity: O(log *n*) comparisons; setting a new key moves those behind it.
    public subscript(key: String) -> Property? {
        get {
            let index = firstIndex(notBefore: key)
            return index < elements.count && !precedes(key, elements[index].key)
                ? elements[index].property : nil
        }
        set {
            let index = firstIndex(notBefore: key)
            let isThere = index < elements.count && !precedes(key, elements[index].key)
            switch (newValue, isThere) {
            case (let property?, true): elements[index].property = property
            case (let property?, false):
                elements.insert(Element(key: key, property: property), at: index)
            case (nil, true): elements.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// The property of a key, of one too that depends on an entity still to be found.
    public subscript(key: PropertyKey) -> Property? {
        get {
            if let name = key.name { self[name] } else { unresolved[key] }
        }
        set {
            if case .name(let name) = key.form {
                self[name.text] = newValue
            } else {
                unresolved[key] = newValue
            }
        }
    }

    /// The value of a key alone. One that is set gets the semantic type of its kind and no
    /// datestamp.
    public subscript(value key: String) -> EntityValue? {
        get { self[key]?.value }
        set { self[key] = newValue.map { Property($0) } }
    }

    private func firstIndex(notBefore key: String) -> Int {
        if let last = elements.last, precedes(last.key, key) { return elements.count }
        var low = 0
        var high = elements.count
        while low < high {
            let middle = low + (high - low) / 2
            if precedes(elements[middle].key, key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func precedes(_ a: String, _ b: String) -> Bool {
        a.utf8.lexicographicallyPrecedes(b.utf8)
    }
}

extension PropertyDictionary: Hashable {}

extension PropertyDictionary: Sequence {
    /// The properties whose key is known, in key order.
    public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
}

extension PropertyDictionary: ExpressibleByDictionaryLiteral {
    /// Values with their kinds' own semantic types. Of a key that is written twice the last stands.
    public init(dictionaryLiteral elements: (PropertyKey, EntityValue)...) {
        self.init()
        for (key, value) in elements { self[key] = Property(value) }
    }
}
