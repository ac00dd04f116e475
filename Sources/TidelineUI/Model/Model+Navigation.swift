import Replication
import TidelineCore

extension Model {
    /// A line of the sidebar that can be selected.
    enum SidebarItem: Hashable, Sendable {
        case room(Int)
        case device(SessionStatus.Device)
    }

    var sidebarItems: [SidebarItem] {
        rooms.indices.map { .room($0) } + status.devices.map { .device($0) }
    }

    /// Shows a room and gives its list the focus.
    mutating func showRoom(_ index: Int) {
        guard rooms.indices.contains(index) else { return }
        if index != activeRoom { isFollowing = false }
        activeRoom = index
        focus = .list
        sidebarCursor = index
    }

    /// What a number key shows: rooms in their order, then the events.
    mutating func showPane(number: Int) {
        if number == rooms.count + 1 {
            focus = .events
        } else if rooms.indices.contains(number - 1) {
            showRoom(number - 1)
        } else if !rooms.isEmpty {
            say(.info, "there is no tab \(number) here")
        }
    }

    /// Shows the first tab whose name, or whose title, begins with a text.
    mutating func showRoom(named text: String) {
        let text = text.trimmingPrefix(while: \.isWhitespace).lowercased()
        guard !text.isEmpty else { return }
        let names = rooms.map { [$0.id.name, $0.lists[0].source.title.lowercased()] }
        if let index = names.firstIndex(where: { $0.contains { $0.hasPrefix(text) } }) {
            showRoom(index)
        } else if "events".hasPrefix(text) {
            focus = .events
        } else {
            let known = rooms.map(\.id.name).joined(separator: ", ")
            say(.warning, "no tab is called \(text); there are \(known), events")
        }
    }

    /// The key that shows a tab: its number, where there is a key for it; for the events, which
    /// come last, at least their own.
    func tabKey(_ number: Int) -> String {
        if number <= 9 { return String(number) }
        return number == rooms.count + 1 ? keymap.hint(for: "events") : ""
    }

    /// Moves the focus to the next pane; where one is shown at a time, to any pane.
    mutating func cycleFocus(by step: Int) {
        let layout = layout
        let isOneAtATime = layout.panes.count <= 1
        let panes = Layout.order.filter { isOneAtATime || layout.panes[$0] != nil }
        let index = panes.firstIndex(of: focus) ?? 0
        guard !panes.isEmpty else { return }
        focus = panes[((index + step) % panes.count + panes.count) % panes.count]
    }

    /// Moves the focus to the pane beside; at the left end out of an inner list.
    mutating func moveSideways(by step: Int) -> [Effect] {
        let layout = layout
        let row: [Pane] = [.sidebar, .list, .inspector]
        let place = focus == .events ? .list : focus
        guard let index = row.firstIndex(of: place) else { return [] }
        let target = index + step
        if focus == .list, step < 0, rooms.indices.contains(activeRoom),
            rooms[activeRoom].lists.count > 1
        {
            return back()
        }
        guard row.indices.contains(target) else { return [] }
        if layout.panes.count <= 1, row[target] == .sidebar { return [] }
        if layout.panes.count > 1, layout.panes[row[target]] == nil { return [] }
        focus = row[target]
        return []
    }

    /// Opens what is selected: a room, the list inside a row, a conflict, the inspector, a link.
    mutating func open() -> [Effect] {
        switch focus {
        case .sidebar: return openSidebarItem()
        case .events:
            guard let line = selectedFeedLine, let link = line.link else {
                say(.info, "this event leads to no row")
                return []
            }
            return follow(link)
        case .inspector:
            guard let link = inspector.selectedLine?.link else {
                say(.info, "this line leads nowhere")
                return []
            }
            return follow(link)
        case .list:
            guard let list, let row = list.selectedRow else { return [] }
            if row.isConflict, !list.source.conflictsHoldLists { return openConflict() }
            let id = newRequest()
            awaited = Awaited(id: id, source: list.source.id, purpose: .open(row.id))
            return [.open(id, list.source.id, row.id, at: list.query.instant)]
        }
    }

