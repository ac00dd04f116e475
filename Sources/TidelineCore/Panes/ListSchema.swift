import Replication

/// The declaration of a list: its columns, and the row of each item.
final class ListSchema<Item>: Sendable {
    /// The columns that are shown.
    let columns: [Column]
    /// The fields that a filter may name.
    let filterFields: [FilterField]
    /// Returns the identity of an item's row.
    let id: @Sendable (Item) -> RowID
    private let shown: [ListColumn<Item>]
    private let values: [String: @Sendable (Item) -> FilterValue]
    private let words: (@Sendable (Item, (String) -> Bool) -> Bool)?
    private let mark: @Sendable (inout Row, Item) -> Void

    /// Creates a schema.
    ///
    /// - Parameters:
    ///   - words: Returns whether one of the item's texts satisfies a test. Filter terms without a
    ///     field search these texts. By default, they are the texts of the cells.
    ///   - mark: Sets the properties of a row other than its cells, such as its device.
    init(
        _ columns: [ListColumn<Item>], id: @escaping @Sendable (Item) -> RowID,
        words: (@Sendable (Item, (String) -> Bool) -> Bool)? = nil,
        mark: @escaping @Sendable (inout Row, Item) -> Void = { _, _ in }
    ) {
        shown = columns.filter { $0.heading != nil }
        self.columns = columns.compactMap(\.heading)
        filterFields = columns.compactMap(\.field)
        values = Dictionary(
            keepingFirst: columns.compactMap { column in
                column.field.map { ($0.name, column.value) }
            })
        self.id = id
        self.words = words
        self.mark = mark
    }

    func row(_ item: Item) -> Row {
        var row = Row(id: id(item), cells: shown.map { $0.cell(item) })
        mark(&row, item)
        return row
    }

    /// Returns the order of items by a column; `nil` for an unknown column.
    func order(by column: String) -> ListOrder<Item>? {
        shown.first { $0.heading?.id == column }?.order
    }

    /// Returns an item in the form that filters read.
    ///
    /// - Parameter now: The instant that ages are relative to.
    func subject(_ item: Item, now: Timestamp) -> some FilterSubject {
        ItemSubject(item: item, schema: self, now: now)
    }

    /// Returns the texts of an item that a field compares.
    func texts(of item: Item, for field: String) -> [String] {
        value(of: item, for: field)?.texts ?? []
    }

    fileprivate func value(of item: Item, for field: String) -> FilterValue? {
        values[field]?(item)
    }

    fileprivate func contains(_ item: Item, where test: (String) -> Bool) -> Bool {
        words?(item, test) ?? shown.contains { test($0.cell(item).text) }
    }
}

extension ListSchema<Row> {
    /// Creates the schema of a list whose rows exist already, with one cell per column. Each filter
    /// field is the column of the same name; `device` and `conflict` are properties of the rows.
    convenience init(rowsOf info: ListInfo) {
        let columns = info.columns.enumerated().map { index, column in
            ListColumn<Row>(column) { $0.cell(index) ?? RowCell("") }
        }
        let fields = info.filterFields.map { field in
            let index = info.columns.firstIndex { $0.id == field.name }
            return ListColumn<Row>.field(field) { $0.value(of: field.name, index: index) }
        }
        self.init(columns + fields, id: \.id)
    }
}

extension Row {
    fileprivate func cell(_ index: Int) -> RowCell? {
        cells.indices.contains(index) ? cells[index] : nil
    }

    fileprivate func value(of field: String, index: Int?) -> FilterValue {
        if field == "conflict" {
            return .texts([isConflict || conflictsInside > 0 ? "yes" : "no"])
        }
        let shown = index.flatMap(cell).map { FilterValue.cell($0) } ?? .texts([])
        guard field == "device", let device else { return shown }
        return .texts(shown.texts + [device.name])
    }
}

/// The value of an item that filters compare.
enum FilterValue {
    /// Several texts. The item matches if one of the texts matches.
    case texts([String])
    /// A number; `nil` doesn't match any comparison.
    case number(Double?)
    /// The time of a write, compared by its age.
    case age(Timestamp)
    case cell(RowCell)
    /// A value of any type. Its texts are created only for comparisons.
    case typed(texts: () -> [String], numbers: [FilterNumber], instant: Timestamp?)

    var texts: [String] {
        switch self {
        case .texts(let texts): texts
        case .number, .age: []
        case .cell(let cell): [cell.text] + (cell.value?.string.map { [$0] } ?? [])
        case .typed(let texts, _, _): texts()
        }
    }

    /// Returns the numbers to compare.
    ///
    /// - Parameter now: The instant that ages are relative to.
    func numbers(now: Timestamp) -> [FilterNumber] {
        switch self {
        case .texts: []
        case .number(let number): number.map { [FilterNumber($0)] } ?? []
        case .age(let instant): [FilterNumber(now.seconds(since: instant))]
        case .cell(let cell):
            if let instant = cell.instant {
                [FilterNumber(now.seconds(since: instant))]
            } else if let value = cell.value {
                value.number.map { [$0] } ?? []
            } else {
                FilterNumber(cell.text).map { [$0] } ?? []
            }
        case .typed(_, let numbers, _): numbers
        }
    }

    var instant: Timestamp? {
        switch self {
        case .texts, .number: nil
        case .age(let instant): instant
        case .cell(let cell):
            cell.instant ?? cell.value?.instant ?? (try? Timestamp(parsing: cell.text))
        case .typed(_, _, let instant): instant
        }
    }
}

/// An item in the form that filters read.
private struct ItemSubject<Item>: FilterSubject {
    let item: Item
    let schema: ListSchema<Item>
    let now: Timestamp

    func contains(where test: (String) -> Bool) -> Bool { schema.contains(item, where: test) }
    func texts(of field: String) -> [String] { schema.texts(of: item, for: field) }
    func numbers(of field: String) -> [FilterNumber] {
        schema.value(of: item, for: field)?.numbers(now: now) ?? []
    }
    func instant(of field: String) -> Timestamp? { schema.value(of: item, for: field)?.instant }
}

extension Timestamp {
    func seconds(since earlier: Timestamp) -> Double {
        Double(microseconds) / 1_000_000 - Double(earlier.microseconds) / 1_000_000
    }
}
