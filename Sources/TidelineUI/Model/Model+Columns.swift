import Foundation
import TidelineCore

extension Model {
    mutating func openColumnMenu() {
        if let list { overlay = Overlay(columnMenu(of: list)) }
    }

    private func columnMenu(of list: ListState, cursor: Int = 0) -> Menu {
        let hidden = list.source.columns.indices.filter {
            list.columnView.hidden.contains(list.source.columns[$0].id)
        }
        let columns = (list.visibleOrder + hidden).map { list.source.columns[$0] }
        let items = columns.map { columnItem(of: $0, in: list) }
        return Menu(title: "Columns", items: items, cursor: min(cursor, items.count - 1))
    }

    private func columnItem(of column: Column, in list: ListState) -> Menu.Item {
        let place = list.visibleOrder.firstIndex { list.source.columns[$0].id == column.id }
        var notes: [String] = []
        if place == nil { notes.append("hidden") }
        if let place, place < list.frozenCount { notes.append("frozen") }
        if let width = list.columnView.widths[column.id] { notes.append("width \(width)") }
        if let form = formTitle(of: column.id), list.source.formsOfColumns[column.id] != "number" {
            notes.append(form)
        }
        return Menu.Item(
            title: column.title, hint: notes.joined(separator: ", "),
            choice: .column(column.id, .choose))
    }

    /// Shows or hides the selected column of the menu. Every column keeps its place in the menu.
    mutating func toggleColumn() -> [Effect] {
        guard var menu = overlay?.module as? Menu else { return [] }
        func column(_ item: Menu.Item, _ list: ListState) -> Column? {
            guard case .column(let name, _) = item.choice else { return nil }
            return list.source.columns.first { $0.id == name }
        }
        guard let list, menu.items.indices.contains(menu.cursor),
            let selected = column(menu.items[menu.cursor], list)
        else { return [] }
        let isHidden = list.columnView.hidden.contains(selected.id)
        let effects = change(selected, isHidden ? .show : .hide, in: list)
        if let list = self.list {
            menu.items = menu.items.map { item in
                column(item, list).map { columnItem(of: $0, in: list) } ?? item
            }
            overlay = Overlay(menu)
        }
        return effects
    }

    private func formTitle(of column: String) -> String? {
        guard let list, let form = list.source.formsOfColumns[column] else { return nil }
        return list.source.numberForms.first { $0.id == form }?.title
    }

    private func openMenu(of column: Column, in list: ListState, over: Overlay?) -> Menu {
        let order = list.visibleOrder.map { list.source.columns[$0].id }
        var items: [Menu.Item] = []
        func add(
            _ title: String, _ change: ColumnChange, hint: String = "", _ reason: String? = nil
        ) {
            items.append(
                Menu.Item(
                    title: title, hint: hint, unavailable: reason,
                    choice: .column(column.id, change)))
        }
        if let place = order.firstIndex(of: column.id) {
            add("Hide", .hide, order.count > 1 ? nil : "it is the only column")
            if place < list.frozenCount {
                add("Unfreeze", .unfreeze)
            } else {
                add("Freeze columns up to here", .freeze)
            }
            let width = width(of: column, in: list)
            add("Wider", .width(min(400, width + 4)), hint: "width \(width)")
            add(
                "Narrower", .width(max(1, width - 4)),
                width > 1 ? nil : "already at the minimum width"
            )
            add("Fit to content", .width(nil))
        } else {
            add("Show", .show)
        }
        if list.source.formsOfColumns[column.id] != nil {
            add("Number format …", .chooseForm, hint: formTitle(of: column.id) ?? "")
        }
        add("Values by frequency", .frequency)
        return Menu(title: column.title, items: items, over: over)
    }

    private func width(of column: Column, in list: ListState) -> Int {
        let width = layout.inner(.list)?.columns ?? panels.size.columns
        let span = list.spans(width: width).first { list.source.columns[$0.index].id == column.id }
        return list.columnView.widths[column.id] ?? span?.range.count ?? column.width
            ?? column.minimumWidth
    }

    /// Applies a choice of the column menu. Choices that can be repeated keep the menu open.
    mutating func change(
        _ name: String, _ change: ColumnChange, from menu: Menu
    ) -> [Effect] {
        guard let list, let column = list.source.columns.first(where: { $0.id == name }) else {
            return []
        }
        switch change {
        case .choose: overlay = Overlay(openMenu(of: column, in: list, over: Overlay(menu)))
        case .frequency: return countValues(of: column, in: list)
        case .chooseForm:
            let now = list.source.formsOfColumns[name]
            let items = list.source.numberForms.map { form in
                Menu.Item(
                    title: form.title, hint: form.id == now ? "now" : form.id,
                    choice: .column(name, .form(form.id)))
            }
            overlay = Overlay(
                Menu(
                    title: "\(column.title): number format", items: items,
                    cursor: items.firstIndex { $0.hint == "now" } ?? 0, over: Overlay(menu)))
        default:
            let effects = self.change(column, change, in: list)
            if case .width(_?) = change, let list = self.list {
                var over = menu.over
                if let columns = over?.module as? Menu {
                    over = Overlay(columnMenu(of: list, cursor: columns.cursor))
                }
                var again = openMenu(of: column, in: list, over: over)
                again.cursor = min(menu.cursor, again.items.count - 1)
                overlay = Overlay(again)
            }
            return effects
        }
        return []
    }

