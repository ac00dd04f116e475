import Automerge
import Foundation
import Replication

extension AutomergeStore.Document {
    /// Decodes the content of the document.
    ///
    /// - Throws: `DecodingError` if the content doesn't fit the type.
    public func read<Content: Decodable>(_ type: Content.Type) throws -> Content {
        try AutomergeDecoder(doc: automerge).decode(type)
    }

    /// Replaces the content of the document with a value. Only differences are written, and saved
    /// automatically. List items are compared by index.
    ///
    /// - Throws: `EncodingError` for a value that a document can't represent.
    public func write(_ content: some Encodable) throws {
        try AutomergeEncoder(doc: automerge).encode(content)
    }

    /// Decodes the content, lets `body` change it, and writes it back.
    ///
    /// - Throws: The errors of ``read(_:)``, ``write(_:)`` and `body`.
    public func update<Content: Codable, Result>(
        _ type: Content.Type, _ body: (inout Content) throws -> Result
    ) throws -> Result {
        var content = try read(type)
        let result = try body(&content)
        try write(content)
        return result
    }

    /// Returns the content now and after each change, that is, after local edits are saved and
    /// after changes of other writers are merged.
    ///
    /// Content that doesn't fit the type is skipped. The sequence keeps the document open, and ends
    /// when the store is closed. If it was closed before, the sequence has only the current
    /// content.
    public func values<Content: Decodable & Equatable & Sendable>(
        of type: Content.Type
    ) -> AsyncStream<Content> {
        let events = store.events()
        return AsyncStream { continuation in
            let task = Task {
                var last = try? read(type)
                if let last { continuation.yield(last) }
                // A store that was closed before has no further events.
                guard store.isLoaded else { return continuation.finish() }
                for await event in events where event.concerns(id) {
                    guard let content = try? read(type), content != last else { continue }
                    last = content
                    continuation.yield(content)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

extension AutomergeStoreEvent {
    /// Returns whether the event may have changed the content of a document.
    fileprivate func concerns(_ id: UUID) -> Bool {
        switch self {
        case .documentChanged(let document, by: _), .saved(let document): document == id
        default: false
        }
    }
}
