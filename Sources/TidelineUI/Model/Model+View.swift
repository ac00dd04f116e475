import Replication
public import TidelineCore

/// How the screen of a store is left, and shown again the next time.
extension Model {
    /// Takes up what was left, as far as it does not need the panes.
    mutating func resume() {
        for (name, share) in keptView.shares {
            guard let region = Region.sharing.first(where: { $0.name == name })?.region else {
                continue
            }
            shares[region] = max(0, min(share, Region.shareRange.upperBound))
        }
        columnViews = keptView.columns ?? [:]
        recentPlaces = (keptView.places ?? []).compactMap(Place.init)
        for text in keptView.alerts {
            if let alert = Alert(text) { alerts.insert(alert) }
        }
    }

    /// The list of a pane that appears, as it was left, with the columns that a person wants.
    mutating func newList(of info: PaneInfo) -> ListState {
        var query = RowQuery()
        query.instant = instant
        if let left = keptView.lists[info.id.text] {
            query.filter = left.filter
            if let sort = left.sort, info.source.columns.contains(where: { $0.id == sort }) {
                query.sort = .init(column: sort, isDescending: left.isDescending)
            }
        }
        var list = ListState(source: info.source, query: query)
        list.columnView = columnViews[columnKey(of: list, in: info.id)] ?? list.columnView
        if let row = leftRows.removeValue(forKey: info.id) {
            list.want(.row(row), for: .reveal(row))
            list.isTouched = true
        }
        guard let wanted = columns[info.id.text] ?? columns[info.id.name] else { return list }
        list.wantedColumns = wanted.names
        let known = info.source.columns.flatMap { [$0.id, $0.title.lowercased()] }
        if let wrong = wanted.names.first(where: { !known.contains($0) }) {
            let names = info.source.columns.map(\.typedName).joined(separator: ", ")
            say(
                .warning,
                "\(wanted.place): \(info.source.title) has no column “\(wrong)”; there are \(names)"
            )
        }
        return list
    }

    /// How many rows a list has without its filter: as many as were counted last.
    func totalWithoutFilter(of list: ListState) -> Int? {
        guard time == nil, let pane, pane.lists.count == 1 else { return list.wholeTotal }
        return status.counts[pane.id] ?? list.wholeTotal
    }

    /// The name under which the columns of a list are kept.
    func columnKey(of list: ListState, in pane: PaneID) -> String {
        "\(pane.text)/\(list.source.title)"
    }

    /// How the screen is to be left.
    public var view: StoreView {
        var view = keptView
        if pane?.id.text != panes.first?.id.text || keptView.pane != nil {
            view.pane = pane?.id.text ?? keptView.pane
        }
        if focus == .events { view.pane = Self.eventsName }
        for pane in panes {
            let query = pane.lists[0].latestQuery
            var list = StoreView.List()
            if pane.lists[0].filterProblem == nil { list.filter = query.filter }
            list.sort = query.sort?.column
            list.isDescending = query.sort?.isDescending ?? false
            view.lists[pane.id.text] = list == StoreView.List() ? nil : list
        }
        view.columns = columnViews
        let places = recentPlaces.compactMap(\.kept)
        view.places = places.isEmpty ? nil : places
        view.alerts = alerts.map(\.text).sorted()
        for (name, region) in Region.sharing where changedShares.contains(region) {
            view.shares[name] = shares[region]
        }
        return view
    }

    /// Why nothing can be done about stores beside this one; `nil` where there are some.
    var whyNoOtherStore: String? {
        guard stores.names.count <= 1 else { return nil }
        let key = keymap.hint(for: "palette")
        return "no other store is open; \(key)\(key.count == 1 ? "" : " ")open PATH opens one"
    }

    /// How the screen is to be left, where that is not kept already.
    public var changedView: StoreView? {
        let view = view
        return view == keptView ? nil : view
    }

    /// Leaves, and keeps how the screen was.
    mutating func ending(_ outcome: Outcome) -> [Effect] {
        isLeft = true
        return (changedView.map { [.keepView($0)] } ?? []) + [.terminal(.leave(outcome))]
    }

    /// Gives the region with the keys more or less of what it shares.
    mutating func resizeRegion(by step: Int) {
        let isLess = step < 0
        // What the list gains, the inspector loses.
        let (region, step) = focus == .list ? (.inspector, -step) : (focus, step)
        guard let name = Region.sharing.first(where: { $0.region == region })?.name else {
            return say(
                .info,
                "this region is as large as what it shows: only the inspector and the events can be resized"
            )
        }
        let isHidden = shares[region] == 0
        guard isHidden || !layout.isOneAtATime else {
            return say(
                .info, "only one region is shown in a window of this size: nothing to resize")
        }
        guard !isHidden || step > 0 else {
            return say(.info, "\(name) is not shown: \(keymap.hint(for: "grow")) shows it")
        }
        let usual = region == .events ? 40 : 33
        let range = Region.shareRange
        let before = (share: shares[region], place: layout.regions[region])
        var share = before.share ?? usual
        // By as many steps as move an edge: a small screen has few lines to give.
        repeat {
            let next = max(range.lowerBound, min(share + step, range.upperBound))
            if next == share { break }
            share = next
            shares[region] = share
        } while layout.regions[region] == before.place
        let isOne = region != .events
        let subject = focus == .list ? "the list" : "the \(name)"
        guard layout.regions[region] != before.place else {
            shares[region] = before.share
            let size = isLess ? "small" : "large"
            return say(
                .info,
                isOne
                    ? "\(subject) is as \(size) as it can be"
                    : "\(subject) are as \(size) as they can be")
        }
        changedShares.insert(region)
        let isWidth = layout.regions[region]?.columns != before.place?.columns
        // Events have their height beside the list, and their width beside other regions.
        let other =
            focus == .list ? "the inspector" : isOne || !isWidth ? "the list" : "what is beside"
        say(
            .info,
            "\(subject) \(isOne ? "has" : "have") \(focus == .list ? 100 - share : share)% of the "
                + "\(isWidth ? "width" : "height") shared with \(other)")
        for region in Region.allCases { region.module.reveal(in: &self) }
    }
}
