import TidelineCore

extension Model {
    /// Changes the open overlay, and carries out the effects on the rest of the screen.
    mutating func changeOverlay(
        _ change: (inout Overlay, ScreenContext) -> [ScreenOutcome]
    ) -> [Effect] {
        guard var changed = overlay else { return [] }
        let outcomes = change(&changed, context)
        overlay = changed
        return apply(outcomes)
    }

    mutating func handle(_ key: Key, in overlay: Overlay) -> [Effect] {
        let module = overlay.module
        if case .character(let character) = key.code,
            key.modifiers.isDisjoint(with: [.control, .alt]), module.takes(character)
        {
            return editText { $0.insert(String(character)) }
        }
        var scopes: [Action.Scope] = [.overlay(overlay.kind)]
        if module.field != nil { scopes.append(.typing) }
        scopes.append(.overlays)
        for scope in scopes {
            if let action = action(for: key, where: { $0.scope == scope }) {
                return perform(action, Action.Invocation())
            }
        }
        if let action = action(for: key, where: { overlay.passes.contains($0.name) }) {
            return perform(action, Action.Invocation())
        }
        // The help is already open.
        let advice =
            overlay.module is Help ? "" : "; press \(helpKey(in: module)) for help"
        return changeOverlay { overlay, context in
            overlay.module.pressedNothing(in: context) ?? [
                .notice(
                    .info, "\(KeyNotation.text(for: key)) has no function here\(advice)")
            ]
        }
    }

    /// Returns the first key that opens help in this overlay and isn't typed as text.
    func helpKey(in module: any OverlayModule) -> String {
        let kind = type(of: module).kind
        let keys = keymap.keys(for: "overlay-help").first { keys in
            guard let key = keys.first,
                action(for: key, where: { $0.scope == .overlay(kind) }) == nil
            else { return false }
            guard case .character(let character) = key.code else { return true }
            return !module.takes(character)
        }
        return keys.map { KeyNotation.text(for: $0) } ?? ""
    }

    private func action(for key: Key, where applies: (Action) -> Bool) -> Action? {
        keymap.resolve([key], where: applies).action
    }

    mutating func editText(_ change: (inout TextField) -> Void) -> [Effect] {
        changeOverlay { overlay, context in
            guard var field = overlay.module.field else { return [] }
            change(&field)
            overlay.module.field = field
            return overlay.module.fieldChanged(in: context)
        }
    }

    /// Inserts pasted text. Outside of text fields, it is never interpreted as keys.
    mutating func paste(_ text: String) -> [Effect] {
        guard let module = overlay?.module, module.field != nil else {
            return say(.info, "text can only be pasted into a field")
        }
        if text.utf8.count > module.pasteLimit {
            return say(
                .warning,
                "nothing pasted: \(Counted.grouped(text.utf8.count)) bytes exceed the limit of "
                    + "\(Counted.grouped(module.pasteLimit)) bytes")
        }
        // Filters, commands and names are single lines. Terminals paste line breaks as returns.
        let shown = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .joined(separator: module.takesLines ? "\n" : " ")
        return editText { $0.insert(shown) }
    }
}
