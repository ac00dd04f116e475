public import Replication

/// Properties by key, in byte order of the keys.
///
/// Subscripts by text read and write whole properties. `dictionary[value: "age"] = 21` is the short
/// form, which uses the default semantic type of the kind.
public struct PropertyDictionary: Sendable {
    /// A property with its key.
    public struct Element: Hashable, Sendable {
        /// The property's key.
        @Name public private(set) var key: String
        /// The value and its metadata.
        public var property: Property
    }

    /// Sorted by key, without duplicates.
    private(set) var elements: [Element]
    /// Properties whose key isn't resolved yet, in insertion order.
    private(set) var unresolved: [PropertyKey: Property]

    /// Creates an empty dictionary.
    public init() {
        elements = []
        unresolved = [:]
    }

    /// - Precondition: `sorted` is in key order without duplicates, as the graph returns it.
    init(sorted: [Element]) {
        elements = sorted
        unresolved = [:]
    }

    /// The number of properties, including those whose key depends on an unresolved entity.
    public var count: Int { elements.count + unresolved.count }
    /// Whether the dictionary is empty.
    public var isEmpty: Bool { count == 0 }
    /// The resolved keys in byte order.
    public var keys: [String] { elements.map(\.key) }

    /// The property for a key. Set `nil` to remove it.
    ///
    /// - Complexity: O(log *n*) comparisons. Setting a new key moves the properties after it.
    public subscript(key: String) -> Property? {
        get {
            let index = firstIndex(notBefore: key)
            return index < elements.count && !precedes(key, elements[index].key)
                ? elements[index].property : nil
        }
        set {
            let index = firstIndex(notBefore: key)
            let exists = index < elements.count && !precedes(key, elements[index].key)
            switch (newValue, exists) {
            case (let property?, true): elements[index].property = property
            case (let property?, false):
                elements.insert(Element(key: key, property: property), at: index)
            case (nil, true): elements.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// The property for a key, including keys that depend on an unresolved entity.
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

    /// The value for a key. A value that you set gets the default semantic type of its kind and no
    /// datestamp.
    public subscript(value key: String) -> EntityValue? {
        get { self[key]?.value }
        set { self[key] = newValue.map { Property($0) } }
    }

    private func firstIndex(notBefore key: String) -> Int {
        if let last = elements.last, precedes(last.key, key) { return elements.count }
        return elements.indices.firstPosition { !precedes(elements[$0].key, key) }
    }

    private func precedes(_ a: String, _ b: String) -> Bool {
        a.utf8.lexicographicallyPrecedes(b.utf8)
    }
}

extension PropertyDictionary: Hashable {}

extension PropertyDictionary: Sequence {
    /// Returns an iterator over the properties with resolved keys, in key order.
    public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
}

extension PropertyDictionary: ExpressibleByDictionaryLiteral {
    /// Creates a dictionary of values with default semantic types. If a key occurs twice, its last
    /// value counts.
    public init(dictionaryLiteral elements: (PropertyKey, EntityValue)...) {
        self.init()
        for (key, value) in elements { self[key] = Property(value) }
    }
}
