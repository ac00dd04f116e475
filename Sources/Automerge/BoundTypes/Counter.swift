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
        let slot = CodingPlace(object: objId, key: AnyCodingKey(key))
        guard try slot.counter(in: doc) != nil else { throw BindingError.NotCounter }
        state = Mutex(.bound(doc, slot))
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
        guard let slot = try doc.slot(at: keys, strategy: .readonly) else {
            throw BindingError.InvalidPath(path)
        }
        guard try slot.counter(in: doc) != nil else { throw BindingError.NotCounter }
        let present = state.withLock { state in
            if case .unbound(let value) = state { value } else { 0 }
        }
        if present != 0 { try slot.increment(by: Int64(present), in: doc) }
        state.withLock { $0 = .bound(doc, slot) }
    }

    /// The present sum.
    ///
    /// Setting it on a bound counter increments by the difference. A counter that is no longer in
    /// its document reads as 0, and setting it does nothing.
    public var value: Int {
        get {
            switch state.withLock({ $0 }) {
            case .unbound(let value): value
            case .bound(let document, let slot):
                Int(clamping: ((try? slot.counter(in: document)) ?? nil) ?? 0)
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
            case .bound(let document, let slot): return (document, slot)
            case .unbound(let value):
                let present = Int64(value)
                state = .unbound(Int(truncatingIfNeeded: present &+ difference(present)))
                return nil
            }
        }
        guard let (document, slot) = bound, let present = try? slot.counter(in: document) else {
            return
        }
        let amount = difference(present)
        if amount != 0 { try? slot.increment(by: amount, in: document) }
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

    private var slot: CodingPlace? {
        state.withLock { if case .bound(_, let slot) = $0 { slot } else { nil } }
    }
}

extension Counter: Hashable {
    /// Whether both are bound to the same counter, or, where one is not bound, have the same value.
    public static func == (lhs: Counter, rhs: Counter) -> Bool {
        if let left = lhs.slot, let right = rhs.slot {
            return left.object == right.object && left.key == right.key
        }
        return lhs.value == rhs.value
    }

    public func hash(into hasher: inout Hasher) {
        if let slot {
            hasher.combine(slot.object)
            hasher.combine(slot.key)
        } else {
            hasher.combine(value)
        }
    }
}

extension Counter: CustomStringConvertible {
    public var description: String { String(value) }
}
