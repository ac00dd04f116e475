import TidelineCore

/// A menu of choices.
struct Menu: OverlayModule {
    enum Choice: Hashable, Sendable {
        case sort(RowQuery.Sort?)
        case copy(CopyForm)
        case action(String)
        case command(ListCommand, String)
        case endAlert(Alert)
        /// A theme, which is previewed while it is selected.
        case theme(String)
        case column(String, ColumnChange)
        /// The value of the editor behind the menu.
        case value(TypedText)
    }

    struct Item: Hashable, Sendable {
        var title: String
        var hint: String = ""
        /// The reason why the item can't be chosen; `nil` if it can.
        var unavailable: String?
        var choice: Choice

        /// The width of the title's first 60 characters. Longer titles don't widen the menu.
        var titleWidth: Int { CharacterWidth.width(of: String(title.prefix(60))) }
        /// Whether the hint is aligned with those of other items. Reasons are long, so they follow
        /// the titles.
        var isAligned: Bool { unavailable == nil && !hint.isEmpty }
    }

    var title: String
    var items: [Item]
    var cursor = 0
    var over: Overlay?
    /// A note on items that aren't in the menu.
    var note = ""

    /// The width of the titles before the aligned hints.
    var hintColumn: Int { items.reduce(0) { $1.isAligned ? max($0, $1.titleWidth) : $0 } }

    static let group = Action.Group("Menu")
    static let whyNotOpen = "no menu is open"
    var choiceCount: Int { items.count }

    static let actions: [OverlayAction<Self>] =
        [
            action("menu-choose", "Choose the selection", ["Enter"]) { menu, _ in
                menu.choose(menu.cursor)
            },
            action("menu-close", "Close", ["Esc", "q", "Backspace", "^g"]) { menu, _ in
                [.close(showing: menu.over)]
            },
            change("menu-next", "Next choice", ["j", "Down", "Tab"]) { menu, _ in
                menu.select(menu.cursor + 1)
            },
            change("menu-previous", "Previous choice", ["k", "Up", "BackTab"]) { menu, _ in
                menu.select(menu.cursor - 1)
            },
            change("menu-first", "First choice", ["Home"]) { menu, _ in menu.select(0) },
            change("menu-last", "Last choice", ["End"]) { menu, _ in menu.select(.max) },
            action(
                "menu-toggle", "Show or hide the selected column", ["Space"],
                unless: { $0.isOfColumns ? nil : "only columns can be shown or hidden" }
            ) { _, _ in [.toggleColumn] },
        ]
        + (1...9).map { number in
            action("menu-choose-\(number)", "Choose by number", ["\(number)"]) { menu, _ in
                menu.items.indices.contains(number - 1)
                    ? menu.choose(number - 1) : [.none(of: menu.items.count)]
            }
        }

    /// Chooses an item, or reports why it is unavailable.
    func choose(_ index: Int) -> [ScreenOutcome] {
        guard items.indices.contains(index) else { return [] }
        let item = items[index]
        if let reason = item.unavailable {
            return [.notice(.warning, "\(item.title): \(reason)")]
        }
        return [.close(), .choose(item.choice, of: self)]
    }

    private mutating func select(_ index: Int) {
        cursor = max(0, min(index, items.count - 1))
    }

    /// The theme that the selected item would apply.
    var theme: String? {
        guard items.indices.contains(cursor), case .theme(let name) = items[cursor].choice else {
            return nil
        }
        return name
    }

    /// Whether the menu lists columns, which can be shown or hidden.
    private var isOfColumns: Bool {
        if case .column(_, .choose)? = items.first?.choice { true } else { false }
    }

    private var verb: String {
        if case .endAlert? = items.first?.choice { "remove" } else { "choose" }
    }

    func hides(_ action: Action) -> Bool { action.name == "menu-toggle" && !isOfColumns }

    func hints(in context: ScreenContext) -> [Hint] {
        [
            isOfColumns ? context.keymap.hint("menu-toggle", title: "show or hide") : nil,
            context.keymap.hint("menu-choose", numbersUpTo: items.count, title: verb),
            context.keymap.hint("menu-close", title: "close"),
        ].compactMap(\.self)
    }

    func draw(on canvas: inout Canvas) {
        let theme = canvas.theme
        let rect = OverlayFrame.menu(self, in: canvas.context.dialogArea)
        let inner = canvas.drawFrame(rect, title: title)
        let first = OverlayFrame.firstItem(of: self, in: rect)
        let hintColumn = hintColumn
        if items.isEmpty {
            canvas.surface.put(
                "nothing to choose", in: inner, style: theme[.dim], alignment: .leading)
        }
        for (row, item) in items.dropFirst(first).prefix(inner.rows).enumerated() {
            let number = first + row + 1
            let line = inner.line(row)
            let reason = item.unavailable
            let key =
                number <= 9
                ? canvas.context.keymap.hint(for: "menu-choose-\(number)") : ""
            let gap = 2 + (item.isAligned ? max(0, hintColumn - item.titleWidth) : 0)
            canvas.put(
                [
                    (key.isEmpty ? "   " : " \(key) ", .keyName),
                    (item.title, reason == nil ? .plain : .disabled),
                    (String(repeating: " ", count: gap), .plain), (reason ?? item.hint, .dim),
                ], at: line.origin, maxWidth: line.columns)
            if first + row == cursor { canvas.surface.bar(line, theme[.menuSelection]) }
        }
        canvas.drawMore(first: first, shown: inner.rows, of: items.count, besides: note, in: rect)
    }
}
