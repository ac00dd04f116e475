import Foundation
import TidelineCore

extension Action {
    static let live: [Action] = [
        .change(
            "follow", "Follow new rows", .live, unless: { $0.whyPast ?? $0.whyNoPanes }
        ) { model, _ in toggleFollowing(in: &model) },
        Action("pause", "Pause events, or resume", .live) { model, _ in
            if !model.panelStates.events.isPaused {
                model.panelStates.events.isPaused = true
                // During time travel, the header doesn't show that events are paused.
                if model.time != nil {
                    let key = model.keymap.hint(for: "pause")
                    model.say(.info, "events are paused; press \(key) to resume")
                }
                return []
            }
            let (held, count) = model.panelStates.events.release()
            let effects = held.flatMap { model.apply($0.event, isAlert: $0.isAlert) }
            if count > 0 {
                model.say(.info, "\(Counted.text(count, "held event")) released")
            }
            return effects
        },
        Action(
            "alert", "Alert on changes of the selection", .live,
            argument: "[NAME*, value>9 or device:NAME]"
        ) { model, call in model.toggleAlert(call.argument.trimmingCharacters(in: .whitespaces)) },
        .change("alerts", "Alerts", .live, unless: whyNoAlerts) { model, _ in
            model.openAlertMenu()
        },
        Action("reload", "Reload", .live) { model, _ in
            model.session.version += 1
            model.say(.info, "reloading …")
            return [.reload()]
        },
    ]

    @Sendable private static func whyNoAlerts(_ model: Model) -> String? {
        guard model.watching.alerts.isEmpty else { return nil }
        let key = model.keymap.hint(for: "alert")
        return "no alerts; press \(key) to add one"
    }

    private static func toggleFollowing(in model: inout Model) {
        model.panelStates.list.isFollowing.toggle()
        guard model.panelStates.list.isFollowing else { return }
        model.panels.focus = .list
        if model.list?.startsWithNewest == true {
            model.selectInList(0)
        } else {
            model.say(.info, "following changes: the selection moves to each changed row")
        }
    }
}
