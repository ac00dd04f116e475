import TidelineCore

extension Model {
    mutating func move(by delta: Int) {
        panels.focus.module.move(by: delta, in: &self)
    }

    mutating func moveToEnd(last: Bool, row: Int?) {
        panels.focus.module.moveToEnd(last: last, row: row, in: &self)
    }

    mutating func movePages(_ count: Int, half: Bool) {
        let height = panels.focus.module.pageHeight(in: self)
        move(by: Self.times(count, half ? max(1, height / 2) : max(1, height - 1)))
    }

    mutating func scrollSideways(by columns: Int, times: Int) {
        panels.focus.module.scrollSideways(by: Self.times(times, columns), in: &self)
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
