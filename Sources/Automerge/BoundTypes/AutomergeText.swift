import Synchronization

/// A text in a document, as a property of a Swift type.
///
/// A text created from a string is independent of any document. Encoding it with
/// ``AutomergeEncoder``, or binding it, connects it to a text in a document. After that, ``value``
/// reads and writes that text. Texts decoded by ``AutomergeDecoder`` are bound.
public final class AutomergeText: Codable, Sendable {
    private enum State {
        case unbound(String)
        case bound(Document, ObjId)
    }

    private let state: Mutex<State>

    /// Creates a text that isn't bound to a document.
    public init(_ initialValue: String = "") { state = Mutex(.unbound(initialValue)) }

    /// Creates a text in the document, which replaces the value at `path`, and binds to the created
    /// text.
    ///
    /// - Parameter path: A path in the syntax of ``AnyCodingKey/parsePath(_:)``. Missing maps and
    ///   lists along the path are created.
    /// - Throws: ``BindingError/InvalidPath(_:)`` for the root; ``PathParseError``;
    ///   ``CodingKeyLookupError`` if the path goes through a scalar or text.
    public convenience init(_ initialValue: String = "", doc: Document, path: String) throws {
        self.init(initialValue)
        try bind(doc: doc, path: path)
    }

    /// Creates a text that is bound to the text `objId` of the document.
    ///
    /// - Throws: ``BindingError/NotText``.
    public init(doc: Document, objId: ObjId) throws {
        guard doc.objectType(obj: objId) == .Text else { throw BindingError.NotText }
        state = Mutex(.bound(doc, objId))
    }

    /// Whether the text is bound to a document.
    public var isBound: Bool { binding != nil }

    private var binding: (document: Document, object: ObjId)? {
        state.withLock { state in
            if case .bound(let document, let object) = state { (document, object) } else { nil }
        }
    }

    /// Creates a text with the current value in the document, replacing the value at `path`, and
    /// binds to the created text.
    ///
    /// - Throws: The errors of ``init(_:doc:path:)``.
    public func bind(doc: Document, path: String) throws {
        let keys = try AnyCodingKey.parsePath(path)
        guard let place = try doc.place(at: keys, strategy: .createWhenNeeded) else {
            throw BindingError.InvalidPath(path)
        }
        try store(in: doc, as: place.putObject(.Text, in: doc))
    }

    /// Binds to the text `id` of the document. If the current value isn't empty, it replaces the
    /// content of that text.
    ///
    /// - Throws: ``BindingError/NotText``.
    public func bind(doc: Document, id: ObjId) throws {
        guard doc.objectType(obj: id) == .Text else { throw BindingError.NotText }
        try store(in: doc, as: id)
    }

    /// Binds to a text. If the current value isn't empty, it replaces the content of that text.
    /// Does nothing if this instance is already bound to that text.
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
    /// Setting the value of a bound text changes only the grapheme clusters that differ, so the
    /// edit merges with concurrent edits. If the document doesn't have the text, the value is
    /// empty.
    public var value: String {
        get {
            switch state.withLock({ $0 }) {
            case .unbound(let string): string
            case .bound(let document, let object): (try? document.text(obj: object)) ?? ""
            }
        }
        set {
            // Updating a text that exists in the document can't fail.
            if let binding {
                guard value != newValue else { return }
                try? binding.document.updateText(obj: binding.object, value: newValue)
            } else {
                state.withLock { $0 = .unbound(newValue) }
            }
        }
    }

    // MARK: Codable

    /// The single key that encoders and decoders other than Automerge's use.
    public enum CodingKeys: String, CodingKey {
        /// The characters.
        case value
    }

    /// Encodes a map with `value`, for other encoders such as `JSONEncoder`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
    }

    /// Creates an unbound text from another decoder, such as `JSONDecoder`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        state = Mutex(.unbound(try container.decode(String.self, forKey: .value)))
    }
}

extension AutomergeText: Hashable {
    /// Returns whether both instances are bound to the same text. If one isn't bound, returns
    /// whether their values are equal.
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
