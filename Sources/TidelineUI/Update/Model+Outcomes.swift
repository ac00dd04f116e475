import TidelineCore

extension Model {
    var context: ScreenContext {
        let model = self
        var context = ScreenContext(
            now: now, session: session, preferences: preferences, writing: writing,
            recents: recents, panels: panels, layout: layout, navigation: navigation,
            watching: watching, instant: instant, isFollowing: isFollowing,
            hasNotice: shownNotice != nil, rowsProblem: rowsProblem, events: events,
            runningWork: runningWork, isSearching: requests.places != nil)
        context.refusal = { model.whyNoEdit($0) }
        context.key = { name in
            model.keymap.hint(for: name) { $0.isGlobal && model.whyOutOfScope($0.scope) == nil }
        }
        context.shortcuts = { model.shortcuts(over: $0) }
        context.items = { model.describedItems($0) }
        return context
    }

    /// Changes the state of a panel, and carries out the effects on the rest of the screen.
    ///
    /// - Parameter panel: The key path of the state: `\.timeline` or, for any panel, `\.[panel]`.
    mutating func change<Module>(
        _ panel: WritableKeyPath<PanelStates, Module>,
        _ change: (inout Module, ScreenContext) -> [ScreenOutcome]
    ) -> [Effect] {
        let context = context
        return apply(change(&panelStates[keyPath: panel], context))
    }

    /// Selects a row of the list by number at the user's request.
    mutating func selectInList(_ index: Int) {
        _ = change(\.list) { $0.select(index, in: $1) }
    }

    /// Scrolls every panel to its selection.
    mutating func revealSelections() {
        let context = context
        for panel in Panel.allCases { panelStates[panel].reveal(in: context) }
    }

    /// Carries out the effects of an overlay's or a panel's action.
    mutating func apply(_ outcomes: [ScreenOutcome]) -> [Effect] {
        outcomes.flatMap { apply($0) }
    }

    private mutating func apply(_ outcome: ScreenOutcome) -> [Effect] {
        switch outcome {
        case .effect(let effect): return [effect]
        case .notice(let kind, let text, let isBrief):
            notice = Notice(kind, text, isBrief: isBrief)
        case .timer(let alarm, let microseconds): return [set(alarm, after: microseconds)]
        case .close(let overlay): return goBack(to: overlay)
        case .open(let overlay): self.overlay = overlay
        case .leave(let reason): return ending(reason)
        case .goIntoPast(let instant, let device): return goIntoPast(to: instant, by: device)
        case .showInstant: navigation.show(asOf: instant)
        case .leavePast: return leavePast()
        case .preview(let source, let edits):
            return askPreview(.edit, source: source, edits)
        case .acceptField: return acceptField()
        case .requestChoices: return requestChoices()
        case .write: return write()
        case .undo(let entry): return undo(entry)
        case .editValue(let row, let field, let source, let isExternal):
            return editValue(of: row, field: field, in: source, externally: isExternal)
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
        case .revealRow(let row): navigation.reveal(row)
        case .rowSelected: time?.row = nil
        case .rowsAreCurrent: pendingInput.waitsForStore = false
        case .rowMissing(let row): return leaveMissing(row)
        case .scrollList(let columns):
            return change(\.list) { $0.scrollSideways(by: columns, in: $1) }
        case .openRow(let row): return open(row, showing: [])
        case .openConflict: return openConflict()
        case .openSortMenu: openSortMenu()
        case .openStore(let path): return openStore(path)
        case .filterOuterList(let term): return filterOuterList(by: term)
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
