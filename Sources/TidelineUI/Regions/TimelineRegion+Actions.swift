import TidelineCore

extension TimelineRegion {
    static let actions: [Action] = [
        Action("time", "The past: see everything as it was", .time, when: Action.hasPanes) {
            model, _ in
            model.time == nil ? model.enterPast() : model.leavePast()
        },
        Action("step-back", "The write before", .time, scope: .region(.timeline)) { model, _ in
            model.step(backwards: true, byDevice: false)
        },
        Action("step-forward", "The write after", .time, scope: .region(.timeline)) { model, _ in
            model.step(backwards: false, byDevice: false)
        },
        Action("device-back", "The write before, of the device", .time, scope: .region(.timeline)) {
            model, _ in
            model.step(backwards: true, byDevice: true)
        },
        Action("device-forward", "The write after, of the device", .time, scope: .region(.timeline))
        {
            model, _ in model.step(backwards: false, byDevice: true)
        },
        Action("oldest", "The first write", .time, scope: .region(.timeline)) { model, _ in
            model.moveToEndOfTime(backwards: true)
        },
        Action("newest", "The last write", .time, scope: .region(.timeline)) { model, _ in
            model.moveToEndOfTime(backwards: false)
        },
        Action("now", "Back to now", .time, scope: .region(.timeline)) { model, _ in
            model.leavePast()
        },
        Action("previous-device", "Step by the device before", .time, scope: .region(.timeline)) {
            model, _ in
            model.chooseTimeDevice(by: -1)
            return []
        },
        Action("next-device", "Step by the device after", .time, scope: .region(.timeline)) {
            model, _ in
            model.chooseTimeDevice(by: 1)
            return []
        },
        Action(
            "restore", "Write again what the chosen rows had then", .time,
            scope: .region(.timeline),
            when: { $0.canRestore }
        ) { model, _ in
            guard let list = model.list, let instant = model.instant else { return [] }
            return model.askPreview(
                .edit, source: list.source.id, [.restore(list.targets, at: instant)])
        },
        Action("mark-a", "Mark this instant as A", .time, scope: .region(.timeline)) { model, _ in
            let instant = model.time?.instant
            model.time?.markA = instant
            return []
        },
        Action("mark-b", "Mark this instant as B", .time, scope: .region(.timeline)) { model, _ in
            let instant = model.time?.instant
            model.time?.markB = instant
            return []
        },
        Action(
            "compare", "What differs between A and B", .time, scope: .region(.timeline),
            when: hasMarks
        ) {
            model, _ in
            guard let a = model.time?.markA, let b = model.time?.markB else { return [] }
            return model.compare(a, b)
        },
        Action("at", "Go to an instant", .time, argument: "TIME", when: Action.hasPanes) {
            model, call in
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

    @Sendable private static func hasPast(_ model: Model) -> Availability {
        guard let list = model.list else { return Action.hasPanes(model) }
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
