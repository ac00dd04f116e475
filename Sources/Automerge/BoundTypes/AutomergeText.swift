import Synchronization

/// A text of a document as a property of a Swift type.
///
/// Made with a string it stands alone. Encoding it with ``AutomergeEncoder``, or binding it, ties it
/// to a text in a document: from then on ``value`` reads and writes there. What ``AutomergeDecoder``
/// decodes is bound.
public final class AutomergeText: Codable, Sendable {
    private enum State {
        case unbound(String)
        case bound(Document, ObjId)
    }

    private let state: Mutex<State>

    /// A text of its own.
    public init(_ initialValue: String = "") { state = Mutex(.unbound(initialValue)) }

    /// A new text in the document, in place of what is at `path`, bound to it.
    ///
    /// - Parameter path: As ``AnyCodingKey/parsePath(_:)`` reads it; maps and lists on the way are
    ///   made.
    /// - Throws: ``BindingError/InvalidPath(_:)`` for the root; ``PathParseError``;
    ///   ``CodingKeyLookupError`` where the path goes through a scalar or text.
    public convenience init(_ initialValue: String = "", doc: Document, path: String) throws {
        self.init(initialValue)
        try bind(doc: doc, path: path)
    }

    /// A text bound to the text `objId` of the document.
    ///
    /// - Throws: ``BindingError/NotText``.
    public init(doc: Document, objId: ObjId) throws {
        guard doc.objectType(obj: objId) == .Text else { throw BindingError.NotText }
        state = Mutex(.bound(doc, objId))
    }

    /// Whether it is tied to a document.
    public var isBound: Bool { binding != nil }

    private var binding: (document: Document, object: ObjId)? {
        state.withLock { state in
            if case .bound(let document, let object) = state { (document, object) } else { nil }
        }
    }

    /// Makes a new text in the document, in place of what is at `path`, with the present value, and
    /// binds to it.
    ///
    /// - Throws: As ``init(_:doc:path:)``.
    public func bind(doc: Document, path: String) throws {
        let keys = try AnyCodingKey.parsePath(path)
        guard let place = try doc.place(at: keys, strategy: .createWhenNeeded) else {
            throw BindingError.InvalidPath(path)
        }
        try store(in: doc, as: place.putObject(.Text, in: doc))
    }

    /// Binds to the text `id` of the document, which takes over the present value unless that is
    /// empty.
    ///
    /// - Throws: ``BindingError/NotText``.
    public func bind(doc: Document, id: ObjId) throws {
        guard doc.objectType(obj: id) == .Text else { throw BindingError.NotText }
        try store(in: doc, as: id)
    }

    /// Binds to a text, which takes over the present value unless that is empty. Bound to the same
    /// text already, it does nothing.
    func store(in document: Document, as object: ObjId) throws {
        if let binding, binding.document === document, binding.object == object { return }
        let present = value
        if !present.isEmpty, try document.text(obj: object) != present {
            try document.updateText(obj: object, value: present)
        }
        state.withLock { $0 = .bound(document, object) }
    }

    /// The characters, without marks.
    ///
    /// Setting it on a bound text changes what differs, by grapheme clusters, so that it merges with
    /// what others write at the same time. A text that its document does not have reads as empty.
    public var value: String {
        get {
            switch state.withLock({ $0 }) {
            case .unbound(let string): string
            case .bound(let document, let object): (try? document.text(obj: object)) ?? ""
            }
        }
        set {
            // A document cannot refuse to update a text that it has.
            if let binding {
                guard value != newValue else { return }
                try? binding.document.updateText(obj: binding.object, value: newValue)
            } else {
                state.withLock { $0 = .unbound(newValue) }
            }
        }
    }

    // MARK: Codable

    /// The one member that other encoders than a document's see.
    public enum CodingKeys: String, CodingKey {
        /// The characters.
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
        state = Mutex(.unbound(try container.decode(String.self, forKey: .value)))
    }
}

extension AutomergeText: Hashable {
    /// Whether both are bound to the same text, or, where one is not bound, have the same value.
    public static func == (lhs: AutomergeText, rhs: AutomergeText) -> Bool {
        if let left = lhs.binding, let right = rhs.binding { return left.object == right.object }
        return lhs.value == rhs.value
    }

    public func hash(into hasher: inout Hasher) {
        switch state.withLock({ $0 }) {
        case .unbound(let string): hasher.combine(string)
        case .bound(_, let object): hasher.combine(object)
        }
    }
}

extension AutomergeText: CustomStringConvertible {
    public var description: String { value }
}
