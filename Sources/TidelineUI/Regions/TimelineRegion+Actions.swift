import Foundation
import TidelineCore

extension TimelineRegion {
    static let actions: [Action] = [
        Action(
            "time", "Time travel: view the store as of an earlier time", .time, when: storeHasPast
        ) {
            model, _ in model.time == nil ? model.enterPast() : model.leavePast()
        },
        past("step-back", "Previous write") { $0.step(backwards: true, byDevice: false) },
        past("step-forward", "Next write") { $0.step(backwards: false, byDevice: false) },
        past("device-back", "Previous write of the device") {
            $0.step(backwards: true, byDevice: true)
        },
        past("device-forward", "Next write of the device") {
            $0.step(backwards: false, byDevice: true)
        },
        past("key-back", "Previous write of the row") {
            $0.stepByRow(backwards: true)
        },
        past("key-forward", "Next write of the row") {
            $0.stepByRow(backwards: false)
        },
        past("go-to-write", "Go to the row of this write", when: hasWritten) { model in
            model.follow(model.time?.written, orSay: "")
        },
        past("oldest", "First write") { $0.moveToEndOfTime(backwards: true) },
        past("newest", "Last write") { $0.moveToEndOfTime(backwards: false) },
        past("day-back", "One day earlier") { $0.moveInTime(byDays: -1, times: $1) },
        past("day-forward", "One day later") { $0.moveInTime(byDays: 1, times: $1) },
        past("week-back", "One week earlier") { $0.moveInTime(byDays: -7, times: $1) },
        past("week-forward", "One week later") { $0.moveInTime(byDays: 7, times: $1) },
        Action(
            "play", "Play: step through writes until a key is pressed", .time,
            scope: .region(region),
            argument: "[STEPS PER SECOND]"
        ) { model, call in
            let text = call.argument.trimmingCharacters(in: .whitespaces)
            guard let speed = text.isEmpty ? call.count ?? 2 : Int(text), (1...50).contains(speed)
            else {
                model.say(.warning, "play needs 1 to 50 steps per second, for example: play 5")
                return []
            }
            return model.play(speed)
        },
        past("now", "Return to now") { $0.leavePast() },
        past("previous-device", "Step by the previous device") { $0.chooseTimeDevice(by: -1) },
        past("next-device", "Step by the next device") { $0.chooseTimeDevice(by: 1) },
        Action(
            "restore", "Restore rows to this point in time", .time, when: { $0.canRestore }
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
            scope: .region(region), argument: "PREFIX|*", when: { $0.canRestorePrefix }
        ) { model, call in model.restore(under: call.argument) },
        past("mark-a", "Mark this point in time as A, or remove the mark") { $0.mark(\.markA) },
        past("mark-b", "Mark this point in time as B, or remove the mark") { $0.mark(\.markB) },
        past("compare-marks", "Compare A with B, or one mark with now", when: hasMarks) {
            let marks = [$0.regions.timeline.markA, $0.regions.timeline.markB].compactMap(\.self)
            guard let first = marks.first else { return [] }
            return $0.compare(first, marks.count > 1 ? marks[1] : $0.now)
        },
        Action("at", "Go to a point in time", .time, argument: "TIME", when: storeHasPast) {
            model, call in
            model.goIntoPast(named: call.argument.trimmingCharacters(in: .whitespaces))
        },
        Action(
            "diff", "Differences between two points in time", .time, argument: "A B", when: hasPast
        ) {
            model, call in
            let words = call.argument.split(separator: " ").map(String.init)
            guard words.count == 2 else {
                model.say(
                    .warning,
                    "diff needs two times: A B, or for example \(TypedTime.examplesOfOneWord)")
                return []
            }
            guard let first = model.instant(in: words[0]), let second = model.instant(in: words[1])
            else {
                let wrong = words.first { model.instant(in: $0) == nil } ?? ""
                model.say(.warning, TypedTime.whyNoInstant(in: wrong))
                return []
            }
            return model.compare(first, second)
        },
    ]

    /// Creates an action of time travel that takes a count.
    private static func past(
        _ name: String, _ title: String,
        _ perform: @escaping @Sendable (inout Model, _ times: Int) -> Void
    ) -> Action {
        Action(name, title, .time, scope: .region(region)) { model, call in
            perform(&model, call.count ?? 1)
            return []
        }
    }

    /// Creates an action of time travel.
    private static func past(
        _ name: String, _ title: String,
        when availability: @escaping @Sendable (Model) -> Availability = { _ in .available },
        _ perform: @escaping @Sendable (inout Model) -> [Effect]
    ) -> Action {
        Action(name, title, .time, scope: .region(region), when: availability) { model, _ in
            perform(&model)
        }
    }

    @Sendable private static func storeHasPast(_ model: Model) -> Availability {
        if case .unavailable(let reason) = Action.hasPanes(model) {
            return .unavailable(because: reason)
        }
        guard model.hasPast else {
            return .unavailable(because: "this store doesn't record its past")
        }
        let status = model.session.status
        if status.phase == .gone { return .unavailable(because: SessionState.whyGone) }
        let isEmpty = status.devices.isEmpty && status.counts.values.allSatisfy { $0 == 0 }
        return model.time == nil && status.phase == .live && !status.counts.isEmpty && isEmpty
            ? .unavailable(because: "nothing has been written yet") : .available
    }

    @Sendable private static func hasPast(_ model: Model) -> Availability {
        guard let list = model.list else { return Action.hasPanes(model) }
        if list.source.hasPast { return .available }
        return .unavailable(because: "\(list.source.title): no past to compare")
    }

    @Sendable private static func hasWritten(_ model: Model) -> Availability {
        guard let time = model.time else {
            return .unavailable(because: "only available during time travel")
        }
        if time.written != nil { return .available }
        return .unavailable(because: "step to a write first")
    }

    @Sendable private static func hasMarks(_ model: Model) -> Availability {
        guard model.time != nil else {
            return .unavailable(because: "only available during time travel")
        }
        if case .unavailable(let reason) = hasPast(model) { return .unavailable(because: reason) }
        let timeline = model.regions.timeline
        if timeline.markA != nil || timeline.markB != nil { return .available }
        let keys =
            model.preferences.keymap.hint(for: "mark-a") + " or "
            + model.preferences.keymap.hint(for: "mark-b")
        return .unavailable(because: "mark a point in time with \(keys) first")
    }
}
