import Foundation
import Replication
import TidelineCore

/// The answers and timers that the screen is waiting for.
struct Requests: Sendable {
    /// A pending request whose answer opens something.
    struct Awaited: Hashable, Sendable {
        indirect enum Purpose: Hashable, Sendable {
            /// The row of the nested list to open next. If there are several, all but the last are
            /// opened.
            case open(RowID, showing: [RowID] = [])
            /// The place to go to once it is known what it contains.
            case place(Place)
            case edit(row: RowID, field: FieldPath?)
            case externalEdit(row: RowID, field: FieldPath?)
            case duplicate
            case copy
            case editor(EditorJob)
            case editorPreview(EditorJob, text: String)
            case preview(Review.Direction, subject: UUID? = nil)
            case difference
            case frequency
            /// The differences from another store.
            case comparison
            case manyConflicts
            case ignore(part: FieldPath?, note: String)
            /// A store to open, in place of this one or in addition to it.
            case store(isBeside: Bool)
        }

        var id: RequestID
        var source: SourceID
        var purpose: Purpose
    }

    /// A search for places in progress.
    struct Places: Hashable, Sendable {
        var id: RequestID
        var text: String
    }

    private(set) var lastID = 0
    /// The answer that a menu or editor is waiting for.
    var awaited: Awaited?
    var places: Places?
    /// The timers, with the times at which they fire.
    var alarms: [Alarm: Timestamp] = [:]
}

extension Requests {
    mutating func newID() -> RequestID {
        lastID += 1
        return RequestID(lastID)
    }

    /// Registers a request whose answer opens something.
    mutating func wait(for purpose: Awaited.Purpose, of source: SourceID) -> RequestID {
        let id = newID()
        awaited = Awaited(id: id, source: source, purpose: purpose)
        return id
    }

    /// Returns the request with an identifier if an answer to it is awaited, and stops waiting.
    mutating func take(_ id: RequestID) -> Awaited? {
        guard let awaited, awaited.id == id else { return nil }
        self.awaited = nil
        return awaited
    }

    /// Cancels the search for places.
    mutating func cancelPlaces() -> [Effect] {
        defer { places = nil }
        return places.map { [.cancel($0.id)] } ?? []
    }

    /// Sets a timer.
    mutating func set(_ alarm: Alarm, after microseconds: Int64, from now: Timestamp) -> Effect {
        alarms[alarm] = Timestamp(microseconds: now.microseconds &+ microseconds)
        return .wake(alarm, after: .microseconds(microseconds))
    }
}
