import Replication
import Testing
import TidelineCore

@testable import TidelineUI

/// Keys typed while the store is opening.
@Suite struct OpeningTests {
    /// A screen before its first panes.
    private let stage: Stage
    /// The snapshot with the first panes.
    private let opened: SessionSnapshot

    init() async throws {
        stage = await Stage(try Sample.session(keys: try Sample.notes()))
        opened = SessionSnapshot(
            status: stage.model.session.status,
            panes: stage.model.navigation.panes.map {
                PaneInfo(id: $0.id, source: $0.lists[0].source, number: $0.number)
            })
        stage.model = Model(
            path: "/nowhere/notes.store", size: Size(columns: 80, rows: 24), now: Stage.start)
    }

    private func type(_ keys: String...) throws {
        for name in keys {
            for key in try #require(KeyNotation.keys(in: name)) { stage.take(.input(.key(key))) }
        }
    }

    private var alarms: [Alarm] {
        stage.effects.compactMap { if case .wake(let alarm, _) = $0 { alarm } else { nil } }
    }

    @Test func keysTypedDuringOpeningRunAfterward() async throws {
        try type("/", "t", "i", "t", "l", "e", "Enter", "j")
        #expect(stage.model.notice == nil && stage.model.overlay == nil)
        await stage.send(.session(opened))
        #expect(stage.model.list?.searchText == "title")
        #expect(stage.model.list?.cursorID == RowID("note/2/body"))
        #expect(stage.model.time == nil && stage.model.pendingInput.waiting.isEmpty)
    }

    @Test(arguments: ["q", "^c"])
    func quittingDoesNotWaitForTheStore(_ key: String) throws {
        try type("j", key)
        #expect(stage.requests == [.leave(.quit)])
    }

    @Test func dialogIgnoresKeysTypedBeforeItOpened() async throws {
        try type("j", "?", "j")
        #expect(stage.model.overlay == nil && stage.model.pendingInput.waiting.count == 3)
        await stage.send(.session(opened))
        #expect(stage.model.list?.cursor == 1 && stage.model.overlay?.module is Help)
    }

    @Test func failedOpenReleasesHeldKeys() async throws {
        try type("/")
        let failure = SessionFailure(CoreError(.noAnswer, "it is not to be read"))
        await stage.send(
            .session(SessionSnapshot(status: SessionStatus(phase: .failed(failure)), panes: [])))
        #expect(stage.model.pendingInput.waiting.isEmpty)
        #expect(stage.model.notice?.text.contains(try #require(stage.model.whyNoPanes)) == true)
        try type("?")
        #expect(stage.model.overlay?.module is Help)
    }

    @Test func keysTypedAfterSwitchingStoresGoToTheNextScreen() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()),
            stores: Model.Stores(["a.store", "b.store"], shown: 0))
        var model = stage.model
        for character in "gtj" {
            _ = update(&model, .input(.key(.character(character))))
        }
        #expect(model.pendingInput.isLeft && model.pendingInput.waiting == [.key(.character("j"))])
        // A late answer runs none of the keys.
        _ = update(&model, .woke(.ages))
        #expect(model.pendingInput.waiting == [.key(.character("j"))] && model.list?.cursor == 0)
    }

    @Test func slowOpenReleasesHeldKeys() throws {
        try type("/")
        #expect(alarms.contains(.opening) && stage.model.pendingInput.waiting.count == 1)
        stage.take(.woke(.opening))
        #expect(stage.model.pendingInput.waiting.isEmpty)
        #expect(stage.model.notice?.text.contains(try #require(stage.model.whyNoPanes)) == true)
        try type("f")
        #expect(stage.model.pendingInput.waiting.isEmpty)
    }

    @Test func escapeEndsTheWait() throws {
        try type("j", "Esc", "f")
        #expect(stage.model.pendingInput.waiting.isEmpty)
        #expect(stage.model.notice?.text.contains(try #require(stage.model.whyNoPanes)) == true)
    }
}
