import Synchronization

/// A counter in a document, as a property of a Swift type.
///
/// A counter created from a number is independent of any document. Encoding it writes its value.
/// Binding connects it to a counter in a document. From then on, every change is written as an
/// increment, and concurrent increments add up. Counters decoded by ``AutomergeDecoder`` are bound.
public final class Counter: Codable, Sendable {
    private enum State {
        case unbound(Int)
        case bound(Document, CodingPlace)
    }

    private let state: Mutex<State>

    /// Creates a counter that isn't bound to a document.
    public init(_ initialValue: Int = 0) { state = Mutex(.unbound(initialValue)) }

    /// Creates a counter that is bound to the counter at `path`, and adds `initialValue` to it.
    ///
    /// - Throws: The errors of ``bind(doc:path:)``.
    public convenience init(_ initialValue: Int = 0, doc: Document, path: String) throws {
        self.init(initialValue)
        try bind(doc: doc, path: path)
    }

    /// Creates a counter that is bound to the counter under `key` in the map or list `objId`.
    ///
    /// - Throws: ``BindingError/NotCounter``; ``DocError`` if `objId` can't have such a key.
    public init(doc: Document, objId: ObjId, key: any CodingKey) throws {
        let place = CodingPlace(object: objId, key: AnyCodingKey(key))
        guard try place.counter(in: doc) != nil else { throw BindingError.NotCounter }
        state = Mutex(.bound(doc, place))
    }

    /// Whether the counter is bound to a document.
    public var isBound: Bool { place != nil }

    /// Binds to the counter at `path` and adds the current value of this instance to it.
    ///
    /// - Throws: ``BindingError/NotCounter`` if the path holds another value or none;
    ///   ``BindingError/InvalidPath(_:)`` for the root; ``PathParseError``;
    ///   ``CodingKeyLookupError``.
    public func bind(doc: Document, path: String) throws {
        let keys = try AnyCodingKey.parsePath(path)
        guard let place = try doc.place(at: keys, strategy: .readonly) else {
            throw BindingError.InvalidPath(path)
        }
        guard try place.counter(in: doc) != nil else { throw BindingError.NotCounter }
        let present = state.withLock { state in
            if case .unbound(let value) = state { value } else { 0 }
        }
        if present != 0 { try place.increment(by: Int64(present), in: doc) }
        state.withLock { $0 = .bound(doc, place) }
    }

    /// The current total.
    ///
    /// Setting the value of a bound counter increments it by the difference. If the document no
    /// longer has the counter, the value is 0 and setting it does nothing.
    public var value: Int {
        get {
            switch state.withLock({ $0 }) {
            case .unbound(let value): value
            case .bound(let document, let place):
                Int(clamping: ((try? place.counter(in: document)) ?? nil) ?? 0)
            }
        }
        set { change { Int64(newValue) &- $0 } }
    }

    /// Adds `value` to the counter; a negative value subtracts. A total beyond 64 bits wraps
    /// around.
    public func increment(by value: Int) { change { _ in Int64(value) } }

    /// Adds the amount that `difference` returns for the current value.
    private func change(_ difference: (Int64) -> Int64) {
        let bound: (Document, CodingPlace)? = state.withLock { state in
            switch state {
            case .bound(let document, let place): return (document, place)
            case .unbound(let value):
                let present = Int64(value)
                state = .unbound(Int(truncatingIfNeeded: present &+ difference(present)))
                return nil
            }
        }
        guard let (document, place) = bound, let present = try? place.counter(in: document) else {
            return
        }
        let amount = difference(present)
        if amount != 0 { try? place.increment(by: amount, in: document) }
    }

    // MARK: Codable

    private enum CodingKeys: String, CodingKey {
        case value
    }

    /// Encodes a map with `value`, for other encoders such as `JSONEncoder`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
    }

    /// Creates an unbound counter from another decoder, such as `JSONDecoder`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        state = Mutex(.unbound(try container.decode(Int.self, forKey: .value)))
    }

    private var place: CodingPlace? {
        state.withLock { if case .bound(_, let place) = $0 { place } else { nil } }
    }
}

extension Counter: Hashable {
    /// Returns whether both instances are bound to the same counter. If one isn't bound, returns
    /// whether their values are equal.
    public static func == (lhs: Counter, rhs: Counter) -> Bool {
        if let left = lhs.place, let right = rhs.place {
            return left.object == right.object && left.key == right.key
        }
        return lhs.value == rhs.value
    }

    public func hash(into hasher: inout Hasher) {
        if let place {
            hasher.combine(place.object)
            hasher.combine(place.key)
        } else {
            hasher.combine(value)
        }
    }
}

extension Counter: CustomStringConvertible {
    public var description: String { String(value) }
}
