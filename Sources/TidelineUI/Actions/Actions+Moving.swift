import TidelineCore

extension Action {
    static let moving: [Action] = [
        .change("down", "Next row", .moving) { model, call in model.move(by: call.count ?? 1) },
        .change("up", "Previous row", .moving) { model, call in model.move(by: -(call.count ?? 1))
        },
        Action("left", "Focus left panel, or leave a nested list", .moving) { model, _ in
            model.moveSideways(by: -1)
        },
        Action("right", "Focus right panel", .moving) { model, _ in model.moveSideways(by: 1) },
        .change("first", "First row, or the row number typed before", .moving) { model, call in
            model.moveToEnd(last: false, row: call.count)
        },
        .change("last", "Last row, or the row number typed before", .moving) { model, call in
            model.moveToEnd(last: true, row: call.count)
        },
        .change("half-down", "Half a page down", .moving) { model, call in
            model.movePages(call.count ?? 1, half: true)
        },
        .change("half-up", "Half a page up", .moving) { model, call in
            model.movePages(-(call.count ?? 1), half: true)
        },
        .change("page-down", "Page down", .moving) { model, call in
            model.movePages(call.count ?? 1, half: false)
        },
        .change("page-up", "Page up", .moving) { model, call in
            model.movePages(-(call.count ?? 1), half: false)
        },
        .change("scroll-left", "Scroll left: columns, then long texts", .moving) { model, call in
            model.scrollSideways(by: -8, times: call.count ?? 1)
        },
        .change("scroll-right", "Scroll right: columns, then long texts", .moving) { model, call in
            model.scrollSideways(by: 8, times: call.count ?? 1)
        },
    ]

    static let panes: [Action] =
        (1...9).map { number in
            Action("pane-\(number)", "Open tab \(number)", .panes) { model, _ in
                model.showPane(number: number)
            }
        } + [
            .change("inspector", "Show details", .panes) { model, _ in
                model.panels.focus = .inspector
            },
            .change("events", "Events", .panes) { model, _ in model.panels.focus = .events },
            .change(
                "pane", "Open a tab by name", .panes, argument: "NAME", when: hasPanes
            ) { model, call in model.showPane(named: call.argument) },
            .change("next-region", "Next panel", .panes) { model, _ in model.cycleFocus(by: 1) },
            .change("previous-region", "Previous panel", .panes) { model, _ in
                model.cycleFocus(by: -1)
            },
            .change("next-pane", "Next tab", .panes, when: hasPanes) { model, call in
                model.stepPane(by: call.count ?? 1)
            },
            .change("previous-pane", "Previous tab", .panes, when: hasPanes) { model, call in
                model.stepPane(by: -(call.count ?? 1))
            },
            Action("enter", "Open selection", .panes) { model, _ in
                model.panels.focus.module.open(in: &model)
            },
            Action("back", "Back: close, unmark or clear the filter", .panes) { model, _ in
                model.back()
            },
            .change("grow", "Grow panel", .panes) { model, call in
                model.resizeRegion(by: 5 * min(call.count ?? 1, 20))
            },
            .change("shrink", "Shrink panel", .panes) { model, call in
                model.resizeRegion(by: -5 * min(call.count ?? 1, 20))
            },
            .change("zoom", "Zoom panel", .panes) { model, _ in
                model.panels.isZoomed.toggle()
            },
        ]

    @Sendable static func hasPanes(_ model: Model) -> Availability {
        model.navigation.panes.isEmpty ? .unavailable(because: "nothing is open yet") : .available
    }

    @Sendable static func hasRow(_ model: Model) -> Availability {
        if let reason = model.rowsAreElsewhere { return .unavailable(because: reason) }
        if model.list?.selectedRow != nil { return .available }
        return .unavailable(because: "no row is selected")
    }
}
