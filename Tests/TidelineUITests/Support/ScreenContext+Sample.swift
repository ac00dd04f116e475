import Replication
import TidelineCore

@testable import TidelineUI

extension ScreenContext {
    /// The context on an empty screen.
    init(size: Size = Size(columns: 80, rows: 24)) {
        self.init(
            now: Stage.start,
            session: SessionState(
                path: "/store", storeName: "store", listing: nil, stores: Model.Stores(),
                deviceColors: DeviceColors()),
            preferences: Preferences(
                keymap: .standard, mergeTool: nil, alertSignal: .bell, resolutionRules: [],
                utcOffset: 0, hostName: nil, themeName: "", themes: [], columns: [:],
                savedView: StoreView()),
            writing: Writing(lockedFromStart: nil), recents: Recents(stores: []),
            panels: PanelArrangement(size: size), layout: Layout(Layout.Conditions(size: size)))
    }
}

extension OverlayModule {
    /// The screen with only this overlay.
    func lines(in context: ScreenContext) -> [String] {
        var canvas = Canvas(context, .bare)
        canvas.draw(Overlay(self))
        return canvas.surface.lines
    }
}

extension Model {
    /// The keys and actions in the footer.
    var hints: [Hint] { hints(in: context) }

    /// The lines of the help that match a text.
    func helpLines(filter: String, over: Overlay? = nil) -> [HelpLine] {
        HelpLine.lines(of: shortcuts(over: over), filter: filter)
    }
}

extension OverlayModule {
    /// Performs the action with the given name.
    mutating func perform(_ name: String, in context: ScreenContext) -> [ScreenOutcome] {
        Self.actions.first { $0.name == name }?.perform(&self, context) ?? []
    }
}
