import Automerge
import Foundation
import Replication
import Synchronization

/// A document as it was read at one moment, with what the screen asks of it again and again.
final class OpenDocument: Sendable {
    let view: DocumentView
    let times: DocumentTimes
    let byteCount: Int
    let conflictCount: Int
    /// The heads at the instants that were asked for lately, newest last.
    private let heads = Mutex<[(count: Int, heads: DocumentView.Heads)]>([])

    var document: Document { view.document }

    init(_ file: AutomergeFile) throws {
        view = try file.view()
        byteCount = file.bytes.count
        times = DocumentTimes(view.document)
        var count = 0
        try view.forEachConflictedPlace(at: nil) { _, _ in count += 1 }
        conflictCount = count
    }

    /// The heads of an instant of the past; `nil`: the present.
    func heads(at instant: Timestamp?) -> DocumentView.Heads? {
        guard let instant else { return nil }
        let count = times.count(through: instant)
        if count == times.count { return nil }
        if let known = heads.withLock({ $0.first { $0.count == count } }) { return known.heads }
        let found = DocumentView.Heads(document.heads(where: times.known(count)))
        heads.withLock { heads in
            if heads.count >= 4 { heads.removeFirst() }
            heads.append((count, found))
        }
        return found
    }

    /// A change by its number.
    func change(_ number: Int) -> RecordedChange? {
        document.recordedChanges(number..<number + 1).first
    }

    func change(_ hash: String) -> (number: Int, change: RecordedChange)? {
        guard let hash = ChangeHash(hexadecimal: hash),
            let number = document.changeNumber(of: hash), let change = change(number)
        else { return nil }
        return (number, change)
    }

    /// What the lists call an actor.
    static func name(of actor: ActorId) -> String {
        let digits = actor.hexadecimal
        return digits.isEmpty ? "nobody" : String(digits.prefix(8))
    }

    /// An actor as the session's devices name it; a very long one is cut short.
    static func device(of actor: ActorId) -> DeviceID? {
        try? DeviceID(String(actor.hexadecimal.prefix(255)))
    }
}

/// The document of a session, read anew as its file changes.
final class DocumentContext: Sendable {
    let path: String
    private let current = Mutex<OpenDocument?>(nil)

    init(path: String) { self.path = path }

    /// `nil` until the file has been read.
    var open: OpenDocument? { current.withLock { $0 } }

    /// Reads the file, if it holds something else than what is open.
    ///
    /// - Returns: What was open before, and what is now; `nil` if nothing changed.
    func read() throws -> (old: OpenDocument?, new: OpenDocument)? {
        let new = try OpenDocument(try AutomergeFile(path))
        return current.withLock { current in
            let old = current
            if let old, old.byteCount == new.byteCount, old.view.heads == new.view.heads {
                return nil
            }
            current = new
            return (old, new)
        }
    }

    /// Why nothing here can be edited.
    static let readOnly = Availability.unavailable(
        because: "one .automerge file is for reading; edit it in a package")
}
