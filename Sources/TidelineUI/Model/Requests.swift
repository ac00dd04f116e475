import Foundation
import Replication
import TidelineCore

/// The answers and timers that the screen is waiting for.
struct Requests: Sendable {
    /// A pending request whose answer opens something.
    struct Awaited: Hashable, Sendable {
        indirect enum Purpose: Hashable, Sendable {
            /// `showing` has the rows of nested lists to open next. The last of these rows is
            /// selected, not opened.
            case open(RowID, showing: [RowID] = [])
            /// The place to go to when its contents are known.
            case place(Place)
            case edit(row: RowID, field: FieldPath?)
            case externalEdit(row: RowID, field: FieldPath?)
            case duplicate
            case copy
            case editor(EditorJob)
            case editorPreview(EditorJob, text: String)
            case preview(PreviewDialog.Direction, subject: UUID? = nil)
            /// The new name of this device.
            case naming(String)
            case difference
            case frequency
            /// The differences from another store.
            case comparison
            case manyConflicts
            case ignore(part: FieldPath?, note: String)
            /// A store to open: in place of this one, or in addition to it.
            case store(isBeside: Bool)
        }

        var id: RequestID
        var source: SourceID
        var purpose: Purpose

        /// Whether keys don't wait for the answer.
        var isInBackground: Bool {
            switch purpose {
            case .difference, .frequency, .comparison: true
            default: false
            }
        }
    }

    private(set) var lastID = 0
    /// The answer that a menu or editor is waiting for.
    var awaited: Awaited?
    /// The pending request for a list that takes long to compute. Keys don't wait for it.
    var background: Awaited?
    /// The running search for places.
    var places: RequestID?
    var export: Export?
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
        let awaited = Awaited(id: newID(), source: source, purpose: purpose)
        if awaited.isInBackground { background = awaited } else { self.awaited = awaited }
        return awaited.id
    }

    /// Stops waiting for the answer to a request. Returns the request; `nil` if it isn't awaited.
    mutating func take(_ id: RequestID) -> Awaited? {
        if let awaited, awaited.id == id {
            self.awaited = nil
            return awaited
        }
        if let background, background.id == id {
            self.background = nil
            return background
        }
        return nil
    }

    mutating func cancelPlaces() -> [Effect] {
        defer { places = nil }
        return places.map { [.cancel($0)] } ?? []
    }

    mutating func set(_ alarm: Alarm, after microseconds: Int64, from now: Timestamp) -> Effect {
        alarms[alarm] = Timestamp(microseconds: now.microseconds &+ microseconds)
        return .wake(alarm, after: .microseconds(microseconds))
    }
}
