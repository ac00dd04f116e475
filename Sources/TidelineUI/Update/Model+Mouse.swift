extension Model {
    mutating func receive(_ event: MouseEvent) -> [Effect] {
        let point = Point(column: event.column, row: event.row)
        let layout = layout
        if event.kind == .click {
            let isHit = layout.inner(.timeline)?.contains(point) == true
            panelStates.timeline.takesDrags = isHit && overlay == nil
        }
        if let overlay { return receive(event, in: overlay) }
        if let header = layout.header, header.contains(point), event.kind == .click {
            switch Header(self, in: layout).tab(at: event.column)?.target {
            case .pane(let index): showPane(index)
            case .events: panels.focus = .events
            case nil: break
            }
            return []
        }
        if let inner = layout.inner(.timeline), inner.contains(point) {
            let isDrag = event.kind == .drag && panelStates.timeline.takesDrags
            guard isDrag || [.click, .doubleClick].contains(event.kind) else { return [] }
            let place = Point(column: point.column - inner.column, row: point.row - inner.row)
            return change(\.timeline) { $0.click(at: place, in: inner, of: $1).outcomes }
        }
        guard
            let panel = Panel.focusable.first(where: {
                layout.panels[$0]?.contains(point) == true
            }), let inner = layout.inner(panel)
        else { return [] }
        switch event.kind {
        case .drag: return []
        case .wheelUp: return change(\.[panel]) { $0.scroll(by: -3, in: $1) }
        case .wheelDown: return change(\.[panel]) { $0.scroll(by: 3, in: $1) }
        case .click, .doubleClick:
            panels.focus = panel
            guard inner.contains(point) else { return [] }
            let place = Point(column: point.column - inner.column, row: point.row - inner.row)
            var isHit = false
            let effects = change(\.[panel]) { module, context in
                let click = module.click(at: place, in: inner, of: context)
                isHit = click.isHit
                return click.outcomes
            }
            guard isHit, event.kind == .doubleClick else { return effects }
            return effects + change(\.[panels.focus]) { $0.open(in: $1) }
        }
    }

    private mutating func receive(_ event: MouseEvent, in overlay: Overlay) -> [Effect] {
        let step = Key(event.kind == .wheelUp ? .up : .down)
        switch event.kind {
        case .wheelUp, .wheelDown:
            // In a prompt, the wheel doesn't scroll through the history.
            if overlay.module is Prompt { return [] }
            return handle(step, in: overlay)
        case .drag: return []
        case .click, .doubleClick:
            guard let menu = overlay.module as? Menu else { return [] }
            let frame = OverlayFrame.menu(menu, in: context.dialogArea)
            let index = event.row - frame.row - 1 + OverlayFrame.firstItem(of: menu, in: frame)
            let point = Point(column: event.column, row: event.row)
            guard frame.inset().contains(point) else { return perform("menu-close") }
            return changeOverlay { _, _ in menu.choose(index) }
        }
    }
}
