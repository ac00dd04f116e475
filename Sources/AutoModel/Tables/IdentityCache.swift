import CSwiftRuntime

/// The objects of one class that somebody holds, by identifier.
///
/// It holds none of them, and knows each by its address: a weak reference would give an object a table
/// of its own, through which all that retains and releases it would go from then on. Instead an object
/// keeps its ``CachePlace``, which takes it out of here before its memory is given back.
///
/// It does not name the class, so that the compiler makes its code for what it holds: code for any
/// class is several times slower.
final class IdentityCache: Sendable {
    private let held = Locked<[Int64: ObjectIdentifier]>([:])

    subscript(id: Int64) -> AnyObject? { held.withLock { $0[id].flatMap(Self.object) } }

    /// All that are alive.
    var objects: [AnyObject] { held.withLock { $0.values.compactMap(Self.object) } }

    /// Those of the identifiers that are alive.
    func objects(_ ids: [Int64]) -> [AnyObject?] {
        held.withLock { held in ids.map { held[$0].flatMap(Self.object) } }
    }

    fileprivate func insert(_ object: ObjectIdentifier, _ id: Int64) {
        held.withLock { $0[id] = object }
    }

    /// Another object may have taken its place, where that one was fetched while this one ended.
    fileprivate func remove(_ object: ObjectIdentifier, _ id: Int64) {
        held.withLock { held in
            guard let index = held.index(forKey: id), held[index].value == object else { return }
            held.remove(at: index)
        }
    }

    /// - Returns: `nil` where it is just ending. Its memory is there as long as the lock is held.
    private static func object(_ identity: ObjectIdentifier) -> AnyObject? {
        guard let address = UnsafeRawPointer(bitPattern: UInt(bitPattern: identity)) else {
            return nil
        }
        // Retained before it is asked: one that has not begun to end by then, does not.
        let object = Unmanaged<AnyObject>.fromOpaque(address).retain()
        if swift_isDeallocating(address) {
            object.release()
            return nil
        }
        return object.takeRetainedValue()
    }
}

/// Where the cache of its table finds an object. It is a part of the object, and ends with it.
public struct CachePlace: ~Copyable, Sendable {
    private var cache: IdentityCache?
    private var object: ObjectIdentifier?
    private var id: Int64 = 0

    /// - Parameter object: The one that this is a part of.
    mutating func enter(_ cache: IdentityCache, _ object: AnyObject, _ id: Int64) {
        leave()
        self.cache = cache
        self.object = ObjectIdentifier(object)
        self.id = id
        cache.insert(ObjectIdentifier(object), id)
    }

    mutating func leave() {
        if let object { cache?.remove(object, id) }
        cache = nil
    }

    deinit {
        if let cache, let object { cache.remove(object, id) }
    }
}
