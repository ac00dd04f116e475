package import Automerge
import LosslessJSON

extension DocumentView {
    /// Returns the content of the document as plain JSON.
    ///
    /// Texts become strings. Counters and timestamps (milliseconds since 1970) become integers, and
    /// bytes become arrays of numbers. Keys are in the order of their UTF-8 bytes.
    ///
    /// - Parameters:
    ///   - heads: The point of the history; `nil` for the present.
    ///   - indented: Whether to indent the output.
    /// - Throws: ``CoreError`` with code `.noAnswer` for unknown heads.
    public func json(at heads: Heads? = nil, indented: Bool = false) throws -> String {
        try json(of: .object(.ROOT, .Map), at: heads, indented: indented)
    }

    /// Returns a value as plain JSON.
    ///
    /// - Parameter limit: The approximate maximum number of bytes. Longer output is cut with an
    ///   ellipsis, and long lists and maps show only their counts.
    package func json(
        of content: WrittenValue.Content, at heads: Heads?, indented: Bool = false,
        limit: Int? = nil
    ) throws -> String {
        var writer = DocumentJSONWriter(
            document: document, heads: heads?.hashes, isIndented: indented, limit: limit)
        do {
            return try writer.write(content)
        } catch let error as DocError {
            throw CoreError(.noAnswer, error.message)
        }
    }
}

/// Writes objects as JSON without recursion, because a document can be nested arbitrarily deep.
private struct DocumentJSONWriter {
    let document: Document
    let heads: Set<ChangeHash>?
    let isIndented: Bool
    let limit: Int?
    var text = ""
    var open: [Frame] = []
    /// Deeper levels are not indented further.
    private static let deepestIndentation = 64
    /// Longer objects show only their counts if the output is limited.
    private static let longestShown = 50

    struct Frame {
        let places: [WrittenPlace]
        var next = 0
        let isMap: Bool
    }

    mutating func write(_ content: WrittenValue.Content) throws -> String {
        try begin(content)
        while let frame = open.last {
            if let limit, text.utf8.count > limit {
                return String(text.prefix(limit)) + "…"
            }
            guard frame.next < frame.places.count else {
                open.removeLast()
                newLine()
                text += frame.isMap ? "}" : "]"
                continue
            }
            open[open.count - 1].next += 1
            if frame.next > 0 { text += "," }
            newLine()
            let place = frame.places[frame.next]
            if case .Key(let key) = place.prop {
                text += JSONWriter.quoted(key)
                text += isIndented ? ": " : ":"
            }
            try begin(place.winner.content)
        }
        return text
    }

    private mutating func newLine() {
        guard isIndented else { return }
        text += "\n"
        text += String(repeating: "  ", count: min(open.count, Self.deepestIndentation))
    }

    /// Writes a scalar, or the start of an object.
    private mutating func begin(_ content: WrittenValue.Content) throws {
        switch content {
        case .timestamp(let milliseconds): text += String(milliseconds)
        case .scalar(let value): text += value.json.line
        case .object(let id, .Text):
            if let limit, heads == nil {
                let count = UInt64(max(0, limit) + 1)
                text += JSONWriter.quoted(try document.text(obj: id, in: 0..<count))
            } else {
                text += JSONWriter.quoted(try document.text(id, at: heads))
            }
        case .object(let id, let type):
            if limit != nil, !open.isEmpty || type == .List {
                let count = document.length(id, at: heads)
                if count > Self.longestShown {
                    text +=
                        type == .Map
                        ? "{\(Counted.text(count, "key"))}"
                        : "[\(Counted.text(count, "item"))]"
                    return
                }
            }
            let places = try document.places(of: id, at: heads)
            if places.isEmpty {
                text += type == .Map ? "{}" : "[]"
            } else {
                text += type == .Map ? "{" : "["
                open.append(Frame(places: places, isMap: type == .Map))
            }
        }
    }
}

extension Document {
    /// Returns the content of a text object at a point of the history, or now if `heads` is `nil`.
    func text(_ id: ObjId, at heads: Set<ChangeHash>?) throws -> String {
        if let heads { try textAt(obj: id, heads: heads) } else { try text(obj: id) }
    }

    func length(_ id: ObjId, at heads: Set<ChangeHash>?) -> Int {
        Int(clamping: heads.map { lengthAt(obj: id, heads: $0) } ?? length(obj: id))
    }
}
