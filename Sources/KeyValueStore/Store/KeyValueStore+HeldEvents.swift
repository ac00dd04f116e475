import Replication
import Synchronization

/// The events of changes that are held back until the changes are saved.
struct HeldEvents {
    private var holders = 0
    private var events: [KeyValueStore.Event] = []

    mutating func begin() { holders += 1 }

    /// Holds an event. If there is no hold, returns `false` and doesn't hold the event.
    mutating func keep(_ event: KeyValueStore.Event) -> Bool {
        guard holders > 0 else { return false }
        events.append(event)
        return true
    }

    /// Ends a hold and drops the events that concern only the given keys.
    ///
    /// - Returns: The events to report now; none while there are other holds.
    mutating func end(dropping keys: Set<Name>) -> [KeyValueStore.Event] {
        holders = max(0, holders - 1)
        if !keys.isEmpty {
            events.removeAll { event in
                switch event.kind {
                case .changed(let changes): changes.byKey.keys.allSatisfy(keys.contains)
                case .resolved(let key): keys.contains(Name(key))
                default: false
                }
            }
        }
        guard holders == 0 else { return [] }
        defer { events = [] }
        return events
    }
}

extension KeyValueStore {
    /// Holds the events of this process's own changes until ``releaseEvents(dropping:)``, so that a
    /// change that can't be saved is never reported. Failures to save are also held, so that they
    /// follow the changes. Other events are still delivered.
    package func holdEvents() { held.withLock { $0.begin() } }

    /// Ends a hold, and reports the held events.
    ///
    /// - Parameter keys: The keys whose changes were withdrawn. These changes are not reported.
    package func releaseEvents(dropping keys: [String] = []) {
        let names = Set(keys.map { Name($0) })
        // The held events are reported under the lock, so that no newer event of another thread
        // overtakes them.
        held.withLock { held in
            for event in held.end(dropping: names) { hub.note(event) }
        }
        if !memory.isHeldHere { hub.deliver() }
    }

    /// Posts the result of saving changes. While events are held, the result is posted when the
    /// hold ends, after the events of the changes.
    func postAfterHeld(_ kind: Event.Kind) {
        keepOrNote(kind)
        if !memory.isHeldHere { hub.deliver() }
    }

    /// Reports a change of this process, now or when the hold ends.
    func report(_ kind: Event.Kind, in memory: borrowing Memory) { keepOrNote(kind) }

    private func keepOrNote(_ kind: Event.Kind) {
        let event = Event(date: configuration.clock.now.date, kind: kind)
        held.withLock { held in
            if !held.keep(event) { hub.note(event) }
        }
    }
}
