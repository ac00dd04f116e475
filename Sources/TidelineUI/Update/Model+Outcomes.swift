import TidelineCore

extension Model {
    /// The context for overlays and panels.
    var context: ScreenContext {
        let model = self
        var context = ScreenContext(
            now: now, session: session, preferences: preferences, writing: writing,
            recents: recents, panels: panels, layout: layout, navigation: navigation,
            instant: instant, isFollowing: regions.list.isFollowing, hasNotice: notice != nil,
            eventsFilterProblem: regions.events.filterProblem, lockedBecause: lockedBecause,
            openConflictCount: openConflictCount, isSearching: requests.places != nil)
        context.refusal = { model.canEdit($0).reason }
        context.ignoredMark = { model.ignoredMark(of: $0) }
        context.shortcuts = { model.shortcuts(over: $0) }
        context.items = { model.describedItems($0) }
        return context
    }

    /// Carries out the consequences of an overlay's or a panel's action.
    mutating func apply(_ outcomes: [ScreenOutcome]) -> [Effect] {
        outcomes.flatMap { apply($0) }
    }

    private mutating func apply(_ outcome: ScreenOutcome) -> [Effect] {
        switch outcome {
        case .effect(let effect): return [effect]
        case .notice(let kind, let text): say(kind, text)
        case .close(let overlay): return goBack(to: overlay)
        case .open(let overlay): self.overlay = overlay
        case .leavePast: return leavePast()
        case .leave(let outcome): return ending(outcome)
        case .preview(let source, let edits):
            return askPreview(.edit, source: source, edits)
        case .acceptField: return acceptField()
        case .requestChoices: return requestChoices()
        case .write: return write()
        case .undo(let entry): return undo(entry)
        case .editValue(let row, let source, let isExternal):
            return editValue(of: row, in: source, externally: isExternal)
        case .edit(let job, let text): return edit(job, text: text)
        case .merge(let job, let texts, let tool): return merge(job, texts, with: tool)
        case .choose(let choice, let menu): return choose(choice, of: menu)
        case .toggleColumn: return toggleColumn()
        case .changed(let prompt): promptChanged(prompt)
        case .accepted(let prompt): return accept(prompt)
        case .canceled(let prompt): return cancel(prompt)
        case .selectRow(let index):
            panels.focus = .list
            selectInList(index)
        case .go(let place): return go(to: place)
        case .follow(let link, let event): return follow(link, from: event)
        case .showPane(let index): showPane(index)
        case .showDevice(let name): return showDevice(name)
        case .run(let name, let argument, let place):
            return run(name, argument: argument, over: place)
        }
        return []
    }
}
