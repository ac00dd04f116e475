import Automerge
import DocumentStore
import Foundation
import KeyValueStore
import Replication

/// The keys of a map or the items of a list.
struct DocumentRows: IndexedItems {
    let open: OpenDocument
    let object: ObjId
    /// The pointer of the object.
    let base: String
    let heads: DocumentView.Heads?
    private let content: Content
    let count: Int

    private enum Content: Sendable {
        case all([WrittenPlace])
        /// The current items of a list, each found in logarithmic time.
        case elements
    }

    /// A key or an item with its value.
    struct Item: Sendable {
        let prop: Prop
        let id: RowID
        let content: WrittenValue.Content
        let value: RowCell
        let author: RowCell
        let device: DeviceID?
        let instant: Timestamp?
        let isConflict: Bool
        let conflictsInside: Int
        let isCounter: Bool

        fileprivate var key: RowCell {
            switch prop {
            case .Index(let index): RowCell(String(index), .number)
            case .Key(let key): RowCell(key.isEmpty ? "\"\"" : key, .key)
            }
        }
    }

    static let entries = ListSchema<Item>(
        [
            ListColumn("key", "KEY", minimumWidth: 8, example: "key:title*", cell: \.key),
            ListColumn(
                "value", "VALUE", minimumWidth: 12, isSortable: false, .value,
                example: "value~/^a/i", cell: \.value),
            ListColumn(
                "type", "TYPE", width: 9, .choice(WrittenValue.Content.typeNames),
                example: "type:text"
            ) { RowCell($0.content.typeName, .dim) },
            ListColumn(
                "actor", "ACTOR", minimumWidth: 8, width: 14, .name, example: "actor:06a2",
                cell: \.author),
            .hiddenDevice { $0.device },
            ListColumn(
                "age", "AGE", width: 4, alignment: .trailing, .age, example: "age<10m"
            ) { RowCell($0.instant?.plainISO8601 ?? "", .timestamp, instant: $0.instant) },
            .conflict { $0.isConflict || $0.conflictsInside > 0 },
        ], id: \.id,
        mark: { row, item in
            row.device = item.device
            row.isConflict = item.isConflict
            row.conflictCount = item.isConflict ? 1 : 0
            row.conflictsInside = item.conflictsInside
            row.isCounter = item.isCounter
            row.opensList = item.content.isContainer
        })

    var schema: ListSchema<Item> { Self.entries }

    init(
        _ open: OpenDocument, _ object: ObjId, _ type: ObjType, base: String,
        at heads: DocumentView.Heads?
    ) throws {
        self.open = open
        self.object = object
        self.base = base
        self.heads = heads
        if type == .List, heads == nil {
            content = .elements
            count = open.document.length(object, at: nil)
        } else {
            let places = try open.view.places(of: object, at: heads)
            content = .all(type == .Map ? places.inNaturalOrder(of: \.key) : places)
            count = places.count
        }
    }

    /// Creates the rows of a deleted object.
    init(noneOf open: OpenDocument, _ object: ObjId, base: String) {
        self.open = open
        self.object = object
        self.base = base
        heads = nil
        content = .all([])
        count = 0
    }

    func items(_ range: Range<Int>) throws -> [Item] {
        switch content {
        case .all(let places): try places[range].map(item)
        case .elements:
            try open.document.elements(of: object, in: range, at: nil).map(item)
        }
    }

    func index(of row: RowID) throws -> Int? {
        guard let step = Self.lastStep(of: row, under: base) else { return nil }
        switch content {
        case .elements:
            guard let index = Int(step), index >= 0, index < count else { return nil }
            return index
        case .all(let places):
            return places.firstIndex { Self.isCalled($0.prop, step) }
        }
    }

    /// Returns whether a step of a pointer leads to a key or item. Compares the bytes of keys,
    /// because Swift treats some different keys as equal.
    private static func isCalled(_ prop: Prop, _ step: String) -> Bool {
        switch prop {
        case .Index(let index): String(index) == step
        case .Key(let key): key.utf8.elementsEqual(step.utf8)
        }
    }

