import TidelineCore

/// A menu of choices.
struct Menu: OverlayModule {
    enum Choice: Hashable, Sendable {
        case sort(RowQuery.Sort?)
        case copy(CopyForm)
        case action(String)
        case command(ListCommand, String)
        case endAlert(Alert)
        /// Whether to preview the choice while it is selected.
        case theme(String)
        case column(String, ColumnChange)
        /// The value of the editor behind the menu.
        case value(TypedText)
    }

    struct Item: Hashable, Sendable {
        var title: String
        var hint: String = ""
        var availability: Availability = .available
        var choice: Choice
    }

    var title: String
    var items: [Item]
    var cursor = 0
    /// The menu to return to.
    var over: Overlay?

    static let kind = Overlay.Kind.menu
    static let group = Action.Group.menus
    var choiceCount: Int { items.count }
    var overlay: Overlay { .menu(self) }

    static let actions: [Action] =
        [
            action("menu-choose", "Choose the selection") { model, menu in
                model.choose(menu.cursor, of: menu)
            },
            action("menu-close", "Close") { model, menu in model.goBack(to: menu.over) },
            change("menu-next", "Next choice") { _, menu in menu.select(menu.cursor + 1) },
            change("menu-previous", "Previous choice") { _, menu in
                menu.select(menu.cursor - 1)
            },
            change("menu-first", "First choice") { _, menu in menu.select(0) },
            change("menu-last", "Last choice") { _, menu in menu.select(.max) },
            action(
                "menu-toggle", "Show or hide the selected column",
                unless: { $0.isOfColumns ? nil : "only columns can be shown or hidden" }
            ) { model, menu in model.toggleColumn(in: &menu) },
        ]
        + (1...9).map { number in
            action("menu-choose-\(number)", "Choose by number") { model, menu in
                if menu.items.indices.contains(number - 1) {
                    return model.choose(number - 1, of: menu)
                }
                model.sayNone(number, of: menu.items.count)
                return []
            }
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

    func hides(_ action: Action) -> Bool { action.name == "menu-toggle" && !isOfColumns }

    func hints(in model: Model) -> [Hint] {
        [
            isOfColumns ? model.hint("menu-toggle", title: "show or hide") : nil,
            model.hint("menu-choose", title: "choose"),
            items.isEmpty
                ? nil
                : Hint(
                    keys: model.digits(of: "menu-choose", upTo: items.count), title: "choose"),
            model.hint("menu-close", title: "close"),
        ].compactMap(\.self)
    }

    func draw(on screen: inout Screen) {
        let theme = screen.theme
        let rect = OverlayFrame.menu(self, in: screen.model.dialogArea)
        let inner = screen.drawFrame(rect, title: title)
        let first = OverlayFrame.firstItem(of: self, in: rect)
        if items.isEmpty {
            screen.surface.put(
                "nothing to choose", in: inner, style: theme[.dim], alignment: .leading)
        }
        for (row, item) in items.dropFirst(first).prefix(inner.rows).enumerated() {
            let number = first + row + 1
            let line = inner.line(row)
            let reason = item.availability.reason
            let key =
                number <= 9
                ? screen.model.preferences.keymap.hint(for: "menu-choose-\(number)") : ""
            screen.put(
                [
                    (key.isEmpty ? "   " : " \(key) ", .keyName),
                    (item.title, reason == nil ? .plain : .disabled),
                    ("  ", .plain), (reason ?? item.hint, .dim),
                ], at: line.origin, maxWidth: line.columns)
            if first + row == cursor { screen.surface.bar(line, theme[.menuSelection]) }
        }
        screen.drawMore(first: first, shown: inner.rows, of: items.count, in: rect)
    }
}

extension Model {
    mutating func choose(_ index: Int, of menu: Menu) -> [Effect] {
        guard menu.items.indices.contains(index) else { return [] }
        let item = menu.items[index]
        if let reason = item.availability.reason {
            say(.warning, "\(item.title): \(reason)")
            return []
        }
        closeOverlay()
        switch item.choice {
        case .sort(let sort):
            navigation.withList { $0.show { $0.sort = sort } }
            return []
        case .copy(let form): return [.terminal(.copy(form.text, name: form.name))]
        case .action(let name): return perform(name)
        case .command(let command, let argument): return run(command, argument)
        case .endAlert(let alert):
            watching.alerts.remove(alert)
            say(.done, "alert removed: \(item.title)")
            return []
        case .theme(let name): return [.terminal(.theme(name))]
        case .column(let column, let change): return self.change(column, change, from: menu)
        case .value(let typed):
            if case .field(var editor) = menu.over {
                editor.choose(typed)
                overlay = .field(editor)
            }
            return []
        }
    }
}
