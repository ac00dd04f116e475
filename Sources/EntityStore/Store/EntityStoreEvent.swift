public import Foundation
public import Replication

extension EntityStore {
    /// Something that happened to the store, in the order in which it became visible.
    public struct Event: Hashable, Sendable {
        /// The wall clock when it happened.
        public let date: Date
        /// What happened.
        public let kind: Kind

        /// What can happen to a store.
        public enum Kind: Hashable, Sendable {
            /// All files were read; look at everything again.
            case loaded(devices: Int, entities: Int)
            /// Entities were written, here or on another device.
            case changed(EntityChanges)
            /// A property came to be in conflict; what was written was told before. The writer is
            /// the device whose rows began it; `nil` where all files were read anew.
            case conflict(EntityConflict, by: DeviceID?)
            /// A property is in conflict no more.
            case resolved(identifier: String, key: String)
            /// What is known of a device changed.
            case device(DeviceStatus)
            /// The package is gone from its place. What was read stays readable.
            case deleted
            /// The package is in its place again; what is new in it follows.
            case returned
        }
    }

    /// Events from now on. Each call gives a sequence of its own; none is lost, so a subscriber
    /// that does not read on lets them pile up. It ends when the store is closed; one that is asked
    /// for after that tells what happens when the store is loaded again.
    public nonisolated func events() -> AsyncStream<Event> { hub.events() }

    func post(_ kind: Event.Kind) {
        guard hub.isHeard else { return }
        hub.post(Event(date: clock.now.date, kind: kind))
    }
}
