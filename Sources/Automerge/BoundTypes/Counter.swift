import Synchronization

/// A counter of a document as a property of a Swift type.
///
/// Made with a number it stands alone. Encoding it writes it; binding it ties it to a counter in a
/// document, to which from then on every change goes as an increment, so that changes of others add
/// up with it. What ``AutomergeDecoder`` decodes is bound.
public final class Counter: Codable, Sendable {
    private enum State {
        case unbound(Int)
        case bound(Document, CodingPlace)
    }

    private let state: Mutex<State>

    /// A counter of its own.
    public init(_ initialValue: Int = 0) { state = Mutex(.unbound(initialValue)) }

    /// A counter bound to the one at `path`, to which `initialValue` is added.
    ///
    /// - Throws: As ``bind(doc:path:)``.
    public convenience init(_ initialValue: Int = 0, doc: Document, path: String) throws {
        self.init(initialValue)
        try bind(doc: doc, path: path)
    }

    /// A counter bound to the one under `key` in the map or list `objId`.
    ///
    /// - Throws: ``BindingError/NotCounter``; ``DocError`` where `objId` cannot have such a key.
    public init(doc: Document, objId: ObjId, key: any CodingKey) throws {
        let place = CodingPlace(object: objId, key: AnyCodingKey(key))
        guard try place.counter(in: doc) != nil else { throw BindingError.NotCounter }
        state = Mutex(.bound(doc, place))
    }

    /// Whether it is tied to a document.
    public var isBound: Bool {
        state.withLock { if case .bound = $0 { true } else { false } }
    }

    /// Binds to the counter at `path`, to which the present value is added.
    ///
    /// - Throws: ``BindingError/NotCounter`` where something else or nothing is there;
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

    /// The present sum.
    ///
    /// Setting it on a bound counter increments by the difference. A counter that is no longer in
    /// its document reads as 0, and setting it does nothing.
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

    /// Adds to it; a negative value subtracts. A sum beyond 64 bits wraps around.
    public func increment(by value: Int) { change { _ in Int64(value) } }

    /// Adds what `difference` makes of the present value.
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

    /// For other encoders, as JSON's: a map with `value`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
    }

    /// From other decoders, as JSON's: unbound.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        state = Mutex(.unbound(try container.decode(Int.self, forKey: .value)))
    }

    private var place: CodingPlace? {
        state.withLock { if case .bound(_, let place) = $0 { place } else { nil } }
    }
}

extension Counter: Hashable {
    /// Whether both are bound to the same counter, or, where one is not bound, have the same value.
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
