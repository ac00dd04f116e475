import Foundation

/// A recorded writing session: each edit deletes and inserts at one position.
struct EditTrace {
    struct Edit {
        let position: Int
        let deleted: Int
        let inserted: String
    }

    let edits: [Edit]

    /// Reads a JSON array of `[position, deleted, inserted…]`, a character an element.
    init(contentsOf url: URL) throws {
        let rows = try JSONDecoder().decode([Row].self, from: Data(contentsOf: url))
        edits = rows.map(\.edit)
    }

    private struct Row: Decodable {
        let edit: Edit

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            let position = try container.decode(Int.self)
            let deleted = try container.decode(Int.self)
            var inserted = ""
            while !container.isAtEnd { inserted += try container.decode(String.self) }
            edit = Edit(position: position, deleted: deleted, inserted: inserted)
        }
    }
}
