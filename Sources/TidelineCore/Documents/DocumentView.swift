package import Automerge
import DocumentStore
public import Foundation
package import Replication

/// A read-only view of an Automerge document for commands and the screen: its content as JSON, its
/// history, its conflicts and its differences.
///
/// Any number of threads can read concurrently.
public struct DocumentView: Sendable {
    package let document: Document
    /// The devices that edit the document, by actor.
    private let devices: [ActorId: DeviceID]

    package init(_ document: Document, devices: [ActorId: DeviceID] = [:]) {
        self.document = document
        self.devices = devices
    }

    /// Returns the author of an actor's changes: its device, if known.
    func author(of actor: ActorId) -> Author {
        if actor.data.isEmpty { return .unknown }
        return devices[actor].map { .device($0) } ?? .actor(actor.hexadecimal)
    }

    /// A point of the history, given by its newest changes: those that no other change at this
    /// point depends on.
    public struct Heads: Hashable, Sendable {
        package let hashes: Set<ChangeHash>

        package init(_ hashes: Set<ChangeHash>) { self.hashes = hashes }

        /// The hashes in hexadecimal digits, in ascending order.
        public var texts: [String] { hashes.sorted().map(\.debugDescription) }
    }

    /// The current heads.
    public var heads: Heads { Heads(document.heads()) }

    /// Parses heads: hexadecimal hashes or unique prefixes of them, separated by commas. An empty
    /// text is the point before the first change.
    ///
    /// - Throws: ``CoreError``: `.usage` for an invalid hash, `.noAnswer` for an unknown hash.
    public func heads(_ text: String) throws(CoreError) -> Heads {
        var hashes: Set<ChangeHash> = []
        guard !text.isEmpty else { return Heads(hashes) }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let digits = part.trimmingCharacters(in: .whitespaces).lowercased()
            hashes.insert(try hash(digits))
        }
        return Heads(hashes)
    }

    private func hash(_ digits: String) throws(CoreError) -> ChangeHash {
        guard (4...64).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit) else {
            throw CoreError(
                .usage, "\(digits.quoted) is not a change hash",
                suggestion: "a head is 64 hexadecimal digits, or a prefix of at least 4")
        }
        if let hash = ChangeHash(hexadecimal: digits) {
            if document.changeNumber(of: hash) != nil { return hash }
        } else {
            let found = document.getHistory().filter { $0.debugDescription.hasPrefix(digits) }
            if found.count > 1 {
                throw CoreError(
                    .usage, "\(Counted.grouped(found.count)) changes start with \(digits)")
            }
            if let hash = found.first { return hash }
        }
        throw CoreError(.noAnswer, "the document has no change \(digits)")
    }

    // MARK: History

    /// A change in the output of the command line.
    public struct Change: Hashable, Sendable {
        let recorded: RecordedChange

        /// The change's SHA-256, as 64 hexadecimal digits.
        public var hash: String { recorded.hash.debugDescription }
        /// The actor in hexadecimal digits.
        public var actor: String { recorded.actor.hexadecimal }
        /// The sequence number, starting with 1 for each actor.
        public var sequence: UInt64 { recorded.sequence }
        /// The counter of the change's first operation.
        public var startOperation: UInt64 { recorded.startCounter }
        /// The number of operations.
        public var operationCount: Int { recorded.operationCount }
        /// The hashes of the newest changes that the author had seen, in ascending order.
        public var dependencies: [String] { recorded.dependencies.map(\.debugDescription) }
        /// The time in seconds since 1970, as recorded; 0 if the author recorded none. Some
        /// programs record milliseconds: see ``date``.
        public var time: Int64 { recorded.time }
        /// The time as a date; `nil` if none was recorded, or if it is out of range.
        public var date: Date? { ChangeTime(recorded: recorded.time).date }
        /// The commit message.
        public var message: String? { recorded.message }
    }

    /// The number of changes, without changes that wait for missing changes.
    public var changeCount: Int { document.changeCount }

    /// Calls `body` with every change, each after its dependencies.
    ///
    /// - Throws: Errors of `body`.
    /// - Complexity: O(*n*) in the number of changes; at most 1,024 of them are in memory.
    public func forEachChange(_ body: (Change) throws -> Void) rethrows {
        try document.forEachRecordedChange { try body(Change(recorded: $0)) }
    }

    /// Warnings about undamaged changes that wait for missing changes.
    public var problems: [String] {
        let missing = document.missingChanges()
        guard let first = missing.first else { return [] }
        let count = document.waitingChangeCount
        let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
        return [
            "\(Counted.text(count, "change")) not applied: "
                + "\(count == 1 ? "its dependencies" : "their dependencies") have not arrived: "
                + "\(first.debugDescription)\(more)"
        ]
    }
}

extension Document {
    /// Calls `body` with every change, each after its dependencies. At most 1,024 are in memory.
    func forEachRecordedChange(_ body: (RecordedChange) throws -> Void) rethrows {
        let count = changeCount
        for start in stride(from: 0, to: count, by: 1024) {
            for change in recordedChanges(start..<min(start + 1024, count)) { try body(change) }
        }
    }

    /// Returns the change with this number.
    func recordedChange(_ number: Int) -> RecordedChange? {
        recordedChanges(number..<number + 1).first
    }
}

extension DocumentView.Change {
    /// The change in the output of the command line.
    public var json: JSONValue {
        [
            "hash": .string(hash), "actor": .string(actor), "seq": .unsigned(sequence),
            "startOp": .unsigned(startOperation), "ops": .count(operationCount),
            "deps": .array(dependencies.map(JSONValue.string)), "time": .integer(time),
            "date": .optional(date?.ISO8601Format()), "message": .optional(message),
        ]
    }
}

extension DocumentView {
    /// The parts of a document that a copy without history lacks.
    public struct LostHistory: Hashable, Sendable {
        public let changes: Int
        public let authors: Int
        /// The number of keys and items with several values. Only the winner of these values is
        /// kept.
        public let conflicts: Int
    }

    /// Returns the current content as a new document without history, in file format.
    ///
    /// - Throws: `DocError` for content that can't be copied.
    /// - Complexity: O(*n*) in the number of operations.
    public func savedWithoutHistory() throws -> (bytes: Data, lost: LostHistory) {
        var authors: Set<String> = []
        forEachChange { authors.insert($0.actor) }
        let lost = LostHistory(
            changes: document.changeCount, authors: authors.count, conflicts: try conflictCount())
        return (try document.withoutHistory().save(), lost)
    }
}
