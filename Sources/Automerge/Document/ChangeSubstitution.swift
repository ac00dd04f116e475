package import Foundation

/// Changes whose texts, names, bytes and actors are replaced by stand-ins of the same length.
///
/// The operations stay, with their identifiers, numbers, and times. So the new changes build the
/// same document, with the same conflicts. Because a change names its dependencies by their hashes,
/// each change gets a new hash.
package struct ChangeSubstitution {
    /// The replacements. Each function returns as many bytes as its argument has, and texts stay
    /// UTF-8.
    package struct StandIns {
        package var actor: (ActorId) -> ActorId
        package var text: (String) -> String
        /// Replaces a character of a text object. Each character is a separate value.
        package var character: (Unicode.Scalar) -> Unicode.Scalar
        package var data: (Data) -> Data

        package init(
            actor: @escaping (ActorId) -> ActorId, text: @escaping (String) -> String,
            character: @escaping (Unicode.Scalar) -> Unicode.Scalar,
            data: @escaping (Data) -> Data
        ) {
            self.actor = actor
            self.text = text
            self.character = character
            self.data = data
        }
    }

    /// A change in its encoded form.
    package struct Encoded: Sendable {
        package let hash: ChangeHash
        /// The uncompressed contents of the change's chunk.
        fileprivate let contents: [UInt8]
    }

    private let standIns: StandIns
    private var texts: Set<ObjectIdentifier> = []
    private var changed: [ChangeHash: Encoded] = [:]

    /// The identifier of the operation that made an object.
    private struct ObjectIdentifier: Hashable {
        let actor: [UInt8]
        let counter: UInt64
    }

    /// Replaces the contents of changes.
    ///
    /// - Parameter changes: The changes of one document, in any order. If a change depends on a
    ///   missing change, that dependency stays unchanged.
    /// - Throws: `DocError`, `.malformed` for a change with columns of a later format, which may
    ///   contain texts.
    package init(of changes: some Sequence<Encoded>, _ standIns: StandIns) throws {
        self.standIns = standIns
        do throws(FormatError) {
            for change in try Self.inCausalOrder(changes) {
                changed[change.hash] = try substituted(change)
            }
        } catch {
            throw DocError(error)
        }
    }

    /// Returns the changes in stored bytes, including those whose dependencies are missing.
    ///
    /// - Throws: `DocError` for damaged bytes.
    package static func changes(in data: Data) throws -> [Encoded] {
        var engine = Engine(encoding: .unicodeScalar)
        do throws(FormatError) {
            try engine.apply(data)
        } catch {
            throw DocError(error)
        }
        var changes: [Encoded] = []
        for change in 0..<UInt32(engine.graph.count) {
            let hash = engine.graph.hashes[change]
            changes.append(Encoded(hash: hash, contents: Array(engine.contents(of: change))))
        }
        return changes + engine.queue.waiting.map { Encoded(hash: $0.hash, contents: $0.contents) }
    }

    /// Returns the actors in the contents of changes.
    package static func actors(of changes: some Sequence<Encoded>) throws -> Set<ActorId> {
        var actors: Set<ActorId> = []
        do throws(FormatError) {
            for change in changes {
                try change.contents.withUnsafeBufferPointer { contents throws(FormatError) in
                    for actor in try Prefix(contents).actors {
                        actors.insert(ActorId(bytes: Array(actor)))
                    }
                }
            }
        } catch {
            throw DocError(error)
        }
        return actors
    }

    /// Returns the replaced changes as separate chunks, in the given order.
    package func encoded(_ changes: some Sequence<Encoded>) -> Data {
        var out = ByteWriter()
        for change in changes {
            guard let new = changed[change.hash] else { continue }
            new.contents.withUnsafeBufferPointer {
                Chunk.write(.change, hash: new.hash, contents: $0, to: &out)
            }
        }
        return Data(out.buffer)
    }

    // MARK: One change

    /// The start of a change's contents, up to its columns. Points into the contents.
    private struct Prefix {
        let dependencies: [ChangeHash]
        let dependencyBytes: UnsafeBufferPointer<UInt8>
        /// The author, and then the other actors.
        let actors: [UnsafeBufferPointer<UInt8>]

        init(_ contents: UnsafeBufferPointer<UInt8>) throws(FormatError) {
            var reader = ByteReader(contents)
            let count = try reader.count(ofSize: ChangeHash.byteCount)
            dependencyBytes = try reader.bytes(count * ChangeHash.byteCount)
            var hashes = ByteReader(dependencyBytes)
            var dependencies: [ChangeHash] = []
            for _ in 0..<count { dependencies.append(try ChangeHash(from: &hashes)) }
            self.dependencies = dependencies
            var actors = [try reader.prefixedBytes()]
            _ = try reader.strictUnsigned()
            _ = try reader.strictUnsigned()
            _ = try reader.strictSigned()
            _ = try reader.prefixedBytes()
            for _ in 0..<(try reader.count()) { actors.append(try reader.prefixedBytes()) }
            self.actors = actors
        }
    }

    private mutating func substituted(_ change: Encoded) throws(FormatError) -> Encoded {
        let new = try change.contents.withUnsafeBufferPointer { contents throws(FormatError) in
            var new = Substitution(contents)
            try substitute(contents, in: &new)
            return new.bytes
        }
        let hash = new.withUnsafeBufferPointer {
            Chunk.hash(type: Chunk.Kind.change.rawValue, contents: $0)
        }
        return Encoded(hash: hash, contents: new)
    }

    private mutating func substitute(
        _ contents: UnsafeBufferPointer<UInt8>, in new: inout Substitution
    ) throws(FormatError) {
        let prefix = try Prefix(contents)
        var hashes = prefix.dependencies.map { changed[$0]?.hash ?? $0 }
        // Sorted dependencies stay sorted, because a document doesn't store their order.
        if prefix.dependencies == prefix.dependencies.sorted() { hashes.sort() }
        try new.replace(prefix.dependencyBytes, by: hashes.flatMap(\.bytes))
        for actor in prefix.actors {
            try new.replace(actor, by: standIns.actor(ActorId(bytes: Array(actor))).bytes)
        }
        var allowance = Allowance.unlimited
        let storage = ColumnStorage()
        let change = try ChangeReader(contents, storage: storage, allowance: &allowance)
        guard !change.hasUnknownColumns else {
            throw FormatError(.badColumn, "a change has columns of a later format")
        }
        try replaceText(change.message, in: &new)
        try new.replace(change.extra, by: Array(standIns.data(Data(buffer: change.extra))))
        try substitute(change, in: &new)
        withExtendedLifetime(storage) {}
    }

    /// Replaces the contents of a change's operations.
    private mutating func substitute(
        _ change: ChangeReader, in new: inout Substitution
    ) throws(FormatError) {
        let actors = [change.actor] + change.otherActors
        var operations = OperationReader(change.columns)
        var counter = change.startCounter
        while !operations.isDone {
            let operation = try operations.next()
            for _ in 0..<operation.predecessorCount { _ = try operations.nextPredecessor() }
            if operation.action == Action.makeText {
                texts.insert(ObjectIdentifier(actor: change.actor, counter: counter))
            }
            counter += 1
            if case .name(let name) = operation.key { try replaceText(name, in: &new) }
            if let name = operation.markName { try replaceText(name, in: &new) }
            switch operation.meta & 15 {
            case ValueType.string:
                let object = operation.object.flatMap { object in
                    actors.indices.contains(object.actor)
                        ? ObjectIdentifier(actor: actors[object.actor], counter: object.counter)
                        : nil
                }
                let isInText = object.map(texts.contains) ?? false
                if isInText, operation.action == Action.set {
                    try replaceCharacters(operation.value, in: &new)
                } else {
                    try replaceText(operation.value, in: &new)
                }
            case ValueType.bytes, (ValueType.timestamp + 1)...:
                // Values of types that a later format defines may contain texts.
                let data = standIns.data(Data(buffer: operation.value))
                try new.replace(operation.value, by: Array(data))
            default: break
            }
        }
    }

    private func replaceText(
        _ bytes: UnsafeBufferPointer<UInt8>, in new: inout Substitution
    ) throws(FormatError) {
        if bytes.isEmpty { return }
        let text = String(decoding: bytes, as: UTF8.self)
        try new.replace(bytes, by: Array(standIns.text(text).utf8))
    }

    private func replaceCharacters(
        _ bytes: UnsafeBufferPointer<UInt8>, in new: inout Substitution
    ) throws(FormatError) {
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            text.append(standIns.character(scalar))
        }
        try new.replace(bytes, by: Array(String(text).utf8))
    }

    /// Returns the changes in an order in which each change follows its dependencies.
    private static func inCausalOrder(
        _ changes: some Sequence<Encoded>
    ) throws(FormatError) -> [Encoded] {
        var known: [ChangeHash: Encoded] = [:]
        for change in changes { known[change.hash] = change }
        var missing: [ChangeHash: Int] = [:]
        var dependents: [ChangeHash: [ChangeHash]] = [:]
        var ready: [ChangeHash] = []
        // Sorted, so that the result doesn't depend on the order of a dictionary.
        for (hash, change) in known.sorted(by: { $0.key < $1.key }) {
            let dependencies = try change.contents.withUnsafeBufferPointer {
                contents throws(FormatError) in
                try Prefix(contents).dependencies
            }
            let own = Set(dependencies).filter { known[$0] != nil }
            missing[hash] = own.count
            for dependency in own { dependents[dependency, default: []].append(hash) }
            if own.isEmpty { ready.append(hash) }
        }
        var ordered: [Encoded] = []
        while let hash = ready.popLast() {
            if let change = known[hash] { ordered.append(change) }
            for dependent in dependents[hash] ?? [] {
                missing[dependent, default: 1] -= 1
                if missing[dependent] == 0 { ready.append(dependent) }
            }
        }
        return ordered
    }
}

/// Bytes in which ranges are replaced by others of the same length.
private struct Substitution {
    private let original: UnsafeBufferPointer<UInt8>
    private(set) var bytes: [UInt8]

    init(_ original: UnsafeBufferPointer<UInt8>) {
        self.original = original
        bytes = Array(original)
    }

    /// Replaces a range, which points into the original. If the same range is replaced again,
    /// because it is in a run of equal values, it gets the same bytes.
    mutating func replace(
        _ range: UnsafeBufferPointer<UInt8>, by new: [UInt8]
    ) throws(FormatError) {
        guard let base = original.baseAddress, let start = range.baseAddress, !range.isEmpty else {
            return
        }
        guard new.count == range.count else {
            throw FormatError(.badValue, "a replacement has another length")
        }
        let offset = start - base
        guard offset >= 0, offset + range.count <= original.count else {
            throw FormatError(.badColumn, "a value is outside of its change")
        }
        bytes.replaceSubrange(offset..<offset + range.count, with: new)
    }
}
