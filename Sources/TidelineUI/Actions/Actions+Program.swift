import Foundation
import Replication
import TidelineCore

extension Action {
    static let time: [Action] = [
        Action("time", "The past: see everything as it was", .time, when: hasPanes) { model, _ in
            model.time == nil ? model.enterPast() : model.leavePast()
        },
        Action("step-back", "The write before", .time, scope: .past) { model, _ in
            model.step(backwards: true, byDevice: false)
        },
        Action("step-forward", "The write after", .time, scope: .past) { model, _ in
            model.step(backwards: false, byDevice: false)
        },
        Action("device-back", "The write before, of the device", .time, scope: .past) { model, _ in
            model.step(backwards: true, byDevice: true)
        },
        Action("device-forward", "The write after, of the device", .time, scope: .past) {
            model, _ in model.step(backwards: false, byDevice: true)
        },
        Action("oldest", "The first write", .time, scope: .past) { model, _ in
            model.moveToEndOfTime(backwards: true)
        },
        Action("newest", "The last write", .time, scope: .past) { model, _ in
            model.moveToEndOfTime(backwards: false)
        },
        Action("now", "Back to now", .time, scope: .past) { model, _ in model.leavePast() },
        Action("previous-device", "Step by the device before", .time, scope: .past) { model, _ in
            model.chooseTimeDevice(by: -1)
            return []
        },
        Action("next-device", "Step by the device after", .time, scope: .past) { model, _ in
            model.chooseTimeDevice(by: 1)
            return []
        },
        Action(
            "restore", "Write again what the chosen rows had then", .time, scope: .past,
            when: { $0.canRestore }
        ) { model, _ in
            guard let list = model.list, let instant = model.instant else { return [] }
            return model.askPreview(
                .edit, source: list.source.id, [.restore(list.targets, at: instant)])
        },
        Action("mark-a", "Mark this instant as A", .time, scope: .past) { model, _ in
            let instant = model.time?.instant
            model.time?.markA = instant
            return []
        },
        Action("mark-b", "Mark this instant as B", .time, scope: .past) { model, _ in
            let instant = model.time?.instant
            model.time?.markB = instant
            return []
        },
        Action("compare", "What differs between A and B", .time, scope: .past, when: hasMarks) {
            model, _ in
            guard let a = model.time?.markA, let b = model.time?.markB else { return [] }
            return model.compare(a, b)
        },
        Action("at", "Go to an instant", .time, argument: "TIME", when: hasPanes) { model, call in
            guard let instant = model.instant(in: call.argument) else {
                model.say(.warning, "\(call.argument) is not a time: \(TimeText.examples)")
                return []
            }
            var effects: [Effect] = []
            if model.time == nil { effects = model.enterPast() }
            model.moveInTime(to: instant)
            return effects
        },
        Action("diff", "What differs between two instants", .time, argument: "A B", when: hasPast) {
            model, call in
            let words = call.argument.split(separator: " ").map(String.init)
            let instants = words.compactMap { model.instant(in: $0) }
            guard words.count == 2, instants.count == 2 else {
                model.say(.warning, "diff takes two times: \(TimeText.examples)")
                return []
            }
            return model.compare(instants[0], instants[1])
        },
    ]

    static let live: [Action] = [
        Action("follow", "Follow what is new", .live, when: canFollow) { model, _ in
            model.toggleFollowing()
            return []
        },
        Action("pause", "Hold what arrives, or let it in", .live) { model, _ in
            model.isPaused.toggle()
            if model.isPaused { return [] }
            let (held, count) = (model.held, model.heldCount)
            model.held = []
            model.heldCount = 0
            let effects = held.flatMap { model.apply($0) }
            if count > 0 { model.say(.info, "\(count) held events let in") }
            return effects
        },
        Action(
            "alert", "Ring when another device writes this", .live,
            argument: "[NAME, FORM* or device:NAME]"
        ) { model, call in
            model.toggleAlert(call.argument.trimmingCharacters(in: .whitespaces))
            return []
        },
        Action("reload", "Read what is new, now", .live) { model, _ in
            model.version += 1
            model.say(.info, "reading again …")
            return [.reload]
        },
    ]

    static let program: [Action] = [
        Action("mouse", "Let the mouse go, to select text; or take it", .program) { model, _ in
            model.isMouseCaptured.toggle()
            model.say(
                .info,
                model.isMouseCaptured
                    ? "the mouse selects rows" : "the mouse is the terminal's: select text")
            return [.terminal(.captureMouse(model.isMouseCaptured))]
        },
        Action("theme", "Other colours", .program, argument: "NAME") { model, call in
            model.has(call.argument, for: "theme") ? [.terminal(.theme(call.argument))] : []
        },
        Action("open", "Open another store", .program, argument: "PATH") { model, call in
            let path = call.argument.trimmingCharacters(in: .whitespaces)
            guard model.has(path, for: "open") else { return [] }
            return model.openStore(path)
        },
        Action("redraw", "Draw the screen anew", .program) { _, _ in [.terminal(.redraw)] },
        Action("suspend", "Back to the shell for a while", .program) { _, _ in
            [.terminal(.suspend)]
        },
        Action("quit", "Quit", .program) { model, _ in model.leave(.quit) },
    ]

    @Sendable private static func canFollow(_ model: Model) -> Availability {
        if let whyPast = model.whyPast { return .unavailable(because: whyPast) }
        return hasPanes(model)
    }

    @Sendable private static func hasPast(_ model: Model) -> Availability {
        guard let list = model.list else { return hasPanes(model) }
        if list.source.hasPast { return .available }
        return .unavailable(because: "\(list.source.title): no past is known to compare")
    }

    @Sendable private static func hasMarks(_ model: Model) -> Availability {
        guard let time = model.time else { return .unavailable(because: "the past is not shown") }
        if case .unavailable(let reason) = hasPast(model) { return .unavailable(because: reason) }
        if time.markA != nil, time.markB != nil { return .available }
        let keys = model.keymap.hint(for: "mark-a") + " and " + model.keymap.hint(for: "mark-b")
        return .unavailable(because: "mark two instants with \(keys) first")
    }
}

extension Model {
    fileprivate mutating func toggleFollowing() {
        isFollowing.toggle()
        guard isFollowing else { return }
        focus = .list
        switch list?.source.newestEnd {
        case .first: selectInList(0)
        case .last: selectInList(.max)
        case nil: say(.info, "the selection goes to rows as they change")
        }
    }
}
