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
    static func states(of screen: some ScreenState) -> [(String, Role)] {
        let shown: Set<Role> = [.badgeWrite, .badgePast, .badgePaused, .error]
        let states = details(of: screen).filter { shown.contains($0.1) }
        guard let instant = screen.instant else { return states }
        let left = states.reduce(screen.panels.size.columns) {
            $0 - CharacterWidth.width(of: $1.0) - 1
        }
        // Include the date if it isn't today, and seconds if there is space.
        let times = [14, 12].map {
            TimeText.text(
                instant, .short(columns: $0), at: screen.now, offset: screen.preferences.utcOffset)
        }
        let time = times.first { CharacterWidth.width(of: $0) <= left }
        return states + (time.map { [($0, .header)] } ?? [])
    }

    /// A form of the tabs, with the texts before the store's name and that name's minimum width.
    private typealias Choice = (
        form: [String], isSpaced: Bool, head: [(String, Role)], least: Int
    )

    private(set) var parts: [(String, Role)]
    private(set) var tabs: [Tab] = []
    /// The screen columns of the separators between groups of tabs.
    private(set) var separators: [Int] = []

    init(_ screen: some ScreenState, in layout: Layout) {
        guard layout.kind != .bare else {
            parts = Self.states(of: screen).flatMap { [$0, (" ", .header)] }
            addName(screen)
            return
        }
        let targets = screen.navigation.panes.indices.map { Tab.Target.pane($0) } + [.events]
        let active =
            screen.panels.focus == .events
            ? screen.navigation.panes.count : screen.navigation.activePane
        let titles = screen.navigation.panes.map(\.lists[0].source.title) + ["Events"]
        let numbers = screen.navigation.panes.map { $0.number.map(String.init) ?? "" }
        let key = screen.keymap.hint(for: "events")
        // A space separates the key of Events, which is a letter, from the name.
        let keys = numbers + [key.isEmpty ? "" : key + " "]
        let whole = zip(keys, titles).map { $0 + $1 }
        let short = titles.indices.map { index in
            if targets[index] == .events { return key.isEmpty ? "Ev" : key }
            let others = titles.indices.dropLast().filter { $0 != index }.map { titles[$0] }
            return keys[index]
                + Self.start(of: titles[index], besides: others, least: keys[index].isEmpty ? 2 : 1)
        }
        let bare = titles.indices.map {
            targets[$0] == .events || numbers[$0].isEmpty ? short[$0] : numbers[$0]
        }
        // Show as many whole names as fit, and the other tabs by number and initials. If these
        // don't fit either, leave out the initials of the last tabs. The open tab is shortened like
        // the others, so that tabs stay in place when the user opens another tab.
        let named: [[String]] = titles.indices.reversed().map { count in
            Array(whole.prefix(count + 1) + short.dropFirst(count + 1))
        }
        let initials: [[String]] = (0...titles.count).reversed().map { count in
            Array(short.prefix(count) + bare.dropFirst(count))
        }
        let starts = Self.separatedTabs(of: screen.navigation)
        func width(_ form: [String], isSpaced: Bool) -> Int {
            form.reduce(isSpaced ? 2 * starts.count : 0) {
                $0 + CharacterWidth.width(of: $1) + 1
            }
        }
        // To make room for tabs, shorten in this order: the gaps around separators, a long store
        // name, the program's name (omitted), the names of tabs, and the store's name again. A
        // separator without gaps replaces the space between two tabs.
        let title: [(String, Role)] = [("Tideline ", .header)]
        let place = Self.place(of: screen)
        var choices: [Choice] = [(whole, true, title + place, 16)]
        for form in named + initials {
            choices.append((form, false, title + place, 16))
            choices.append((form, false, place, 16))
        }
        for form in initials { choices.append((form, false, place, 8)) }
        let details = Self.details(of: screen)
        let (name, columns) = (screen.session.storeName, screen.panels.size.columns)
        let others = Look.columns(of: details) + 2
        func room(_ choice: Choice) -> Int {
            columns - width(choice.form, isSpaced: choice.isSpaced)
                - Look.columns(of: choice.head) - others
        }
        let nameWidth = CharacterWidth.width(of: name)
        let fitting = choices.first { room($0) >= min(nameWidth, $0.least) }
        // If nothing fits, show only the essential states.
        let nameColumns = fitting.map { room($0) } ?? 8
        parts = fitting?.head ?? place
        parts.append((TextParts.start(of: name, columns: nameColumns), .title))
        parts += [(" ", .header)] + details
        guard !screen.navigation.panes.isEmpty, let choice = fitting else { return }
        var column = columns - width(choice.form, isSpaced: choice.isSpaced)
        for (index, text) in choice.form.enumerated() {
            if starts.contains(index) {
                separators.append(choice.isSpaced ? column : column - 1)
                if choice.isSpaced { column += 2 }
            }
            let end = column + CharacterWidth.width(of: text)
            tabs.append(
                Tab(
                    target: targets[index], text: text, isActive: index == active,
                    range: column..<end))
            column = end + 1
        }
    }

    /// Returns the indices of the tabs with a separator before them: the first tab of each group of
    /// panes, and Events. If there is only one group, there are no separators.
    private static func separatedTabs(of navigation: Navigation) -> Set<Int> {
        let starts = navigation.panes.indices.filter { navigation.startsGroup($0) }
        return Set(starts.isEmpty ? [] : starts + [navigation.panes.count])
    }

    /// Adds the number of conflicts and the store's name, if they fit, on a small screen.
    private mutating func addName(_ screen: some ScreenState) {
        guard !parts.isEmpty else { return }
        let count = screen.instant == nil ? screen.openConflictCount : 0
        if count > 0 { parts += [("≠\(Counted.grouped(count))", .conflict), (" ", .header)] }
        let left = screen.panels.size.columns - Look.columns(of: parts)
        let name = screen.session.storeName
        guard left >= min(CharacterWidth.width(of: name), 8) else { return }
        parts.append((TextParts.start(of: name, columns: left), .title))
    }

    /// Returns the shortest prefix of a title, of `least` to three characters, that no other title
    /// has. If there is none, returns the first `least` characters.
    private static func start(
        of title: String, besides others: [String], least: Int
    ) -> Substring {
        let counts = least...3
        let count = counts.first { count in
            !others.contains { $0.prefix(count).lowercased() == title.prefix(count).lowercased() }
        }
        return title.prefix(count ?? least)
    }

    func tab(at column: Int) -> Tab? {
        tabs.first { $0.range.contains(column) }
    }

    /// Returns the number of the store if several are open.
    private static func place(of screen: some ScreenState) -> [(String, Role)] {
        let stores = screen.session.stores
        guard stores.names.count > 1 else { return [] }
        return [("\(stores.shown + 1)/\(stores.names.count) ", .header)]
    }

    /// Returns the states and the counts after the store's name.
    private static func details(of screen: some ScreenState) -> [(String, Role)] {
        let status = screen.session.status
        var parts: [(String, Role)] = []
        func add(_ text: String, _ role: Role) { parts += [(text, role), (" ", .header)] }
        if screen.writing.isWritable {
            add("[WRITE]", .badgeWrite)
        } else {
            add("[RO]", .badgeReadOnly)
        }
        switch status.phase {
        case .loading(let stage, let fraction):
            let share = fraction.map { " " + TextParts.percent($0) } ?? ""
            add("LOADING \(stage)\(share)", .progress)
        case .live:
            if screen.instant != nil {
                add("PAST", .badgePast)
            } else if let count = screen.events.heldCount {
                add("PAUSED \(Counted.grouped(count)) held", .badgePaused)
            } else {
                add("LIVE", .badgeLive)
            }
        case .missing:
            if screen.instant != nil { add("PAST", .badgePast) }
            add("MISSING", .error)
        case .failed(let failure): add("FAILED \(failure.reason)", .error)
        }
        for work in screen.runningWork {
            add("\(work) (\(screen.keymap.hint(for: "back")): cancel)", .progress)
        }
        if let unsaved = status.unsaved {
            add("UNSAVED \(unsaved.subjects.count)", .badgePaused)
        }
        if screen.isFollowing { add("FOLLOW", .badgeLive) }
        if !status.devices.isEmpty { add("\(status.devices.count)dev", .header) }
        // The number of conflicts in the past is unknown.
        if screen.instant == nil {
            let isWhole = status.hasCountedConflicts
            if screen.openConflictCount > 0 || !isWhole {
                let count = Counted.grouped(screen.openConflictCount)
                add("≠\(count)\(isWhole ? "" : "+")", .conflict)
            }
            if screen.watching.ignored.count > 0 {
                add("\(Counted.grouped(screen.watching.ignored.count)) ignored", .header)
            }
        }
        if screen.events.unseenAlerts > 0 {
            add("◆\(screen.events.unseenAlerts)", .warning)
        }
        // After all files have been checked, show the number of listed problems.
        let problems = max(screen.session.problemCount, status.foundCount)
        if problems > 0 { add("!\(problems)", .problem) }
        return parts
    }
}