    /// Applies the `column` command to a text: the name of a column and a change.
    mutating func changeColumn(_ text: String) -> [Effect] {
        guard let list else { return [] }
        func column(_ name: String) -> Column? { list.source.column(named: name) }
        // Names may contain spaces, but changes don't.
        let words = text.split(separator: " ").map(String.init)
        var name = words.joined(separator: " ")
        var wanted: String?
        if column(name) == nil, words.count > 1 {
            wanted = words.last
            name = words.dropLast().joined(separator: " ")
        }
        let column = column(name)
        if !name.isEmpty, column == nil {
            warnOfMissingColumn(name, in: list)
            return []
        }
        guard let wanted, let column,
            let change = ColumnChange(wanted, forms: list.source.numberForms)
        else {
            return say(
                .warning,
                ":column needs a name and one of hide, show, freeze, unfreeze, natural, a width or "
                    + "a number format, for example: :column "
                    + "\((column ?? list.source.columns.first)?.typedName ?? "key") hide")
        }
        return self.change(column, change, in: list)
    }

    private mutating func warnOfMissingColumn(_ name: String, in list: ListState) {
        // Twelve names fill a line.
        let names = list.source.columns.prefix(12).map(\.typedName).joined(separator: ", ")
        say(.warning, "\(list.source.title) has no column “\(name)”; choose one of \(names)")
    }

    private mutating func change(
        _ column: Column, _ change: ColumnChange, in list: ListState
    ) -> [Effect] {
        var view = list.columnView
        var effects: [Effect] = []
        let order = list.visibleOrder.map { list.source.columns[$0].id }
        let place = order.firstIndex(of: column.id)
        let frozen = list.frozenCount
        switch change {
        case .hide:
            guard order.count > 1, place != nil else {
                return say(.warning, "\(column.title) is the only column, or already hidden")
            }
            view.hidden.insert(column.id)
            if let place, place < list.frozenCount { view.frozen = list.frozenCount - 1 }
        case .show: view.hidden.remove(column.id)
        case .freeze, .unfreeze:
            guard let place else {
                return say(.warning, "\(column.title) is hidden; show it first")
            }
            view.frozen = change == .freeze ? place + 1 : place
        case .width(let width): view.widths[column.id] = width
        case .form(let form):
            guard list.source.formsOfColumns[column.id] != nil else {
                return say(.warning, "\(column.title) has no other number formats")
            }
            view.forms[column.id] = form
            effects = [.showNumbers(list.source.id, [column.id: form])]
        case .choose, .chooseForm, .frequency: return []
        }
        if let pane { navigation.columnViews[navigation.columnKey(of: list, in: pane.id)] = view }
        navigation.withList { list in
            list.columnView = view
            // The frozen columns changed, so scrolling starts again.
            if list.frozenCount != frozen { list.columnScroll = 0 }
            list.columnScroll = min(
                list.columnScroll, max(0, list.visibleOrder.count - list.frozenCount - 1))
        }
        return effects
    }
}

// MARK: Values by frequency

extension Model {
    /// Applies the `frequency` command. Without a name, the user chooses the column in a menu.
    mutating func countValues(ofColumn name: String) -> [Effect] {
        guard let list else { return [] }
        let name = name.trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty else {
            let items = list.visibleOrder.map { list.source.columns[$0] }.map {
                Menu.Item(
                    title: $0.title.isEmpty ? $0.id : $0.title,
                    choice: .column($0.id, .frequency))
            }
            overlay = Overlay(Menu(title: "Values by frequency of", items: items))
            return []
        }
        guard let column = list.source.column(named: name) else {
            warnOfMissingColumn(name, in: list)
            return []
        }
        return countValues(of: column, in: list)
    }

    private mutating func countValues(of column: Column, in list: ListState) -> [Effect] {
        let id = requests.wait(for: .frequency, of: list.source.id)
        let key = keymap.hint(for: "back")
        say(.info, "counting the values of \(column.typedName) … (\(key): cancel)")
        return [.frequency(id, list.source.id, list.latestQuery, column)]
    }
}

extension SourceInfo {
    /// Returns the column with this identifier or title.
    fileprivate func column(named name: String) -> Column? {
        info.columns.first { $0.id == name || $0.title.lowercased() == name.lowercased() }
    }
}

extension Column {
    /// The name that users type: the title if it is one word, and otherwise the identifier.
    var typedName: String {
        title.isEmpty || title.contains(" ") || title.lowercased() == id.lowercased()
            ? id : title.lowercased()
    }
}
