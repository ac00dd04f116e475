import Foundation
import TidelineCore

extension TimelineRegion {
    static let actions: [Action] = [
        Action("time", "The past: see everything as it was", .time, when: storeHasPast) {
            model, _ in model.time == nil ? model.enterPast() : model.leavePast()
        },
        past("step-back", "The write before") { $0.step(backwards: true, byDevice: false) },
        past("step-forward", "The write after") { $0.step(backwards: false, byDevice: false) },
        past("device-back", "The write before, of the device") {
            $0.step(backwards: true, byDevice: true)
        },
        past("device-forward", "The write after, of the device") {
            $0.step(backwards: false, byDevice: true)
        },
        past("key-back", "The write before, of the selected row") {
            $0.stepByRow(backwards: true)
        },
        past("key-forward", "The write after, of the selected row") {
            $0.stepByRow(backwards: false)
        },
        past("go-to-write", "Go to what was written then, in its pane", when: hasWritten) { model in
            model.follow(model.time?.written, orSay: "")
        },
        past("oldest", "The first write") { $0.moveToEndOfTime(backwards: true) },
        past("newest", "The last write") { $0.moveToEndOfTime(backwards: false) },
        past("day-back", "A day back") { $0.moveInTime(byDays: -1, times: $1) },
        past("day-forward", "A day on") { $0.moveInTime(byDays: 1, times: $1) },
        past("week-back", "A week back") { $0.moveInTime(byDays: -7, times: $1) },
        past("week-forward", "A week on") { $0.moveInTime(byDays: 7, times: $1) },
        Action(
            "play", "Play: from write to write, until any key", .time, scope: .region(region),
            argument: "[STEPS A SECOND]"
        ) { model, call in
            let text = call.argument.trimmingCharacters(in: .whitespaces)
            guard let speed = text.isEmpty ? call.count ?? 2 : Int(text), (1...50).contains(speed)
            else {
                model.say(.warning, "play: from 1 to 50 steps a second, as in play 5")
                return []
            }
            return model.play(speed)
        },
        past("now", "Back to now") { $0.leavePast() },
        past("previous-device", "Step by the device before") { $0.chooseTimeDevice(by: -1) },
        past("next-device", "Step by the device after") { $0.chooseTimeDevice(by: 1) },
        past("restore", "Write again what the marked rows had then", when: { $0.canRestore }) {
            guard let list = $0.list, let instant = $0.instant else { return [] }
            return $0.askPreview(
                .edit, source: list.source.id, [.restore(list.targets, at: instant)])
        },
        Action(
            "take-back", "Write again what all keys with a beginning had then", .time,
            scope: .region(region), argument: "PREFIX|*", when: { $0.canTakeBackPrefix }
        ) { model, call in model.takeBack(under: call.argument) },
        past("mark-a", "Mark this instant as A") { $0.mark(\.markA) },
        past("mark-b", "Mark this instant as B") { $0.mark(\.markB) },
        past("compare", "What differs between A and B", when: hasMarks) {
            guard let a = $0.time?.markA, let b = $0.time?.markB else { return [] }
            return $0.compare(a, b)
        },
        Action("at", "Go to an instant", .time, argument: "TIME", when: storeHasPast) {
            model, call in
            model.goIntoPast(named: call.argument.trimmingCharacters(in: .whitespaces))
        },
        Action("diff", "What differs between two instants", .time, argument: "A B", when: hasPast) {
            model, call in
            let words = call.argument.split(separator: " ").map(String.init)
            guard words.count == 2 else {
                model.say(.warning, "diff takes two times: A B, or \(TimeText.examplesOfOneWord)")
                return []
            }
            guard let first = model.instant(in: words[0]), let second = model.instant(in: words[1])
            else {
                let wrong = words.first { model.instant(in: $0) == nil } ?? ""
                model.say(.warning, TimeText.whyNoInstant(in: wrong))
                return []
            }
            return model.compare(first, second)
        },
    ]

    /// An action whose keys are meant while the past is shown, told how often it is to be done.
    private static func past(
        _ name: String, _ title: String,
        _ perform: @escaping @Sendable (inout Model, _ times: Int) -> Void
    ) -> Action {
        Action(name, title, .time, scope: .region(region)) { model, call in
            perform(&model, call.count ?? 1)
            return []
        }
    }

    /// An action whose keys are meant while the past is shown.
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
        guard model.hasPast else { return .unavailable(because: "nothing here has a past") }
        let status = model.status
        if status.phase == .gone { return .unavailable(because: Model.whyGone) }
        let isEmpty = status.devices.isEmpty && status.counts.values.allSatisfy { $0 == 0 }
        return model.time == nil && status.phase == .live && !status.counts.isEmpty && isEmpty
            ? .unavailable(because: "nothing was written here yet") : .available
    }

    @Sendable private static func hasPast(_ model: Model) -> Availability {
        guard let list = model.list else { return Action.hasPanes(model) }
        if list.source.hasPast { return .available }
        return .unavailable(because: "\(list.source.title): no past is known to compare")
    }

    @Sendable private static func hasWritten(_ model: Model) -> Availability {
        guard let time = model.time else { return .unavailable(because: "the past is not shown") }
        if time.written != nil { return .available }
        return .unavailable(because: "no step has come to a write of a row that is there")
    }

    @Sendable private static func hasMarks(_ model: Model) -> Availability {
        guard let time = model.time else { return .unavailable(because: "the past is not shown") }
        if case .unavailable(let reason) = hasPast(model) { return .unavailable(because: reason) }
        if time.markA != nil, time.markB != nil { return .available }
        let keys = model.keymap.hint(for: "mark-a") + " and " + model.keymap.hint(for: "mark-b")
        return .unavailable(because: "mark two instants with \(keys) first")
    }
}