extension Screen {
    mutating func drawHeader() {
        guard let rect = layout.header else { return }
        surface.fill(rect, style: theme[.header])
        let header = Header(context, in: layout)
        var used = 0
        for (text, role) in header.parts where used < rect.columns {
            // The name is data, so only its ellipsis is replaced.
            let shown =
                role == .title
                ? text.replacing("…", with: surface.ellipsis) : theme.text(text)
            used += surface.put(
                shown, at: rect.origin.right(by: used),
                style: styleOnHeader(role), maxWidth: rect.columns - used)
        }
        for column in header.separators {
            surface.verticalLine(at: rect.point(column), rows: 1, style: styleOnHeader(.tab))
        }
        for tab in header.tabs {
            surface.put(
                tab.text.replacing("…", with: surface.ellipsis),
                at: rect.point(tab.range.lowerBound),
                style: styleOnHeader(tab.isActive ? .activeTab : .tab))
        }
    }

    private func styleOnHeader(_ role: Role) -> Style {
        let line = theme[.header]
        var style = theme[role]
        if line.attributes.contains(.reverse) {
            // In a reversed line, the text's own color would become its background.
            style.foreground = line.foreground
            style.attributes.insert(.reverse)
        }
        let own = style.without(colorsOf: surface.blank)
        if own.background == .default { style.background = line.background }
        if own.foreground == .default { style.foreground = line.foreground }
        return style
    }
}
