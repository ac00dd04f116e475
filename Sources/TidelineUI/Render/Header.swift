import TidelineCore

/// The first line of the screen, and the positions of its tabs.
struct Header {
    struct Tab {
        enum Target: Hashable {
            case pane(Int)
            case events
        }

        /// The tab's content.
        var target: Target
        var text: String
        var isActive: Bool
        /// The columns of the tab.
        var range: Range<Int>
    }

    /// States that must be visible at any size: write mode, time travel, a missing store.
    static func states(of model: Model) -> [(String, Role)] {
        let shown: Set<Role> = [.badgeWrite, .badgePast, .badgePaused, .error]
        let states = parts(of: model, name: "").filter { shown.contains($0.1) }
        guard let instant = model.instant else { return states }
        let left = states.reduce(model.panels.size.columns) {
            $0 - CharacterWidth.width(of: $1.0) - 1
        }
        // With the date if it isn't today, and with seconds, if they fit.
        let times = [14, 12].map {
            TimeText.text(
                instant, .short(columns: $0), at: model.now, offset: model.preferences.utcOffset)
        }
        let time = times.first { CharacterWidth.width(of: $0) <= left }
        return states + (time.map { [($0, .header)] } ?? [])
    }

    private(set) var parts: [(String, Role)]
    private(set) var tabs: [Tab] = []

    init(_ model: Model) {
        guard model.layout.kind != .bare else {
            parts = Self.states(of: model).flatMap { [$0, (" ", .header)] }
            return
        }
        let targets = model.navigation.panes.indices.map { Tab.Target.pane($0) } + [.events]
        let active =
            model.panels.focus == .events
            ? model.navigation.panes.count : model.navigation.activePane
        let titles = model.navigation.panes.map(\.lists[0].source.title) + ["Events"]
        let numbers = model.navigation.panes.map { $0.number.map(String.init) ?? "" }
        let key = model.preferences.keymap.hint(for: "events")
        // A digit is easy to distinguish from the name after it; the key of Events is a letter.
        let keys = numbers + [key.isEmpty ? "" : key + " "]
        // The longest names that fit. All names have the same maximum width, except that of the
        // open tab.
        let forms = [
            (99, 99), (6, 99), (5, 99), (5, 5), (4, 99), (4, 4), (3, 99), (3, 4), (2, 99), (2, 6),
            (2, 3), (1, 6), (1, 3), (0, 6),
        ].map { others, shown in
            titles.indices.map { index in
                let length = index == active ? shown : keys[index].isEmpty ? max(2, others) : others
                // A key letter is more useful than a second letter of the name.
                if targets[index] == .events, !key.isEmpty, length < 3 { return key }
                return keys[index] + Self.cut(titles[index], to: length)
            }
        }
        // Names are shortened to two letters at most.
        let longForms = forms.prefix(8)
        let width = { (form: [String]) in
            form.reduce(0) { $0 + CharacterWidth.width(of: $1) + 1 }
        }
        let path = model.session.storeName
        // To make room for tabs, first a long store name is shortened, then the program's name is
        // omitted, then the store's name.
        let long = TextParts.shortened(path, columns: [24, 20, 16])
        let names = TextParts.shortened(path, columns: [24, 16, 8])
        let tries = [
            (longForms, long, true), (longForms, names, false), (forms[...], names, false),
        ]
        // If nothing fits, the essential states stay in the line.
        parts = Self.parts(of: model, name: names.last ?? path, hasTitle: false)
        var choice: [String]?
        for (forms, names, hasTitle) in tries where choice == nil {
            let named = names.map { Self.parts(of: model, name: $0, hasTitle: hasTitle) }
            let free = named.map { parts in
                parts.reduce(model.panels.size.columns - 1) { $0 - Look.columns(of: $1.0) }
            }
            for form in forms where choice == nil {
                guard let place = free.firstIndex(where: { width(form) <= $0 }) else { continue }
                (choice, parts) = (form, named[place])
            }
        }
        guard !model.navigation.panes.isEmpty, var form = choice else { return }
        let used = parts.reduce(width(form)) { $0 + Look.columns(of: $1.0) }
        Self.complete(
            &form, to: zip(keys, titles).map { $0 + $1 },
            columns: model.panels.size.columns - 1 - used)
        var column = model.panels.size.columns - width(form)
        for (index, text) in form.enumerated() {
            let end = column + CharacterWidth.width(of: text)
            tabs.append(
                Tab(
                    target: targets[index], text: text, isActive: index == active,
                    range: column..<end))
            column = end + 1
        }
    }

    /// Shortened names end with an ellipsis, if there is space for more than a letter.
    private static func cut(_ name: String, to length: Int) -> String {
        if name.count <= length { return name }
        return length < 2 ? String(name.prefix(length)) : name.prefix(length - 1) + "…"
    }

