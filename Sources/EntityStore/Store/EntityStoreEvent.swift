/// Something that happened in an open store.
public enum EntityStoreEvent: Hashable, Sendable {
    /// Entities were written, here or on another device.
    case changed(EntityChanges)
    /// A device appeared, or its status changed.
    case devices([EntityDeviceStatus])
    /// The package is gone from its place. What was read stays readable.
    case gone
    /// The package is in its place again; what is new in it follows.
    case returned
}

/// Hands events to any number of listeners.
struct EventHub {
    private var listeners: [Int: AsyncStream<EntityStoreEvent>.Continuation] = [:]
    private var next = 0

    mutating func add(_ listener: AsyncStream<EntityStoreEvent>.Continuation) -> Int {
        next += 1
        listeners[next] = listener
        return next
    }

    mutating func remove(_ number: Int) { listeners[number] = nil }

    func send(_ event: EntityStoreEvent) {
        for listener in listeners.values { listener.yield(event) }
    }

    mutating func finish() {
        for listener in listeners.values { listener.finish() }
        listeners.removeAll()
    }
}
