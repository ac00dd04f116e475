import TidelineCore

extension Action {
    static let moving: [Action] = [
        Action("down", "Next row", .moving) { model, call in
            model.move(by: call.count ?? 1)
            return []
        },
        Action("up", "Previous row", .moving) { model, call in
            model.move(by: -(call.count ?? 1))
            return []
        },
        Action("left", "Region to the left, out of an inner list", .moving) { model, _ in
            model.moveSideways(by: -1)
        },
        Action("right", "Region to the right", .moving) { model, _ in model.moveSideways(by: 1) },
        Action("first", "First row, or the row with the count", .moving) { model, call in
            model.moveToEnd(last: false, row: call.count)
            return []
        },
        Action("last", "Last row, or the row with the count", .moving) { model, call in
            model.moveToEnd(last: true, row: call.count)
            return []
        },
        Action("half-down", "Half a page down", .moving) { model, call in
            model.movePages(call.count ?? 1, half: true)
        },
        Action("half-up", "Half a page up", .moving) { model, call in
            model.movePages(-(call.count ?? 1), half: true)
        },
        Action("page-down", "A page down", .moving) { model, call in
            model.movePages(call.count ?? 1, half: false)
        },
        Action("page-up", "A page up", .moving) { model, call in
            model.movePages(-(call.count ?? 1), half: false)
        },
        Action("scroll-left", "Long texts: back to the left", .moving) { model, call in
            model.scrollSideways(by: -8, times: call.count ?? 1)
        },
        Action("scroll-right", "Long texts: on to the right", .moving) { model, call in
            model.scrollSideways(by: 8, times: call.count ?? 1)
        },
    ]

    static let panes: [Action] =
        (1...9).map { number in
            Action("pane-\(number)", "The tab of that number", .panes) { model, _ in
                model.showTab(number: number)
                return []
            }
        } + [
            Action("inspector", "All about the row", .panes) { model, _ in
                model.focus = .inspector
                return []
            },
            Action("events", "What happened", .panes) { model, _ in
                model.focus = .events
                return []
            },
            Action(
                "pane", "The tab of that name", .panes, argument: "NAME", when: hasPanes
            ) { model, call in
                model.showPane(named: call.argument)
                return []
            },
            Action("next-region", "Next region", .panes) { model, _ in
                model.cycleFocus(by: 1)
                return []
            },
            Action("previous-region", "Previous region", .panes) { model, _ in
                model.cycleFocus(by: -1)
                return []
            },
            Action("next-pane", "Next tab", .panes, when: hasPanes) { model, call in
                model.stepPane(by: call.count ?? 1)
            },
            Action("previous-pane", "Previous tab", .panes, when: hasPanes) { model, call in
                model.stepPane(by: -(call.count ?? 1))
            },
            Action("enter", "Open what is selected", .panes) { model, _ in model.open() },
            Action("back", "Back: out, unchoose, unfilter", .panes) { model, _ in model.back() },
            Action("zoom", "The region alone, or all again", .panes) { model, _ in
                model.isZoomed.toggle()
                return []
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
    fileprivate mutating func movePages(_ count: Int, half: Bool) -> [Effect] {
        let page = half ? max(1, pageHeight / 2) : max(1, pageHeight - 1)
        let (delta, overflow) = page.multipliedReportingOverflow(by: count)
        move(by: overflow ? (count > 0 ? .max : -.max) : delta)
        return []
    }

    fileprivate mutating func scrollSideways(by columns: Int, times: Int) -> [Effect] {
        let (delta, overflow) = columns.multipliedReportingOverflow(by: times)
        let limit = 100_000
        let step = overflow ? (columns > 0 ? limit : -limit) : max(-limit, min(limit, delta))
        if focus == .inspector {
            inspector.sideScroll = max(0, min(limit, inspector.sideScroll + step))
        } else {
            withList { $0.sideScroll = max(0, min(limit, $0.sideScroll + step)) }
        }
        return []
    }

    fileprivate mutating func stepPane(by step: Int) -> [Effect] {
        let count = panes.count
        guard count > 0 else { return [] }
        showPane(((activePane + step % count) + count) % count)
        return []
    }
}