    var selectedFeedLine: Feed.Line? {
        let index = feed.lines.count - 1 - feed.cursor
        return feed.lines.indices.contains(index) ? feed.lines[index] : nil
    }

    private mutating func openSidebarItem() -> [Effect] {
        let items = sidebarItems
        guard items.indices.contains(sidebarCursor) else { return [] }
        switch items[sidebarCursor] {
        case .room(let index):
            showRoom(index)
            return []
        case .device(let device): return showDevice(device.id.name)
        }
    }

    /// Filters the list by a device.
    mutating func showDevice(_ name: String) -> [Effect] {
        guard let list else { return [] }
        guard list.source.filterFields.contains(where: { $0.name == "device" }) else {
            say(.warning, "\(list.source.title) cannot be filtered by device")
            return []
        }
        var query = list.latestQuery
        query.filter = "device:" + (name.contains(" ") ? "\"\(name)\"" : name)
        withList { $0.show(query) }
        focus = .list
        return []
    }

    /// Goes to a row of some room, and remembers the way back.
    mutating func follow(_ link: Detail.Link) -> [Effect] {
        guard let index = rooms.firstIndex(where: { $0.id == link.room }) else {
            say(.warning, "there is no room called \(link.room.name) here")
            return []
        }
        let origin = room.map {
            Place(room: $0.id, depth: $0.lists.count, row: $0.list.cursorID)
        }
        showRoom(index)
        let effects = leaveInnerLists(of: index, keeping: 1)
        if let origin, origin.room != link.room || origin.row != link.row {
            trail.append(origin)
            if trail.count > 100 { trail.removeFirst() }
        }
        goTo(link.row)
        return effects
    }

    /// Selects a row of the list by its identity.
    mutating func goTo(_ row: RowID) {
        let height = layout.listHeight
        withList { list in
            list.isTouched = true
            if let index = list.index(of: row), list.wanted == nil, list.pending == nil {
                list.select(index)
                list.reveal(height: height)
            } else {
                list.wanted = .init(
                    query: list.latestQuery, position: .row(row), purpose: .goTo(row))
            }
        }
    }

    /// Takes back one step of the way here.
    mutating func back() -> [Effect] {
        if focus != .list {
            focus = .list
            return []
        }
        guard let list else { return [] }
        if list.rangeAnchor != nil || !list.chosen.isEmpty {
            withList {
                $0.rangeAnchor = nil
                $0.chosen = []
            }
            return []
        }
        if let room, room.lists.count > 1 {
            return leaveInnerLists(of: activeRoom, keeping: room.lists.count - 1)
        }
        if let place = trail.popLast() {
            guard let index = rooms.firstIndex(where: { $0.id == place.room }) else { return [] }
            showRoom(index)
            if let row = place.row, rooms[index].lists.count == place.depth { goTo(row) }
            return []
        }
        if !list.latestQuery.filter.isEmpty {
            setFilter("")
            return []
        }
        if !list.searchText.isEmpty {
            withList { $0.searchText = "" }
            return []
        }
        if time != nil { return leavePast() }
        say(.info, "\(keymap.hint(for: "quit")) quits")
        return []
    }

    /// Closes lists that were opened inside rows.
    mutating func leaveInnerLists(of room: Int, keeping count: Int) -> [Effect] {
        guard rooms.indices.contains(room), rooms[room].lists.count > count, count > 0 else {
            return []
        }
        let left = rooms[room].lists[count...]
        rooms[room].lists.removeSubrange(count...)
        return left.compactMap { $0.pending.map { .cancel($0.id) } }
            + [.release(left.map(\.source.id))]
    }

    /// Shows a list that was opened inside a row.
    mutating func enter(_ source: SourceInfo) {
        guard rooms.indices.contains(activeRoom) else { return }
        var query = RowQuery()
        query.instant = instant
        rooms[activeRoom].lists.append(ListState(source: source, query: query))
        focus = .list
    }

    mutating func setFilter(_ text: String) {
        guard let list else { return }
        var query = list.latestQuery
        query.filter = text
        withList {
            $0.filterProblem = nil
            $0.show(query)
        }
    }
}
