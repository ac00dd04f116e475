/// Live preview of themes.
extension Model {
    /// Applies the theme of the selected item, or the chosen theme if there is none.
    mutating func previewTheme() -> [Effect] {
        let name = selectedTheme
        guard name != preferences.previewedTheme else { return [] }
        preferences.previewedTheme = name
        return [.terminal(.previewTheme(name))]
    }

    /// The theme selected in the open menu.
    private var selectedTheme: String? {
        switch overlay?.module {
        case let menu as Menu: return menu.theme
        case let palette as CommandPalette:
            let items = paletteItems(palette)
            guard items.indices.contains(palette.cursor),
                case .action(let match) = items[palette.cursor], match.action.name == "theme",
                let name = match.choice ?? match.argument, preferences.themes.contains(name)
            else { return nil }
            return name
        default: return nil
        }
    }

    /// Opens the theme menu, with a live preview of the selected theme.
    mutating func openThemeMenu() {
        let items = preferences.themes.map {
            Menu.Item(title: $0, hint: $0 == preferences.themeName ? "now" : "", choice: .theme($0))
        }
        let cursor = preferences.themes.firstIndex(of: preferences.themeName) ?? 0
        overlay = Overlay(Menu(title: "Theme", items: items, cursor: cursor))
    }
}
