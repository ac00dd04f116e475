import CSwiftRuntime

/// The objects of one class that are in use, by identifier.
///
/// The cache stores only the addresses of objects and doesn't retain them. Weak references would
/// give each object a side table, which slows down every later retain and release. Instead, an
/// object's ``ObjectState`` removes the object from the cache before its memory is freed.
///
/// The cache isn't generic over the class, because generic code is several times slower.
final class IdentityCache: Sendable {
    private let held = Locked(IdentityTable())

    subscript(id: Int64) -> AnyObject? { held.withLock { $0[id].flatMap(Self.object) } }

    /// All live objects.
    var objects: [AnyObject] { held.withLock { $0.objects.compactMap(Self.object) } }

    /// Returns the live objects with these identifiers.
    func objects(_ ids: [Int64]) -> [AnyObject?] {
        held.withLock { held in ids.map { held[$0].flatMap(Self.object) } }
    }

    func insert(_ object: AnyObject, _ id: Int64) {
        held.withLock { $0.insert(ObjectIdentifier(object), id) }
    }

    /// Removes an object, unless another object has taken its place.
    func remove(_ object: AnyObject, _ id: Int64) {
        remove(id) { $0 == ObjectIdentifier(object) }
    }

    /// Removes an object that is being deallocated. If another object with the same identifier was
    /// fetched in the meantime, that object stays.
    func removeEnding(_ id: Int64) { remove(id, where: Self.isEnding) }

    private func remove(_ id: Int64, where isMeant: (ObjectIdentifier) -> Bool) {
        held.withLock { held in
            if let object = held[id], isMeant(object) { held.remove(id) }
        }
    }

    // While the lock is held, the memory of all objects in the table is valid.

    private static func isEnding(_ object: ObjectIdentifier) -> Bool {
        address(of: object).map { swift_isDeallocating($0) } ?? true
    }

    private static func object(_ identity: ObjectIdentifier) -> AnyObject? {
        guard let address = address(of: identity) else { return nil }
        // Retain the object first. If it isn't being deallocated at this point, it now stays alive.
        let object = Unmanaged<AnyObject>.fromOpaque(address).retain()
        if swift_isDeallocating(address) {
            object.release()
            return nil
        }
        return object.takeRetainedValue()
    }

    private static func address(of object: ObjectIdentifier) -> UnsafeRawPointer? {
        UnsafeRawPointer(bitPattern: UInt(bitPattern: object))
    }
}
