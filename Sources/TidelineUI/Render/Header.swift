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
        // Include the date if it isn't today, and seconds if they fit.
        let times = [14, 12].map {
            TimeText.text(
                instant, .short(columns: $0), at: model.now, offset: model.preferences.utcOffset)
        }
        let time = times.first { CharacterWidth.width(of: $0) <= left }
        return states + (time.map { [($0, .header)] } ?? [])
    }

    private(set) var parts: [(String, Role)]
    private(set) var tabs: [Tab] = []

    init(_ model: Model, in layout: Layout) {
        guard layout.kind != .bare else {
            parts = Self.states(of: model).flatMap { [$0, (" ", .header)] }
            addName(model)
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
        let whole = zip(keys, titles).map { $0 + $1 }
        let short = titles.indices.map { index in
            if targets[index] == .events { return key.isEmpty ? "Ev" : key }
            let others = titles.indices.dropLast().filter { $0 != index }.map { titles[$0] }
            return keys[index]
                + Self.start(of: titles[index], besides: others, least: keys[index].isEmpty ? 2 : 1)
        }
        // Show as many whole names as fit, and the other tabs by number and initials. The open tab
        // is shortened like the others, so that tabs stay in place when another one is opened.
        let forms =
            (0...titles.count).reversed().map { count in
                Array(whole.prefix(count) + short.dropFirst(count))
            } + [
                titles.indices.map {
                    targets[$0] == .events || numbers[$0].isEmpty ? short[$0] : numbers[$0]
                }
            ]
        let width = { (form: [String]) in
            form.reduce(0) { $0 + CharacterWidth.width(of: $1) + 1 }
        }
        let path = model.session.storeName
        // To make room for tabs, shorten in this order: a long store name, the program's name
        // (omitted), the names of tabs, and the store's name again.
        let heads =
            TextParts.shortened(path, columns: [24, 20, 16]).map {
                Self.parts(of: model, name: $0)
            }
            + TextParts.shortened(path, columns: [24, 16]).map {
                Self.parts(of: model, name: $0, hasTitle: false)
            }
        let shortest = TextParts.shortened(path, columns: [8]).map {
            Self.parts(of: model, name: $0, hasTitle: false)
        }
        // If nothing fits, show only the essential states.
        parts = shortest.last ?? []
        var choice: [String]?
        for (forms, heads) in [(forms[...], heads), (forms.suffix(2), shortest)] {
            for form in forms where choice == nil {
                let head = heads.first { parts in
                    width(form) + parts.reduce(0) { $0 + Look.columns(of: $1.0) }
                        <= model.panels.size.columns - 1
                }
                if let head { (choice, parts) = (form, head) }
            }
        }
        guard !model.navigation.panes.isEmpty, let form = choice else { return }
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

    /// Adds the number of conflicts and the store's name, if they fit, to the states on a small
    /// screen.
    private mutating func addName(_ model: Model) {
        guard !parts.isEmpty else { return }
        let width = { (parts: [(String, Role)]) in
            parts.reduce(0) { $0 + Look.columns(of: $1.0) }
        }
        let count = model.time == nil ? model.openConflictCount : 0
        if count > 0 { parts += [("≠\(count)", .conflict), (" ", .header)] }
        let left = model.panels.size.columns - width(parts)
        let name = TextParts.shortened(model.session.storeName, columns: [24, 16, 8])
            .first { CharacterWidth.width(of: $0) <= left }
        if let name { parts.append((name, .title)) }
    }

    /// Returns the shortest prefix of a title with which no other title starts, of at most three
    /// letters.
    private static func start(
        of title: String, besides others: [String], least: Int
    ) -> Substring {
        let counts = least...3
        let count = counts.first { count in
            !others.contains { $0.prefix(count).lowercased() == title.prefix(count).lowercased() }
        }
        return title.prefix(count ?? least)
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
            } else if model.panelStates.events.isPaused {
                add("PAUSED \(model.panelStates.events.heldCount) held", .badgePaused, &parts)
            } else {
                add("LIVE", .badgeLive, &parts)
            }
        case .missing:
            if model.time != nil { add("PAST", .badgePast, &parts) }
            add("MISSING", .error, &parts)
        case .failed(let failure): add("FAILED \(failure.reason)", .error, &parts)
        }
        if let export = model.requests.export {
            let key = model.preferences.keymap.hint(for: "back")
            add("EXPORT \(export.percent)% (\(key): cancel)", .progress, &parts)
        }
        if let running = model.commands.running {
            let key = model.preferences.keymap.hint(for: "back")
            let title = running.command.title
            let short = title.count > 20 ? title.prefix(19) + "…" : title[...]
            add("RUN \(short) (\(key): cancel)", .progress, &parts)
        }
        if let unsaved = status.unsaved {
            add("UNSAVED \(unsaved.subjects.count)", .badgePaused, &parts)
        }
        if model.panelStates.list.isFollowing { add("FOLLOW", .badgeLive, &parts) }
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
        if model.panelStates.events.unseenAlerts > 0 {
            add("◆\(model.panelStates.events.unseenAlerts)", .warning, &parts)
        }
        // After all files have been checked, show the number of listed problems.
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
        let header = Header(model, in: layout)
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

    /// Returns the style of a role on the background of the header.
    private func styleOnHeader(_ role: Role) -> Style {
        let line = theme[.header]
        var style = theme[role]
        if line.attributes.contains(.reverse) {
            // Reversed text would turn its color into the background.
            style.foreground = line.foreground
            style.attributes.insert(.reverse)
        }
        let own = style.without(colorsOf: surface.blank)
        if own.background == .default { style.background = line.background }
        if own.foreground == .default { style.foreground = line.foreground }
        return style
    }
}
