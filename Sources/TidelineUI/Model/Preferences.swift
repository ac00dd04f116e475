import TidelineCore

/// The user's settings, and the saved view state of the store.
struct Preferences: Sendable {
    var keymap: Keymap
    /// The program with which conflicts are merged; `nil` for the editor.
    let mergeTool: MergeTool?
    var alertSignal: AlertSignal
    /// The rules for resolving many conflicts.
    let resolutionRules: [ResolutionRule]
    /// The time zone in which times are shown and typed.
    let utcOffset: UTCOffset
    /// The name of the computer, as a suggestion for the device's name; `nil` if the user has
    /// chosen the device's name.
    var hostName: String?
    var themeName: String
    /// The names of all themes.
    let themes: [String]
    var previewedTheme: String?
    /// The configured columns of panes.
    let columns: [String: [String]]
    /// The saved view state of the store.
    let savedView: StoreView
    var isMouseCaptured = true
}