    /// Returns the part of a row's pointer after the pointer of its object, unescaped.
    static func lastStep(of row: RowID, under base: String) -> String? {
        guard row.name.utf8.starts(with: base.utf8) else { return nil }
        let rest = String(decoding: row.name.utf8.dropFirst(base.utf8.count), as: UTF8.self)
        guard let steps = try? JSONPointer.steps(of: rest), steps.count == 1 else { return nil }
        return steps[0]
    }

    private func item(_ place: WrittenPlace) throws -> Item {
        let written = place.winner
        let actor = written.newestOperation.actor
        let change = written.newestChange.flatMap { open.change($0) }
        var inside = 0
        if case .object(let id, _) = written.content {
            inside = try open.conflictsInside(at: heads)[id]?.count ?? 0
        }
        return Item(
            prop: place.prop, id: RowID(base + "/" + JSONPointer.step(place.prop)),
            content: written.content,
            value: RowCell(try open.view.line(written.content, at: heads), written.content.role),
            author: open.authorCell(of: actor), device: OpenDocument.device(of: actor),
            instant: change?.timestamp, isConflict: !place.others.isEmpty,
            conflictsInside: inside, isCounter: heads == nil && written.content.isCounter)
    }
}

extension WrittenPlace {
    /// The key of a value in a map; empty for an item of a list.
    fileprivate var key: String { if case .Key(let key) = prop { key } else { "" } }
}

extension RecordedChange {
    /// The time of the change according to its author's clock; `nil` if it wasn't recorded.
    var timestamp: Timestamp? { ChangeTime(recorded: time).timestamp }
}

extension OpenDocument {
    /// Formats milliseconds since 1970 as a date if they are in its range.
    static func instant(_ milliseconds: Int64) -> String {
        let (shifted, overflow) = milliseconds.subtractingReportingOverflow(978_307_200_000)
        let (value, tooFar) = shifted.multipliedReportingOverflow(by: 1000)
        guard !overflow, !tooFar else { return "\(milliseconds) ms" }
        return Timestamp(microseconds: value).plainISO8601
    }
}

extension WrittenValue.Content {
    var role: TextRole {
        switch self {
        case .object(_, .Text), .scalar(.String): .string
        case .object: .collection
        case .timestamp, .scalar(.Timestamp): .date
        case .scalar(.Boolean): .boolean
        case .scalar(.Int), .scalar(.Uint), .scalar(.F64), .scalar(.Counter): .number
        case .scalar(.Bytes), .scalar(.Unknown): .data
        case .scalar(.Null): .dim
        }
    }
}

extension DocumentView {
    /// Returns a value in one line: a text in quotation marks, any other value as JSON.
    func line(_ content: WrittenValue.Content, at heads: Heads?) throws -> String {
        switch content {
        case .scalar(.String(let text)): Self.quoted(text)
        case .object(let id, .Text) where heads == nil:
            // A scalar has at most four bytes, so this range is long enough in every unit of
            // length.
            Self.quoted(
                try document.text(obj: id, in: 0..<UInt64(4 * PropertyList.longestLine + 1)))
        case .object(let id, .Text): Self.quoted(try document.text(id, at: heads?.hashes))
        case .timestamp(let milliseconds): OpenDocument.instant(milliseconds)
        case .scalar(.Bytes(let data)), .scalar(.Unknown(_, let data)):
            PropertyList.data(data).line
        default: try json(of: content, at: heads, limit: PropertyList.longestLine)
        }
    }

    /// Returns a text in quotation marks. A long text is cut with an ellipsis at its end.
    private static func quoted(_ text: String) -> String {
        text.shortened(to: PropertyList.longestLine).map { "\"\($0)" } ?? "\"\(text)\""
    }
}
