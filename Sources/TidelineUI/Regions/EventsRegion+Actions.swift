import Foundation
import TidelineCore

extension EventsRegion {
    static let actions: [Action] = [
        .change("follow", "Follow what is new", .live, when: canFollow) { model, _ in
            model.toggleFollowing()
        },
        Action("pause", "Hold what arrives, or let it in", .live) { model, _ in
            if !model.events.isPaused {
                model.events.isPaused = true
                return []
            }
            let (held, count) = model.events.release()
            let effects = held.flatMap { model.apply($0.event, isAlert: $0.isAlert) }
            if count > 0 {
                model.say(.info, "\(count) held \(count == 1 ? "event" : "events") let in")
            }
            return effects
        },
        .change(
            "alert", "Ring when something of it arrives", .live,
            argument: "[NAME, FORM* or device:NAME]"
        ) { model, call in model.toggleAlert(call.argument.trimmingCharacters(in: .whitespaces)) },
        .change("alerts", "What rings, to end it", .live, when: hasAlerts) { model, _ in
            model.openAlertMenu()
        },
        Action("reload", "Read what is new, now", .live) { model, _ in
            model.version += 1
            model.say(.info, "reading again …")
            return [.reload]
        },
    ]

    @Sendable private static func hasAlerts(_ model: Model) -> Availability {
        guard model.alerts.isEmpty else { return .available }
        let key = model.keymap.hint(for: "alert")
        return .unavailable(because: "nothing rings: \(key) rings when what is selected is written")
    }

    @Sendable private static func canFollow(_ model: Model) -> Availability {
        if let whyPast = model.whyPast { return .unavailable(because: whyPast) }
        return Action.hasPanes(model)
    }
}

extension Model {
    fileprivate mutating func toggleFollowing() {
        browsing.isFollowing.toggle()
        guard browsing.isFollowing else { return }
        focus = .list
        switch list?.source.newestEnd {
        case .first: selectInList(0)
        case .last: selectInList(.max)
        case nil: say(.info, "the selection goes to rows as they change")
        }
    }
}
