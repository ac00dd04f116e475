import TidelineCore

extension Model {
    /// Changes the state of a panel and carries out the other consequences.
    ///
    /// - Parameter panel: The place of the state: `\.timeline` or, of any panel, `\.[region]`.
    mutating func change<Panel>(
        _ panel: WritableKeyPath<Regions, Panel>,
        _ change: (inout Panel, ScreenContext) -> [ScreenOutcome]
    ) -> [Effect] {
        let context = context
        return apply(change(&regions[keyPath: panel], context))
    }

    /// Returns the reason why the own keys of a panel don't apply now; `nil` if they do. Those of
    /// the timeline, which can't have the focus, apply during time travel.
    func whyNoKeys(of region: Region) -> String? {
        if region == .timeline {
            let key = keymap.hint(for: "time")
            return time == nil ? "only available during time travel. Press \(key) to start" : nil
        }
        return panels.focus == region ? nil : "another panel has the focus"
    }

    /// Scrolls every panel to its selection.
    mutating func revealSelections() {
        let context = context
        for region in Region.allCases { regions[region].reveal(in: context) }
    }
}
