public import Foundation
public import Replication

extension EntityStore {
    /// A change of the store. Events are in the order in which changes became visible.
    public struct Event: Hashable, Sendable {
        /// The wall-clock time of the event.
        public let date: Date
        /// The kind of the event.
        public let kind: Kind

        /// The kinds of events.
        public enum Kind: Hashable, Sendable {
            /// All files were read; reload everything.
            case loaded(devices: Int, entities: Int)
            /// Entities were written, on this or another device.
            case changed(EntityChanges)
            /// A property is in conflict now; the write itself was reported before. `by` is the
            /// device whose rows started the conflict, or `nil` after a reload.
            case conflict(EntityConflict, by: DeviceID?)
            /// A property is no longer in conflict.
            case resolved(identifier: String, key: String)
            /// The last write is in this device's log, but the disk didn't confirm it.
            case unconfirmed(message: String)
            /// The status of a device changed.
            case device(DeviceStatus)
            /// The package is missing. Content that was read stays readable.
            case deleted
            /// The package is back; new content follows.
            case returned
        }
    }

    /// Returns a new sequence of all later events. No event is dropped, so events accumulate if the
    /// subscriber is slow. The sequence ends when the store is closed. A sequence requested after
    /// that starts with the next load.
    public nonisolated func events() -> AsyncStream<Event> { hub.events() }

    func post(_ kind: Event.Kind) {
        guard hub.isHeard else { return }
        hub.post(Event(date: clock.now.date, kind: kind))
    }
}