    /// Gives remaining space to shortened names, completing those first that lack least.
    private static func complete(_ form: inout [String], to whole: [String], columns: Int) {
        let lacks = zip(whole, form).map {
            CharacterWidth.width(of: $0) - CharacterWidth.width(of: $1)
        }
        let cut = form.indices.filter { form[$0].hasSuffix("…") }
        var left = columns
        for index in cut.sorted(by: { (lacks[$0], $0) < (lacks[$1], $1) })
        where lacks[index] <= left {
            form[index] = whole[index]
            left -= lacks[index]
        }
    }

    /// Returns the tab at a column.
    func tab(at column: Int) -> Tab? {
        tabs.first { $0.range.contains(column) }
    }

    private static func parts(
        of model: Model, name: String, hasTitle: Bool = true
    ) -> [(String, Role)] {
        let status = model.session.status
        var parts: [(String, Role)] = [(name, .title), (" ", .header)]
        if hasTitle { parts.insert(("Tideline ", .header), at: 0) }
        if model.session.stores.names.count > 1 {
            let place = "\(model.session.stores.shown + 1)/\(model.session.stores.names.count) "
            parts.insert((place, .header), at: parts.count - 2)
        }
        let add = { (text: String, role: Role, parts: inout [(String, Role)]) in
            parts += [(text, role), (" ", .header)]
        }
        if model.writing.isWritable {
            add("[WRITE]", .badgeWrite, &parts)
        } else {
            add("[RO]", .badgeReadOnly, &parts)
        }
        switch status.phase {
        case .loading(let stage, let fraction):
            let share = fraction.map { " \(Int(max(0, min(1, $0)) * 100))%" } ?? ""
            add("LOADING \(stage)\(share)", .progress, &parts)
        case .live:
            if model.time != nil {
                add("PAST", .badgePast, &parts)
            } else if model.regions.events.isPaused {
                add("PAUSED \(model.regions.events.heldCount) held", .badgePaused, &parts)
            } else {
                add("LIVE", .badgeLive, &parts)
            }
        case .gone:
            if model.time != nil { add("PAST", .badgePast, &parts) }
            add("MISSING", .error, &parts)
        case .failed(let failure): add("FAILED \(failure.reason)", .error, &parts)
        }
        if let export = model.export {
            let key = model.preferences.keymap.hint(for: "back")
            add("EXPORT \(export.percent)% (\(key): cancel)", .progress, &parts)
        }
        if let unsaved = status.unsaved {
            add("UNSAVED \(unsaved.subjects.count)", .badgePaused, &parts)
        }
        if model.regions.list.isFollowing { add("FOLLOW", .badgeLive, &parts) }
        if !status.devices.isEmpty { add("\(status.devices.count)dev", .header, &parts) }
        // The number is current even during time travel.
        if model.time == nil {
            let isWhole = model.session.status.hasCountedConflicts
            if model.openConflictCount > 0 || !isWhole {
                add("≠\(model.openConflictCount)\(isWhole ? "" : "+")", .conflict, &parts)
            }
            if model.watching.ignored.count > 0 {
                add("\(model.watching.ignored.count) ignored", .header, &parts)
            }
        }
        if model.regions.events.unseenAlerts > 0 {
            add("◆\(model.regions.events.unseenAlerts)", .warning, &parts)
        }
        // Once all files have been checked, the number of listed problems.
        let problems = max(
            model.session.otherProblems.count + status.devices.filter { $0.problem != nil }.count,
            status.foundCount)
        if problems > 0 { add("!\(problems)", .problem, &parts) }
        return parts
    }
}

extension Screen {
    mutating func drawHeader() {
        guard let rect = layout.header else { return }
        surface.fill(rect, style: theme[.header])
        let header = Header(model)
        var used = 0
        for (text, role) in header.parts where used < rect.columns {
            used += surface.put(
                theme.text(text), at: Point(column: rect.column + used, row: rect.row),
                style: styleOnHeader(role), maxWidth: rect.columns - used)
        }
        for tab in header.tabs {
            surface.put(
                tab.text.replacing("…", with: surface.ellipsis),
                at: Point(column: tab.range.lowerBound, row: rect.row),
                style: styleOnHeader(tab.isActive ? .activeTab : .tab))
        }
    }

    /// The style of a role on the background of the header.
    private func styleOnHeader(_ role: Role) -> Style {
        let line = theme[.header]
        var style = theme[role]
        if line.attributes.contains(.reverse) {
            // Reversed text would turn its colour into the background.
            style.foreground = line.foreground
            style.attributes.insert(.reverse)
        }
        let own = style.without(colorsOf: surface.blank)
        if own.background == .default { style.background = line.background }
        if own.foreground == .default { style.foreground = line.foreground }
        return style
    }
}
