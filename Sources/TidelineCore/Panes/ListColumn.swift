import Replication

/// A column of a list: its heading and width, the cell of each item, the field by which filters
/// compare it, and its sort order.
///
/// A column without a heading is hidden, and only filters use it.
struct ListColumn<Item>: Sendable {
    /// The heading and width; `nil` if the column is hidden.
    let heading: Column?
    /// The filter field; `nil` if filters can't name the column.
    let field: FilterField?
    let cell: @Sendable (Item) -> RowCell
    /// Returns the value that filters compare.
    let value: @Sendable (Item) -> FilterValue
    /// The order of items that are sorted by the column.
    let order: ListOrder<Item>

    /// Creates a column with a heading that is known only at run time.
    ///
    /// - Parameters:
    ///   - value: Returns the value that filters compare; by default, the content of the cell.
    ///   - order: The order of items sorted by the column. By default, items are sorted by the
    ///     content of the cell. In ascending order of ages, the newest item is first.
    init(
        _ heading: Column, _ field: FilterField? = nil,
        value: (@Sendable (Item) -> FilterValue)? = nil, order: ListOrder<Item>? = nil,
        cell: @escaping @Sendable (Item) -> RowCell
    ) {
        var column = heading
        if let field, field.name != heading.id { column.fieldName = field.name }
        self.heading = column
        self.field = field
        self.cell = cell
        self.value = value ?? { .cell(cell($0)) }
        self.order = order ?? .by(isReversed: heading.id == "age") { CellOrder(cell($0)) }
    }

    /// Creates a column.
    ///
    /// - Parameters:
    ///   - id: The identifier for sorting, themes and filters.
    ///   - example: An example of a filter; `nil` if filters can't name the column.
    init(
        _ id: String, _ title: String, minimumWidth: Int = 4, width: Int? = nil,
        leastWidth: Int? = nil, yieldsWidth: Bool = false,
        alignment: Column.Alignment = .leading, keepsEnd: Bool = false, isSortable: Bool = true,
        _ kind: FilterField.Kind = .text, example: String? = nil, aliases: [String] = [],
        value: (@Sendable (Item) -> FilterValue)? = nil, order: ListOrder<Item>? = nil,
        cell: @escaping @Sendable (Item) -> RowCell
    ) {
        self.init(
            Column(
                id, title, minimumWidth: minimumWidth, width: width, leastWidth: leastWidth,
                yieldsWidth: yieldsWidth, alignment: alignment, keepsEnd: keepsEnd,
                isSortable: isSortable),
            example.map { FilterField(id, kind, example: $0, aliases: aliases) },
            value: value, order: order, cell: cell)
    }

    private init(hidden field: FilterField, value: @escaping @Sendable (Item) -> FilterValue) {
        heading = nil
        self.field = field
        self.value = value
        cell = { _ in RowCell("") }
        order = .asListed
    }
}

extension ListColumn {
    /// Creates a hidden column, which only filters use.
    static func field(
        _ name: String, _ kind: FilterField.Kind = .text, example: String,
        aliases: [String] = [], value: @escaping @Sendable (Item) -> FilterValue
    ) -> Self { field(FilterField(name, kind, example: example, aliases: aliases), value: value) }

    /// Creates a hidden column, which only filters use.
    static func field(
        _ field: FilterField, value: @escaping @Sendable (Item) -> FilterValue
    ) -> Self { Self(hidden: field, value: value) }

    /// Creates a column of counts, or of numbers that identify items. Only the digits of counts are
    /// in groups.
    static func number(
        _ id: String, _ title: String, width: Int, isIdentifier: Bool = false,
        isSortable: Bool = true, hidesZero: Bool = false, example: String? = nil,
        _ number: @escaping @Sendable (Item) -> some BinaryInteger & SendableMetatype
    ) -> Self {
        Self(
            id, title, width: width, alignment: .trailing, isSortable: isSortable, .number,
            example: example, value: { .number(Double(number($0))) }, order: .by(number)
        ) {
            let count = number($0)
            if isIdentifier { return RowCell(String(count), .number) }
            return hidesZero && count == 0
                ? RowCell("", .number, value: .json(.count(0)))
                : RowCell(grouped: count)
        }
    }

    /// Creates the column of sizes in bytes.
    ///
    /// - Parameter missing: The cell of an item without a size.
    static func size(
        missing: RowCell = RowCell("", .number), _ byteCount: @escaping @Sendable (Item) -> Int64?
    ) -> Self {
        Self(
            "size", "SIZE", width: 8, alignment: .trailing, .size, example: "size>4k",
            aliases: ["bytes"]
        ) { byteCount($0).map { RowCell(byteCount: $0) } ?? missing }
    }

    /// Creates the column of ages. In ascending order, the newest item is first.
    static func age(
        example: String, _ instant: @escaping @Sendable (Item) -> Timestamp?
    ) -> Self {
        Self(
            "age", "AGE", width: 4, alignment: .trailing, .age, example: example,
            value: { instant($0).map { .age($0) } ?? .texts([]) },
            order: .by(isReversed: true) { instant($0) ?? .distantPast }
        ) { RowCell(instant: instant($0)) }
    }

    /// Creates the column of the devices that wrote the items. A filter finds a device by its name
    /// or its identifier.
    static func device(
        minimumWidth: Int, width: Int? = nil, isSortable: Bool = true,
        id: @escaping @Sendable (Item) -> DeviceID?, name: @escaping @Sendable (Item) -> String
    ) -> Self {
        Self(
            "device", "DEVICE", minimumWidth: minimumWidth, width: width, isSortable: isSortable,
            .name, example: "device:ipad",
            value: { .texts([name($0)] + (id($0).map { [$0.name] } ?? [])) },
            order: .by { NaturalText(name($0)) }
        ) { RowCell(name($0), .device) }
    }

    /// Creates the hidden column of the devices that wrote the items, by identifier.
    static func hiddenDevice(_ id: @escaping @Sendable (Item) -> DeviceID?) -> Self {
        field("device", .name, example: "device:06a2b97e") {
            .texts(id($0).map { [$0.name] } ?? [])
        }
    }

    /// Creates the hidden column that indicates whether an item is in conflict.
    static func conflict(_ isConflict: @escaping @Sendable (Item) -> Bool) -> Self {
        field("conflict", .choice(FilterField.yesNo), example: "conflict:yes") {
            .texts([isConflict($0) ? "yes" : "no"])
        }
    }
}

extension RowCell {
    /// Creates a cell that shows an instant. It is shown as an age in a narrow column, and as a
    /// time if the column has at least 12 cells. The cell is empty for `nil`.
    init(instant: Timestamp?) {
        self.init(instant?.iso8601 ?? "", .timestamp, instant: instant)
    }

    /// Creates a cell that shows a size with its unit. Its value is the exact number of bytes.
    init(byteCount: Int64) {
        self.init(ByteCount.text(byteCount), .number, value: .json(.integer(byteCount)))
    }

    /// Creates a cell that shows a count with its digits in groups.
    init(grouped count: some BinaryInteger, _ role: TextRole = .number) {
        self.init(Counted.grouped(count), role, value: .json(.count(Int(clamping: count))))
    }
}
