import Foundation
import TidelineCore

extension Action {
    static let time: [Action] = [
        Action(
            "time", "Time travel: view the store as of an earlier time", .time,
            unless: \.whyNoTimeTravel
        ) {
            model, _ in model.time == nil ? model.enterPast() : model.leavePast()
        },
        past("step-back", "Previous write") { timeline, _ in timeline.step(backwards: true) },
        past("step-forward", "Next write") { timeline, _ in timeline.step(backwards: false) },
        past("device-back", "Previous write of the device") {
            timeline, _ in timeline.step(backwards: true, byDevice: true)
        },
        past("device-forward", "Next write of the device") {
            timeline, _ in timeline.step(backwards: false, byDevice: true)
        },
        past("key-back", "Previous write of the row") {
            timeline, context, _ in timeline.stepByRow(backwards: true, in: context)
        },
        past("key-forward", "Next write of the row") {
            timeline, context, _ in timeline.stepByRow(backwards: false, in: context)
        },
        past("go-to-write", "Go to the row of this write", unless: whyNoWrite) { model in
            guard let link = model.time?.written else { return [] }
            return model.follow(link)
        },
        past("oldest", "First write") { timeline, _ in timeline.moveToEnd(backwards: true) },
        past("newest", "Last write") { timeline, _ in timeline.moveToEnd(backwards: false) },
        past("day-back", "One day earlier") { $0.move(byDays: -1, times: $2, in: $1) },
        past("day-forward", "One day later") { $0.move(byDays: 1, times: $2, in: $1) },
        past("week-back", "One week earlier") { $0.move(byDays: -7, times: $2, in: $1) },
        past("week-forward", "One week later") { $0.move(byDays: 7, times: $2, in: $1) },
        Action(
            "play", "Play: step through writes until a key is pressed", .time,
            scope: .panel(.timeline),
            argument: "[STEPS PER SECOND]"
        ) { model, call in
            let text = call.argument.trimmingCharacters(in: .whitespaces)
            guard let speed = text.isEmpty ? call.count ?? 2 : Int(text), (1...50).contains(speed)
            else {
                return model.say(
                    .warning, ":play needs 1 to 50 steps per second, for example: :play 5")
            }
            model.panelStates.timeline.play(speed)
            return []
        },
        past("now", "Return to now") { $0.leavePast() },
        past("previous-device", "Choose the previous device") { $0.chooseDevice(by: -1, in: $1) },
        past("next-device", "Choose the next device") { $0.chooseDevice(by: 1, in: $1) },
        Action(
            "restore", "Restore rows to this point in time", .time, unless: \.whyNoRestoring
        ) { model, _ in
            guard let list = model.list, let restored = model.restorableState else { return [] }
            return model.askPreview(
                .edit, source: list.source.id,
                [
                    .restore(
                        model.restorableRows, field: restored.field, at: restored.instant)
                ])
        },
        Action(
            "restore-prefix", "Restore all keys with a prefix to this point in time", .time,
            scope: .panel(.timeline), argument: "PREFIX|*", unless: \.whyNoRestoringOfPrefix
        ) { model, call in model.restore(under: call.argument) },
        past("mark-a", "Mark this point in time as A, or remove the mark") { timeline, _ in
            timeline.mark(\.markA)
        },
        past("mark-b", "Mark this point in time as B, or remove the mark") { timeline, _ in
            timeline.mark(\.markB)
        },
        past("compare-marks", "Compare A with B, or one mark with now", unless: whyNoMarks) {
            let marks = [$0.panelStates.timeline.markA, $0.panelStates.timeline.markB].compactMap(
                \.self)
            guard let first = marks.first else { return [] }
            return $0.compare(first, marks.count > 1 ? marks[1] : $0.now)
        },
        Action(
            "at", "Go to a point in time", .time, argument: "TIME",
            unless: \.whyNoTimeTravel
        ) { model, call in
            model.goIntoPast(named: call.argument.trimmingCharacters(in: .whitespaces))
        },
        Action(
            "diff", "Differences between two points in time", .time, argument: "A B",
            unless: whyNoPast
        ) {
            model, call in
            let words = call.argument.split(separator: " ").map(String.init)
            guard words.count == 2 else {
                return model.say(
                    .warning,
                    ":diff needs two times: A B, or for example \(TypedTime.examplesOfOneWord)")
            }
            let instants = words.map { model.panelStates.timeline.instant(named: $0, in: model) }
            guard let first = instants[0], let second = instants[1] else {
                let wrong = instants[0] == nil ? words[0] : words[1]
                return model.say(.warning, TypedTime.whyNoInstant(in: wrong))
            }
            return model.compare(first, second)
        },
    ]

    /// Creates an action that moves the timeline. A count typed before its key repeats the move.
    private static func past(
        _ name: String, _ title: String,
        _ move:
            @escaping @Sendable (inout TimelinePanel, ScreenContext, Int) -> [ScreenOutcome]
    ) -> Action {
        Action(name, title, .time, scope: .panel(.timeline)) { model, call in
            model.change(\.timeline) { move(&$0, $1, call.count ?? 1) }
        }
    }

    /// Creates an action that changes only the timeline.
    private static func past(
        _ name: String, _ title: String,
        _ change: @escaping @Sendable (inout TimelinePanel, ScreenContext) -> Void
    ) -> Action {
        past(name, title) { timeline, context, _ in
            change(&timeline, context)
            return []
        }
    }

    private static func past(
        _ name: String, _ title: String,
        unless unavailable: @escaping @Sendable (Model) -> String? = { _ in nil },
        _ perform: @escaping @Sendable (inout Model) -> [Effect]
    ) -> Action {
        Action(name, title, .time, scope: .panel(.timeline), unless: unavailable) { model, _ in
            perform(&model)
        }
    }

    @Sendable private static func whyNoPast(_ model: Model) -> String? {
        guard let list = model.list else { return model.whyNoPanes }
        if list.source.hasPast { return nil }
        return "\(list.source.title): no earlier states to compare"
    }

    @Sendable private static func whyNoWrite(_ model: Model) -> String? {
        guard let time = model.time else { return "only available during time travel" }
        return time.written == nil ? "step to a write first" : nil
    }

    @Sendable private static func whyNoMarks(_ model: Model) -> String? {
        guard model.time != nil else { return "only available during time travel" }
        if let reason = whyNoPast(model) { return reason }
        let timeline = model.panelStates.timeline
        if timeline.markA != nil || timeline.markB != nil { return nil }
        let keys =
            model.keymap.hint(for: "mark-a") + " or "
            + model.keymap.hint(for: "mark-b")
        return "mark a point in time with \(keys) first"
    }
}
