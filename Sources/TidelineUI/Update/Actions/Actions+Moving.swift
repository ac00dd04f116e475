extension Action {
    static let moving: [Action] = [
        Action("down", "Next row", .moving) { model, call in model.move(by: call.count ?? 1) },
        Action("up", "Previous row", .moving) { model, call in model.move(by: -(call.count ?? 1)) },
        Action("left", "Focus left panel, or leave a nested list", .moving) { model, _ in
            model.moveSideways(by: -1)
        },
        Action("right", "Focus right panel", .moving) { model, _ in model.moveSideways(by: 1) },
        Action("first", "First row (with a count: that row)", .moving) { model, call in
            model.moveToEnd(last: false, row: call.count)
        },
        Action("last", "Last row (with a count: that row)", .moving) { model, call in
            model.moveToEnd(last: true, row: call.count)
        },
        Action("half-down", "Half a page down", .moving) { model, call in
            model.movePages(call.count ?? 1, half: true)
        },
        Action("half-up", "Half a page up", .moving) { model, call in
            model.movePages(-(call.count ?? 1), half: true)
        },
        Action("page-down", "Page down", .moving) { model, call in
            model.movePages(call.count ?? 1, half: false)
        },
        Action("page-up", "Page up", .moving) { model, call in
            model.movePages(-(call.count ?? 1), half: false)
        },
        Action("scroll-left", "Scroll left: columns, then long texts", .moving) { model, call in
            model.scrollSideways(by: -8, times: call.count ?? 1)
        },
        Action("scroll-right", "Scroll right: columns, then long texts", .moving) { model, call in
            model.scrollSideways(by: 8, times: call.count ?? 1)
        },
        .change(
            "next-section", "Next section of the inspector", .moving,
            unless: \.whyNoSections
        ) { model, call in model.moveBySections(call.count ?? 1) },
        .change(
            "previous-section", "Previous section of the inspector", .moving,
            unless: \.whyNoSections
        ) { model, call in model.moveBySections(-(call.count ?? 1)) },
    ]

    static let panes: [Action] =
        (1...9).map { number in
            Action("pane-\(number)", "Open tab \(number)", .panes) { model, _ in
                model.showPane(number: number)
            }
        } + [
            .change("inspector", "Show details in the inspector", .panes) { model, _ in
                model.panels.focus = .inspector
            },
            .change("events", "Events", .panes) { model, _ in model.panels.focus = .events },
            .change(
                "pane", "Open a tab by name", .panes, argument: "NAME", unless: \.whyNoPanes
            ) { model, call in model.showPane(named: call.argument) },
            .change("next-region", "Next panel", .panes) { model, _ in model.cycleFocus(by: 1) },
            .change("previous-region", "Previous panel", .panes) { model, _ in
                model.cycleFocus(by: -1)
            },
            .change("next-pane", "Next tab", .panes, unless: \.whyNoPanes) { model, call in
                model.stepPane(by: call.count ?? 1)
            },
            .change("previous-pane", "Previous tab", .panes, unless: \.whyNoPanes) {
                model, call in model.stepPane(by: -(call.count ?? 1))
            },
            Action("enter", "Open selection", .panes) { model, _ in
                model.change(\.[model.panels.focus]) { $0.open(in: $1) }
            },
            Action("back", "Back: close, unmark or clear the filter", .panes) { model, _ in
                model.back()
            },
            Action("grow", "Grow panel", .panes) { model, call in
                model.resizePanel(by: 5 * min(call.count ?? 1, 20))
            },
            Action("shrink", "Shrink panel", .panes) { model, call in
                model.resizePanel(by: -5 * min(call.count ?? 1, 20))
            },
            .change("zoom", "Zoom panel", .panes) { model, _ in model.zoomPanel() },
        ]
}

extension Model {
    fileprivate mutating func move(by delta: Int) -> [Effect] {
        change(\.[panels.focus]) { $0.move(by: delta, in: $1) }
    }

    fileprivate mutating func moveToEnd(last: Bool, row: Int?) -> [Effect] {
        change(\.[panels.focus]) { $0.moveToEnd(last: last, row: row, in: $1) }
    }

    fileprivate mutating func movePages(_ count: Int, half: Bool) -> [Effect] {
        change(\.[panels.focus]) { module, context in
            let height = module.pageHeight(in: context)
            let step = half ? max(1, height / 2) : max(1, height - 1)
            return module.move(by: Self.times(count, step), in: context)
        }
    }

    fileprivate mutating func scrollSideways(by columns: Int, times: Int) -> [Effect] {
        change(\.[panels.focus]) { $0.scrollSideways(by: Self.times(times, columns), in: $1) }
    }

    fileprivate mutating func moveBySections(_ delta: Int) {
        let context = context
        guard !panelStates.inspector.moveBySections(delta, in: context) else { return }
        say(.info, delta > 0 ? "already at the last section" : "already at the first section")
    }

    private static func times(_ count: Int, _ step: Int) -> Int {
        let (product, overflow) = step.multipliedReportingOverflow(by: count)
        return overflow ? ((count > 0) == (step > 0) ? .max : -.max) : product
    }

    /// Steps through the tabs in header order; Events comes after the panes.
    fileprivate mutating func stepPane(by step: Int) {
        let count = navigation.panes.count + 1
        let shown = panels.focus == .events ? navigation.panes.count : navigation.activePane
        let target = shown.cycled(by: step, of: count)
        if target == navigation.panes.count { panels.focus = .events } else { showPane(target) }
    }
}
