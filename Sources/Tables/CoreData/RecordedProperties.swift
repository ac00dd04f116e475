import Foundation

/// The properties of an entity as the persistent history numbers them.
struct RecordedProperties: Hashable, Sendable {
    /// The stored attributes and relationships, sorted by name; `nil` if their numbers are unknown.
    private let names: [String]?
    /// The attributes whose values are kept when an object is deleted, sorted by name.
    let preserved: [Preserved]

    /// An attribute whose value is kept when an object is deleted.
    struct Preserved: Hashable, Sendable {
        let name: String
        let type: CoreDataModel.AttributeType?
    }

    /// - Parameter properties: The stored properties, sorted by name.
    init(_ properties: [ModelArchive.Property]) {
        // The numbering of a composite's attributes isn't known.
        let hasComposites = properties.contains { !$0.elements.isEmpty }
        names = hasComposites ? nil : properties.map(\.name)
        preserved = properties.filter(\.isPreserved).map { .init(name: $0.name, type: $0.type) }
    }

    /// Returns the names of the properties in a bitmap of the history. The first property is the
    /// highest bit of the first byte.
    ///
    /// - Returns: `nil` if the bitmap contains a property that the model lacks, because then the
    ///   other names are wrong, too.
    func names(in bitmap: Data) -> [String]? {
        guard let names else { return nil }
        var found: [String] = []
        for (index, byte) in bitmap.enumerated() where byte != 0 {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
                guard names.indices.contains(index * 8 + bit) else { return nil }
                found.append(names[index * 8 + bit])
            }
        }
        return found
    }
}
