import TidelineCore

extension Model {
    mutating func move(by delta: Int) -> [Effect] {
        change(\.[panels.focus]) { $0.move(by: delta, in: $1) }
    }

    mutating func moveToEnd(last: Bool, row: Int?) -> [Effect] {
        change(\.[panels.focus]) { $0.moveToEnd(last: last, row: row, in: $1) }
    }

    mutating func movePages(_ count: Int, half: Bool) -> [Effect] {
        change(\.[panels.focus]) { module, context in
            let height = module.pageHeight(in: context)
            let step = half ? max(1, height / 2) : max(1, height - 1)
            return module.move(by: Self.times(count, step), in: context)
        }
    }

    mutating func scrollSideways(by columns: Int, times: Int) -> [Effect] {
        change(\.[panels.focus]) { $0.scrollSideways(by: Self.times(times, columns), in: $1) }
    }

    private static func times(_ count: Int, _ step: Int) -> Int {
        let (product, overflow) = step.multipliedReportingOverflow(by: count)
        return overflow ? ((count > 0) == (step > 0) ? .max : -.max) : product
    }

    /// Steps through the tabs in header order; Events comes after the panes.
    mutating func stepPane(by step: Int) {
        let count = navigation.panes.count + 1
        let shown = panels.focus == .events ? navigation.panes.count : navigation.activePane
        let target = ((shown + step % count) + count) % count
        if target == navigation.panes.count { panels.focus = .events } else { showPane(target) }
    }
}
