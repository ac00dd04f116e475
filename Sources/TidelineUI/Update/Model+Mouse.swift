import TidelineCore

extension Model {
    mutating func receive(_ event: MouseEvent) -> [Effect] {
        let point = Point(column: event.column, row: event.row)
        if let overlay { return receive(event, in: overlay) }
        let layout = layout
        if let header = layout.header, header.contains(point), event.kind == .click {
            switch Header(self).tab(at: event.column)?.target {
            case .pane(let index): showPane(index)
            case .events: panels.focus = .events
            case nil: break
            }
            return []
        }
        guard
            let region = Region.focusable.first(where: {
                layout.regions[$0]?.contains(point) == true
            }), let inner = layout.inner(region)
        else { return [] }
        switch event.kind {
        case .wheelUp: region.module.scroll(by: -3, in: &self)
        case .wheelDown: region.module.scroll(by: 3, in: &self)
        case .click, .doubleClick:
            panels.focus = region
            guard inner.contains(point) else { return [] }
            let place = Point(column: point.column - inner.column, row: point.row - inner.row)
            let click = region.module.click(at: place, in: inner, of: &self)
            let opens = click.isHit && event.kind == .doubleClick
            return click.effects + (opens ? panels.focus.module.open(in: &self) : [])
        }
        return []
    }

    private mutating func receive(_ event: MouseEvent, in overlay: Overlay) -> [Effect] {
        let step = Key(event.kind == .wheelUp ? .up : .down)
        switch event.kind {
        case .wheelUp, .wheelDown:
            // In a prompt, the wheel doesn't scroll through the history.
            if case .prompt = overlay { return [] }
            return handle(step, in: overlay)
        case .click, .doubleClick:
            guard case .menu(let menu) = overlay else { return [] }
            let frame = OverlayFrame.menu(menu, in: context.dialogArea)
            let index = event.row - frame.row - 1 + OverlayFrame.firstItem(of: menu, in: frame)
            let point = Point(column: event.column, row: event.row)
            guard frame.inset().contains(point) else { return perform("menu-close") }
            return changeOverlay { _, _ in menu.choose(index) }
        }
    }
}
