import Replication

extension Model {
    /// Requests missing data and sets the necessary timers.
    mutating func requestMissing() -> [Effect] {
        guard !Layout.isTooSmall(panels.size) else { return setAlarms(in: context) }
        var effects = groupIntoFolders() + requestIgnored() + landOnConflict() + requestParts()
        if !(overlay?.module is CommandPalette) { effects += requests.cancelPlaces() }
        var context = context
        effects += overlay?.module.request(in: context, &requests) ?? []
        for panel in Panel.allCases {
            effects += panelStates[panel].request(in: context, &requests)
            // Ask the list first, because the other panels show the rows that the list requests.
            context.navigation = navigation
        }
        return effects + previewTheme() + setAlarms(in: context)
    }

    /// Lets the session read the parts of events while there are alerts.
    private mutating func requestParts() -> [Effect] {
        guard watching.readsParts == watching.alerts.isEmpty else { return [] }
        watching.readsParts.toggle()
        return [.setReadsParts(watching.readsParts)]
    }

    private mutating func setAlarms(in context: ScreenContext) -> [Effect] {
        var effects: [Effect] = []
        if let change = watching.marks.nextChange(at: now) {
            // Update marks together if they change at about the same time.
            let delay = max(change, 100_000)
            let (at, overflow) = now.microseconds.addingReportingOverflow(delay)
            if !overflow, at < requests.alarms[.marks]?.microseconds ?? .max {
                effects.append(set(.marks, after: delay))
            }
        }
        if writing.isWritable, requests.alarms[.relock] == nil {
            let left = Self.relockAfter - max(0, now.microseconds(since: pendingInput.lastTime))
            effects.append(set(.relock, after: max(1_000_000, left)))
        }
        if pendingInput.waitsForStore, !pendingInput.waiting.isEmpty,
            requests.alarms[.opening] == nil
        {
            effects.append(set(.opening, after: Self.longestOpening))
        }
        if let change = nextAgeChange(in: context),
            change < requests.alarms[.ages] ?? .distantFuture
        {
            effects.append(set(.ages, after: max(1, change.microseconds(since: now))))
        }
        return effects
    }
}
