/// Changes the model in response to a message, and returns the work to do. Pure and synchronous.
///
/// Handlers only change the wanted state. At the end, the wanted state is compared with the loaded
/// data, and missing data is requested.
///
/// - Parameters:
///   - model: The state of the screen.
///   - message: The input, event or answer to handle.
/// - Returns: The effects to run.
public func update(_ model: inout Model, _ message: Message) -> [Effect] {
    var effects: [Effect] = []
    switch message {
    case .input(let input): effects = model.receive(input)
    case .session(let snapshot): effects = model.receive(snapshot)
    case .event(let event): effects = model.receive(event)
    case .window(let id, let answer):
        effects = model.change(\.list) { $0.receive(id, answer, in: $1) }
    case .detail(let id, let answer):
        let context = model.context
        model.panelStates.inspector.receive(id, answer, in: context)
    case .conflicts(let id, let answer):
        model.panelStates.conflicts.receive(id, answer)
        model.receiveConflicts(id, answer)
        effects = model.receiveIgnored(id, answer)
    case .conflictDetail(let id, let answer): model.receiveConflictDetail(id, answer)
    case .proposal(let id, let answer): model.receiveProposal(id, answer)
    case .manyConflicts(let id, let answer): model.receiveManyConflicts(id, answer)
    case .opened(let id, let answer): effects = model.receiveOpened(id, answer)
    case .queried(let id, let answer): effects = model.receiveQueried(id, answer)
    case .editableValue(let id, let answer): effects = model.receiveEditable(id, answer)
    case .choices(let id, let answer): model.receiveChoices(id, answer)
    case .copyForms(let id, let answer):
        effects =
            model.receiveCommandValues(id, answer) ?? model.receiveCopyForms(id, answer)
    case .previewed(let id, let answer): effects = model.receivePreviews(id, answer)
    case .applied(let id, let applied, let left, let failure):
        effects = model.receiveApplied(id, applied, left: left, failure: failure)
    case .named(let id, let answer): model.receiveNamed(id, answer)
    case .withdrawn(_, let answer): effects = model.receiveWithdrawn(answer)
    case .journal(let kept): model.receiveJournal(kept)
    case .ignored(let kept): model.watching.ignored.read(kept)
    case .timeline(let id, let answer): model.panelStates.timeline.receive(id, answer)
    case .stepped(let id, let answer):
        effects = model.change(\.timeline) { $0.receive(id, answer, in: $1) }
    case .edited(let id, let answer): effects = model.receiveEdited(id, answer)
    case .storeOpened(let id, let answer): effects = model.receiveStore(id, answer)
    case .places(let id, let answer): effects = model.receivePlaces(id, answer)
    case .values(let id, let answer): model.receiveValues(id, answer)
    case .placeFound(let id, let answer): effects = model.receivePlaceFound(id, answer)
    case .writeObstacle(let id, let answer): effects = model.receiveObstacle(id, answer)
    case .nearby(let id, let answer): effects = model.receiveNearby(id, answer)
    case .exporting(let id, let done, let total):
        model.receiveExporting(id, done: done, of: total)
    case .exported(let id, let answer): model.receiveExported(id, answer)
    case .alert(let text): effects = model.ring(text)
    case .notificationFailed(let reason): effects = model.receiveNotificationFailure(reason)
    case .ran(let id, let answer): effects = model.receiveRan(id, answer)
    case .woke(let alarm): effects = model.wake(alarm)
    case .notice(let notice): model.notice = notice
    case .theme(let name):
        model.preferences.themeName = name
        model.say(.done, "theme \(name)")
    case .background(let name): model.preferences.themeName = name
    }
    model.continueTour()
    model.showFinishedOutput()
    effects += model.requestMissing()
    while let next = model.nextWaiting() {
        effects += model.act(on: next.input, meaning: next.meaning)
        effects += model.requestMissing()
    }
    return effects
}
