import CSwiftRuntime

/// The objects of one class that somebody holds, by identifier.
///
/// It holds none of them, and knows each by its address: a weak reference would give an object a table
/// of its own, through which all that retains and releases it would go from then on. Instead the
/// ``ObjectState`` of an object takes it out of here, before its memory is given back.
///
/// It does not name the class, so that the compiler makes its code for what it holds: code for any
/// class is several times slower.
final class IdentityCache: Sendable {
    private let held = Locked(IdentityTable())

    subscript(id: Int64) -> AnyObject? { held.withLock { $0[id].flatMap(Self.object) } }

    /// All that are alive.
    var objects: [AnyObject] { held.withLock { $0.objects.compactMap(Self.object) } }

    /// Those of the identifiers that are alive.
    func objects(_ ids: [Int64]) -> [AnyObject?] {
        held.withLock { held in ids.map { held[$0].flatMap(Self.object) } }
    }

    func insert(_ object: AnyObject, _ id: Int64) {
        held.withLock { $0.insert(ObjectIdentifier(object), id) }
    }

    /// Another object may have taken its place.
    func remove(_ object: AnyObject, _ id: Int64) {
        remove(id) { $0 == ObjectIdentifier(object) }
    }

    /// Called for each object that ends. What has its identifier is the object itself, or one that was
    /// fetched while it ended.
    func removeEnding(_ id: Int64) { remove(id, where: Self.isEnding) }

    private func remove(_ id: Int64, where isMeant: (ObjectIdentifier) -> Bool) {
        held.withLock { held in
            if let object = held[id], isMeant(object) { held.remove(id) }
        }
    }

    // Whatever is in the table has its memory as long as the lock is held.

    private static func isEnding(_ object: ObjectIdentifier) -> Bool {
        address(of: object).map { swift_isDeallocating($0) } ?? true
    }

    private static func object(_ identity: ObjectIdentifier) -> AnyObject? {
        guard let address = address(of: identity) else { return nil }
        // Retained before it is asked: one that has not begun to end by then, does not.
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
