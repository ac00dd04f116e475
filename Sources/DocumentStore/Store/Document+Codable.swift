import Automerge
import Foundation
import Replication

extension AutomergeStore.Document {
    /// The document's content as a value of a type.
    ///
    /// - Throws: `DecodingError` where the content does not fit the type.
    public func read<Content: Decodable>(_ type: Content.Type) throws -> Content {
        try AutomergeDecoder(doc: automerge).decode(type)
    }

    /// Makes the content what a value says, by the fewest edits that do, and stores them like any
    /// others.
    ///
    /// - Throws: `EncodingError` for a value that has no place in a document.
    public func write(_ content: some Encodable) throws {
        try AutomergeEncoder(doc: automerge).encode(content)
    }

    /// Reads the content, lets `body` change it, and writes it back.
    ///
    /// - Throws: As ``read(_:)`` and ``write(_:)``, and what `body` throws.
    public func update<Content: Codable, Result>(
        _ type: Content.Type, _ body: (inout Content) throws -> Result
    ) throws -> Result {
        var content = try read(type)
        let result = try body(&content)
        try write(content)
        return result
    }

    /// The content, now and each time that it is another: after edits of this program were stored,
    /// and after those of others were taken in.
    ///
    /// Content that does not fit the type is left out. The sequence keeps the document open, and
    /// ends when the store is closed.
    public func values<Content: Decodable & Equatable & Sendable>(
        of type: Content.Type
    ) -> AsyncStream<Content> {
        let events = store.events()
        return AsyncStream { continuation in
            let task = Task {
                var last = try? read(type)
                if let last { continuation.yield(last) }
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
    /// Whether a document's content may be another after it.
    fileprivate func concerns(_ id: UUID) -> Bool {
        switch self {
        case .documentChanged(let document, by: _), .saved(let document): document == id
        default: false
        }
    }
}
