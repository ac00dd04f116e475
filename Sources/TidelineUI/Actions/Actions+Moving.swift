import TidelineCore

extension Action {
    static let moving: [Action] = [
        .change("down", "Next row", .moving) { model, call in model.move(by: call.count ?? 1) },
        .change("up", "Previous row", .moving) { model, call in model.move(by: -(call.count ?? 1))
        },
        Action("left", "Region to the left, out of an inner list", .moving) { model, _ in
            model.moveSideways(by: -1)
        },
        Action("right", "Region to the right", .moving) { model, _ in model.moveSideways(by: 1) },
        .change("first", "First row, or the row with the count", .moving) { model, call in
            model.moveToEnd(last: false, row: call.count)
        },
        .change("last", "Last row, or the row with the count", .moving) { model, call in
            model.moveToEnd(last: true, row: call.count)
        },
        .change("half-down", "Half a page down", .moving) { model, call in
            model.movePages(call.count ?? 1, half: true)
        },
        .change("half-up", "Half a page up", .moving) { model, call in
            model.movePages(-(call.count ?? 1), half: true)
        },
        .change("page-down", "A page down", .moving) { model, call in
            model.movePages(call.count ?? 1, half: false)
        },
        .change("page-up", "A page up", .moving) { model, call in
            model.movePages(-(call.count ?? 1), half: false)
        },
        .change("scroll-left", "Long texts: back to the left", .moving) { model, call in
            model.scrollSideways(by: -8, times: call.count ?? 1)
        },
        .change("scroll-right", "Long texts: on to the right", .moving) { model, call in
            model.scrollSideways(by: 8, times: call.count ?? 1)
        },
    ]

    static let panes: [Action] =
        (1...9).map { number in
            Action("pane-\(number)", "The tab of that number", .panes) { model, _ in
                model.showPane(number: number)
            }
        } + [
            .change("inspector", "All about the row", .panes) { model, _ in
                model.focus = .inspector
            },
            .change("events", "What happened", .panes) { model, _ in model.focus = .events },
            .change(
                "pane", "The tab of that name", .panes, argument: "NAME", when: hasPanes
            ) { model, call in model.showPane(named: call.argument) },
            .change("next-region", "Next region", .panes) { model, _ in model.cycleFocus(by: 1) },
            .change("previous-region", "Previous region", .panes) { model, _ in
                model.cycleFocus(by: -1)
            },
            .change("next-pane", "Next tab", .panes, when: hasPanes) { model, call in
                model.stepPane(by: call.count ?? 1)
            },
            .change("previous-pane", "Previous tab", .panes, when: hasPanes) { model, call in
                model.stepPane(by: -(call.count ?? 1))
            },
            Action("enter", "Open what is selected", .panes) { model, _ in
                model.focus.module.open(in: &model)
            },
            Action("back", "Back: out, unmark, unfilter", .panes) { model, _ in model.back() },
            .change("grow", "More of the screen for the region", .panes) { model, call in
                model.resizeRegion(by: 5 * min(call.count ?? 1, 20))
            },
            .change("shrink", "Less of the screen for the region", .panes) { model, call in
                model.resizeRegion(by: -5 * min(call.count ?? 1, 20))
            },
            .change("zoom", "The region alone, or all again", .panes) { model, _ in
                model.isZoomed.toggle()
            },
        ]

    @Sendable static func hasPanes(_ model: Model) -> Availability {
        model.panes.isEmpty ? .unavailable(because: "nothing is open yet") : .available
    }

    @Sendable static func hasRow(_ model: Model) -> Availability {
        if let reason = model.rowsAreElsewhere { return .unavailable(because: reason) }
        if model.list?.selectedRow != nil { return .available }
        return .unavailable(because: "no row is selected")
    }
}

extension Model {
    fileprivate mutating func move(by delta: Int) {
        focus.module.move(by: delta, in: &self)
    }

    fileprivate mutating func moveToEnd(last: Bool, row: Int?) {
        focus.module.moveToEnd(last: last, row: row, in: &self)
    }

    fileprivate mutating func movePages(_ count: Int, half: Bool) {
        let height = focus.module.pageHeight(in: self)
        move(by: Self.times(count, half ? max(1, height / 2) : max(1, height - 1)))
    }

    fileprivate mutating func scrollSideways(by columns: Int, times: Int) {
        focus.module.scrollSideways(by: Self.times(times, columns), in: &self)
    }

    private static func times(_ count: Int, _ step: Int) -> Int {
        let (product, overflow) = step.multipliedReportingOverflow(by: count)
        return overflow ? ((count > 0) == (step > 0) ? .max : -.max) : product
    }

    /// Goes through the tabs as they stand in the header: the events are behind the panes.
    fileprivate mutating func stepPane(by step: Int) {
        let count = panes.count + 1
        let shown = focus == .events ? panes.count : activePane
        let target = ((shown + step % count) + count) % count
        if target == panes.count { focus = .events } else { showPane(target) }
    }
}
