public import Replication

/// The writer of a part of a text, and when it was written.
public struct TextWriter: Hashable, Sendable {
    /// The writer.
    public var author: Author
    /// The time of the write; `nil` if unknown.
    public var instant: Timestamp?

    /// Creates a writer.
    public init(_ author: Author, at instant: Timestamp? = nil) {
        self.author = author
        self.instant = instant
    }

    /// The unknown writer, for parts that may come from an earlier version that isn't available.
    public static let unknown = TextWriter(.unknown)
}

/// A text of a row in parts with one writer each.
public struct WrittenText: Sendable {
    /// A part of a text.
    public struct Part: Sendable {
        /// The characters.
        public var text: String
        /// The writer of these characters.
        public var writer: TextWriter
        /// The weight of the part in the shares of its writers: the number of its characters, or
        /// the amount that it adds to a counter.
        public var weight: Double

        /// Creates a part.
        ///
        /// - Parameter weight: The weight; by default the number of characters.
        public init(_ text: String, by writer: TextWriter, weight: Double? = nil) {
            self.text = text
            self.writer = writer
            self.weight = weight ?? Double(text.count)
        }
    }

    /// The name of the text within the row; empty for the row's only text.
    public var label: String
    /// The parts, in order.
    public var parts: [Part]

    /// Creates a text.
    public init(label: String, parts: [Part]) {
        self.label = label
        self.parts = parts
    }

    /// The lines of the text, each in parts with one author. Adjacent parts by the same author are
    /// joined, even if their times differ. An empty line has no parts.
    public var lines: [[(text: String, author: Author)]] {
        var lines: [[(text: String, author: Author)]] = [[]]
        for part in parts {
            let pieces = part.text.split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for (index, piece) in pieces.enumerated() {
                if index > 0 { lines.append([]) }
                guard !piece.isEmpty else { continue }
                let end = lines.count - 1
                if let last = lines[end].indices.last, lines[end][last].author == part.writer.author
                {
                    lines[end][last].text += piece
                } else {
                    lines[end].append((String(piece), part.writer.author))
                }
            }
        }
        return lines
    }
}

/// The texts of a row with the writer of each part.
public struct WrittenTexts: Sendable {
    /// The title of the row.
    public var title: String
    /// The texts. A number, a date or another value that isn't a text is shown as a single part.
    public var texts: [WrittenText]
    /// Whether texts were left out, because the row has too many.
    public var isCut: Bool
    private let names: [Author: String]

    /// Creates the texts of a row.
    ///
    /// - Parameter name: Returns the display name of a writer. Not called for an unknown writer.
    public init(
        _ title: String, _ texts: [WrittenText], isCut: Bool = false, name: (Author) -> String
    ) {
        self.title = title
        self.texts = texts
        self.isCut = isCut
        var names: [Author: String] = [.unknown: "earlier writers"]
        for part in texts.lazy.flatMap(\.parts) where names[part.writer.author] == nil {
            names[part.writer.author] = name(part.writer.author)
        }
        self.names = names
    }

    /// Returns the display name of a writer.
    public func name(of author: Author) -> String { names[author] ?? author.name }

    /// Whether the writers of some parts are unknown.
    public var hasUnknownWriters: Bool {
        texts.contains { $0.parts.contains { $0.writer.author == .unknown } }
    }

    /// The writers with the share that each wrote, greatest first.
    public var shares: [(author: Author, share: Double)] {
        var weights: [Author: Double] = [:]
        for part in texts.lazy.flatMap(\.parts) {
            weights[part.writer.author, default: 0] += part.weight
        }
        let total = weights.values.reduce(0, +)
        guard total > 0 else { return [] }
        return weights.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { ($0.key, $0.value / total) }
    }
}
