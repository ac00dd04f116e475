import Automerge
import Foundation

/// Shows an Automerge document in a cell as a tree of lines.
enum AutomergeCell {
    /// The maximum size of a document that is opened for display.
    private static let longest = 1 << 20
    private static let mostLines = 500

    /// Returns the document as lines.
    ///
    /// - Returns: An empty array for data that isn't a whole document, such as a single change.
    static func lines(of data: Data) -> [Detail.Line] {
        // Core Data puts a byte of 1 before data that it could move to an external file.
        let bytes = data.first == 1 ? data.dropFirst() : data
        guard bytes.count <= longest, let document = try? Document(Data(bytes)),
            document.changeCount > 0
        else { return [] }
        var lines = [
            Detail.Line("changes", Counted.grouped(document.changeCount), .number),
            Detail.Line(
                "heads", DocumentView(document).heads.texts.joined(separator: " "), .dim),
        ]
        add(.ROOT, of: DocumentView(document), depth: 0, to: &lines)
        return lines
    }

    private static func add(
        _ object: ObjId, of view: DocumentView, depth: Int, to lines: inout [Detail.Line]
    ) {
        guard depth < 40, let places = try? view.places(of: object, at: nil) else { return }
        for place in places {
            guard lines.count < mostLines else { return }
            let label =
                switch place.prop {
                case .Key(let key): key
                case .Index(let index): String(index)
                }
            let content = place.winner.content
            let text = (try? view.line(content, at: nil)) ?? ""
            lines.append(Detail.Line(label, text, content.role, depth: depth))
            if case .object(let inner, let type) = content, type != .Text {
                add(inner, of: view, depth: depth + 1, to: &lines)
            }
        }
    }
}
