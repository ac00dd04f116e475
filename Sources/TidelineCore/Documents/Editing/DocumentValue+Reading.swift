import Automerge
import Foundation
import Replication

extension DocumentValue {
    /// The types that the user can choose, most common first.
    static let kinds: [TypedText.Kind] = [
        .string, .text, .integer, .real, .boolean, .counter, .timestamp, .data, .null, .map, .list,
        .json,
    ]

    /// Copies a value of a document with its exact types, but without marks of texts.
    ///
    /// - Throws: ``EditError`` with code `.unsupported` for a value that is nested too deeply.
    init(_ content: WrittenValue.Content, of view: DocumentView) throws {
        try self.init(content, of: view, depth: 0)
    }

    private init(_ content: WrittenValue.Content, of view: DocumentView, depth: Int) throws {
        guard depth < Self.treeDepthLimit else {
            throw EditError(.unsupported, "the value is nested too deeply to be copied")
        }
        switch content {
        case .scalar(let scalar): self = .scalar(scalar)
        case .timestamp(let milliseconds):
            self = .scalar(
                .Timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1_000)))
        case .object(let id, .Text): self = .text(try view.document.text(id, at: nil))
        case .object(let id, .List):
            self = .list(
                try view.places(of: id, at: nil).map {
                    try DocumentValue($0.winner.content, of: view, depth: depth + 1)
                })
        case .object(let id, .Map):
            var members: [Name: DocumentValue] = [:]
            for place in try view.places(of: id, at: nil) {
                guard case .Key(let key) = place.prop else { continue }
                members[key] = try DocumentValue(
                    place.winner.content, of: view, depth: depth + 1)
            }
            self = .map(members)
        }
    }
}

extension DocumentView {
    /// Returns a value as the user would type it; `nil` for a type of a later format version.
    func typed(_ content: WrittenValue.Content) throws -> TypedText? {
        switch content {
        case .timestamp(let milliseconds):
            TypedText(.timestamp, OpenDocument.instant(milliseconds))
        case .object(let id, .Text): TypedText(.text, try document.text(id, at: nil))
        case .object(_, .Map): TypedText(.map, try json(of: content, at: nil, indented: true))
        case .object(_, .List): TypedText(.list, try json(of: content, at: nil, indented: true))
        case .scalar(let scalar):
            switch scalar {
            case .Null: TypedText(.null, "")
            case .Boolean(let truth): TypedText(.boolean, String(truth))
            case .Int(let number): TypedText(.integer, String(number))
            case .Uint(let number): TypedText(.integer, String(number))
            case .F64(let number): TypedText(.real, String(number))
            case .Counter(let number): TypedText(.counter, String(number))
            case .String(let text): TypedText(.string, text)
            case .Bytes(let data): TypedText(.data, data.base64EncodedString())
            case .Timestamp(let date): TypedText(.timestamp, Timestamp(date).plainISO8601)
            case .Unknown: nil
            }
        }
    }

    /// Returns the form of a value in previews.
    func shown(_ content: WrittenValue.Content) throws -> EditPreview.Value {
        let line = try line(content, at: nil)
        let isCut = line.hasSuffix("…")
        return EditPreview.Value(line, whole: isCut ? try typed(content) : nil, isCut: isCut)
    }

    /// Returns the form of the value at a pointer in previews; `nil` if there is no value.
    func shown(at pointer: String) -> EditPreview.Value? {
        if pointer.isEmpty { return try? shown(.object(.ROOT, .Map)) }
        guard let place = try? written(at: pointer) else { return nil }
        return try? shown(place.winner.content)
    }

    /// Returns a stamp of a place. The stamp changes with every write to the place or inside it.
    func stamp(at pointer: String) throws -> String {
        guard let place = try written(at: pointer) else { return "" }
        var parts = ([place.winner] + place.others).map(\.operation.description)
        switch place.winner.content {
        case .object: parts.append(String(try json(of: place.winner.content, at: nil).hashValue))
        // Incrementing a counter doesn't change its operation.
        case .scalar(.Counter(let number)): parts.append(String(number))
        default: break
        }
        return parts.joined(separator: " ")
    }
}
