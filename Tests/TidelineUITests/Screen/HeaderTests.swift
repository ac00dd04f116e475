import TidelineCore
import Testing

@testable import TidelineUI

/// The header shows values of the context, without a model.
@Suite struct HeaderTests {
    private func texts(_ context: ScreenContext) -> [String] {
        Header(context, in: context.layout).parts.map { $0.0 }
    }

    @Test func runningWorkIsShownWithTheKeyThatCancelsIt() {
        var context = ScreenContext()
        context.runningWork = ["EXPORT 12%"]
        let key = context.keymap.hint(for: "back")
        #expect(texts(context).contains("EXPORT 12% (\(key): cancel)"))
    }

    @Test func pausedEventsReplaceTheLiveState() {
        var context = ScreenContext()
        context.session.status = SessionStatus(phase: .live)
        #expect(texts(context).contains("LIVE"))
        context.events = EventsPanel.Status(heldCount: 3, unseenAlerts: 2)
        #expect(texts(context).contains("PAUSED 3 held"))
        #expect(texts(context).contains("◆2"))
        #expect(!texts(context).contains("LIVE"))
    }
}
