package import Automerge
import Foundation
package import Replication

/// Reads an Automerge document for the commands and the screen: its content as JSON, its history,
/// its conflicts, what lies between two points of the history.
///
/// It writes nothing; any number of threads may read at once.
public struct DocumentView: Sendable {
    package let document: Document
    /// The devices that say that they edit the document, by the actor as whom each does.
    private let devices: [ActorId: DeviceID]

    package init(_ document: Document, devices: [ActorId: DeviceID] = [:]) {
        self.document = document
        self.devices = devices
    }

    /// Who writes as an actor: its device where that is known.
    func author(of actor: ActorId) -> Author {
        if actor.data.isEmpty { return .nobody }
        return devices[actor].map { .device($0) } ?? .actor(actor.hexadecimal)
    }

    /// A point of the history: the changes that none of the others there depends on.
    public struct Heads: Hashable, Sendable {
        package let hashes: Set<ChangeHash>

        package init(_ hashes: Set<ChangeHash>) { self.hashes = hashes }

        /// Before the first change.
        public static let beginning = Heads([])

        /// In hexadecimal digits, ascending.
        public var texts: [String] { hashes.sorted().map(\.debugDescription) }
    }

    /// The heads of the present.
    public var heads: Heads { Heads(document.heads()) }

    /// The heads that a text names: hashes in hexadecimal digits separated by commas, each perhaps
    /// cut short as far as it stays the only one. An empty text is the beginning.
    ///
    /// - Throws: ``CoreError``: `.usage` for what is not a hash, `.noAnswer` for one that the
    ///   document does not have.
    public func heads(_ text: String) throws(CoreError) -> Heads {
        var hashes: Set<ChangeHash> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: true) {
            let digits = part.trimmingCharacters(in: .whitespaces).lowercased()
            hashes.insert(try hash(digits))
        }
        return Heads(hashes)
    }

    private func hash(_ digits: String) throws(CoreError) -> ChangeHash {
        guard (4...64).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit) else {
            throw CoreError(
                .usage, "\(digits.quoted) is not the hash of a change",
                wayOut: "A head is 64 hexadecimal digits, or the first of them (at least 4).")
        }
        if let hash = ChangeHash(hexadecimal: digits) {
            if document.changeNumber(of: hash) != nil { return hash }
        } else {
            let found = document.getHistory().filter { $0.debugDescription.hasPrefix(digits) }
            if found.count > 1 {
                throw CoreError(.usage, "\(found.count) changes begin with \(digits)")
            }
            if let hash = found.first { return hash }
        }
        throw CoreError(.noAnswer, "the document has no change \(digits)")
    }

    // MARK: History

    /// A change as the contract of the command line has it.
    public struct Change: Hashable, Sendable {
        /// The change's SHA-256, as 64 hexadecimal digits.
        public let hash: String
        /// In hexadecimal digits.
        public let actor: String
        /// 1 for the actor's first change.
        public let sequence: UInt64
        /// The counter of its first operation.
        public let startOperation: UInt64
        /// How many operations it has.
        public let operationCount: Int
        /// The hashes of the changes that its author had, those implied by others left out;
        /// ascending.
        public let dependencies: [String]
        /// Seconds since 1970; 0 where its author gave none.
        public let time: Int64
        /// What its author said about it.
        public let message: String?

        init(_ change: RecordedChange) {
            hash = change.hash.debugDescription
            actor = change.actor.hexadecimal
            sequence = change.sequence
            startOperation = change.startCounter
            operationCount = change.operationCount
            dependencies = change.dependencies.map(\.debugDescription)
            time = change.time
            message = change.message
        }
    }

    /// How many changes the document has, those that wait for others left out.
    public var changeCount: Int { document.changeCount }

    /// Calls `body` with every change, each behind those it depends on.
    ///
    /// - Throws: What `body` throws.
    /// - Complexity: O(*n*) in the number of changes; memory for 1,024 of them.
    public func forEachChange(_ body: (Change) throws -> Void) rethrows {
        let count = document.changeCount
        for start in stride(from: 0, to: count, by: 1024) {
            for change in document.recordedChanges(start..<min(start + 1024, count)) {
                try body(Change(change))
            }
        }
    }

    /// What is amiss without any byte being wrong: changes that wait for others.
    public var problems: [String] {
        let missing = document.missingChanges()
        guard let first = missing.first else { return [] }
        let count = document.waitingChangeCount
        let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
        return [
            "\(count) change\(count == 1 ? "" : "s") left out: "
                + "what \(count == 1 ? "it depends" : "they depend") on is not here, "
                + "\(first.debugDescription)\(more)"
        ]
    }
}

extension DocumentView.Change {
    /// The change as the command line writes it.
    public var json: JSONValue {
        [
            "hash": .string(hash), "actor": .string(actor), "seq": .unsigned(sequence),
            "startOp": .unsigned(startOperation), "ops": .count(operationCount),
            "deps": .array(dependencies.map(JSONValue.string)), "time": .integer(time),
            "message": .optional(message),
        ]
    }
}
