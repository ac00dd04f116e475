/// Themes are seen before they are chosen.
extension Model {
    /// Draws with the theme that what is selected would bring, and with the chosen one again once
    /// nothing would bring another.
    mutating func previewTheme() -> [Effect] {
        let name = selectedTheme
        guard name != previewedTheme else { return [] }
        previewedTheme = name
        return [.terminal(.previewTheme(name))]
    }

    /// The theme that is selected in what stands in front.
    private var selectedTheme: String? {
        switch overlay {
        case .menu(let menu): return menu.theme
        case .palette(let palette):
            let items = paletteItems(palette)
            guard items.indices.contains(palette.cursor),
                case .action(let match) = items[palette.cursor], match.action.name == "theme",
                let name = match.choice ?? match.argument, themes.contains(name)
            else { return nil }
            return name
        default: return nil
        }
    }
}
