import Automerge
import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Runs every action in every pane of a real store, in every mode, and checks that it either takes
/// effect or explains why not.
@Suite(.serialized) struct ActionModeTests {
    enum Mode: String, CaseIterable, Sendable {
        case now, past, readOnly, filtered, marked, missing
    }

    /// Actions that write or open an editor.
    private static let writing = [
        "edit", "edit-external", "add", "rename", "delete", "relate", "undo", "redo",
    ]
    private static let other: [(name: String, argument: String)] = [
        ("copy", ""), ("row-menu", ""), ("enter", ""), ("journal", ""), ("choose", ""),
        ("range", ""), ("filter", ""), ("search", ""), ("sort", ""), ("goto", "a"), ("goto", ""),
        ("at", "2026-11-21T09:15:00"), ("at", "nonsense"), ("diff", "-2h -1h"), ("mark-a", ""),
        ("mark-b", ""), ("compare-marks", ""), ("compare", "/nowhere/at/all"), ("compare", ""),
        ("open", "/nowhere/at/all"), ("open", ""),
        ("theme", ""), ("device", ""), ("withdraw", ""), ("follow", ""), ("next-conflict", ""),
        ("export", "json"),
    ]

    static func package() async throws -> (TemporaryFolder, String) {
        let folder = try TemporaryFolder()
        let path = folder.appending("Demo.store")
        var options = DemoStore.Options()
        options.now = Timestamp(microseconds: Stage.start.microseconds)
        try await DemoStore(options).build(at: path)
        return (folder, path)
    }

    private static func automerge() throws -> (TemporaryFolder, String) {
        let folder = try TemporaryFolder()
        let document = Document()
        try document.put(obj: .ROOT, key: "title", value: .String("one"))
        document.commitWith(message: "first", timestamp: Date(timeIntervalSince1970: 1_700_000_000))
        try document.put(obj: .ROOT, key: "title", value: .String("two"))
        document.commitWith(message: "next", timestamp: Date(timeIntervalSince1970: 1_700_000_100))
        let path = folder.appending("sample.automerge")
        try document.save().write(to: URL(filePath: path))
        return (folder, path)
    }

    static func open(_ path: String) async throws -> any StoreSession {
        let opener = StoreOpener(device: try DeviceID("ann"), isWritable: false)
        let session = try opener.open(path)
        let events = session.events()
        guard case .live = session.status.phase else {
            for await _ in events {
                if case .live = session.status.phase { break }
            }
            return session
        }
        return session
    }

    @Test(arguments: Mode.allCases)
    func everyActionInEveryPaneRespectsTheMode(_ mode: Mode) async throws {
        let (folder, path) = try await Self.package()
        let before = try FolderState(of: path)
        try await press(path, mode, folder)
        #expect(try FolderState(of: path) == before, "written without confirmation")
    }

    @Test(arguments: Mode.allCases)
    func everyActionOnAnAutomergeFileRespectsTheMode(_ mode: Mode) async throws {
        let (folder, path) = try Self.automerge()
        let before = try FolderState(of: folder.path)
        try await press(path, mode, folder)
        #expect(try FolderState(of: folder.path) == before)
    }

    private func press(_ path: String, _ mode: Mode, _ folder: TemporaryFolder) async throws {
        let session = try await Self.open(path)
        let panes = session.panes.map(\.id)
        #expect(!panes.isEmpty)
        for pane in panes {
            let stage = try await stage(session, pane, mode)
            let start = stage.model
            for (name, argument) in Self.writing.map({ ($0, "") }) + Self.other {
                // Each action starts from the same state, so that no action affects the next.
                stage.model = start
                try await perform(name, argument, on: stage, mode, pane)
            }
        }
        await session.close()
    }

    private func stage(
        _ session: any StoreSession, _ pane: PaneID, _ mode: Mode
    ) async throws -> Stage {
        // Each stage starts locked.
        session.setWritable(false)
        let locked = mode == .readOnly ? "opened with --read-only" : nil
        let stage = await Stage(session, pane: pane.text, locked: locked)
        if mode != .readOnly { await stage.press("w") }
        switch mode {
        case .now, .readOnly: break
        case .past:
            await stage.press("t", "Left", "Left")
            #expect(stage.model.instant != nil, "\(pane)")
        case .filtered:
            await stage.press("f")
            await stage.type("e")
            await stage.press("Enter")
        case .marked: await stage.press("Space", "Space")
        case .missing: stage.model.session.status.phase = .missing
        }
        stage.model.notice = nil
        stage.model.overlay = nil
        return stage
    }

    private func perform(
        _ name: String, _ argument: String, on stage: Stage, _ mode: Mode, _ pane: PaneID
    ) async throws {
        let note: Comment = "\(name) \(argument) in \(pane.name), \(mode)"
        let action = try #require(Action.named(name))
        let count = stage.effects.count
        let before = stage.state
        await stage.perform(action, .init(argument: argument))
        // The model requests missing data only when it handles a message.
        await stage.send(.woke(.ages))
        let effects = stage.effects.dropFirst(count)
        let notice = stage.model.notice?.text ?? ""
        #expect(
            stage.state != before || !effects.isEmpty || !notice.isEmpty,
            "no visible result: \(note)")
        let isWrite = effects.contains { if case .apply = $0 { true } else { false } }
        #expect(!isWrite, "written without confirmation: \(note)")
        if mode == .past, stage.model.time != nil {
            for effect in effects {
                if let instant = effect.instantAskedFor {
                    #expect(instant == stage.model.instant, "wrong instant: \(note)")
                }
            }
        }
        guard Self.writing.contains(name) else {
            if ["withdraw", "follow"].contains(name), mode == .past {
                #expect(notice.contains("showing the past"), note)
            }
            return
        }
        let mayAsk = [.now, .filtered, .marked].contains(mode)
        if !mayAsk {
            let asksToWrite = effects.contains { $0.isAboutWriting }
            #expect(!asksToWrite, note)
            #expect(stage.model.overlay == nil, note)
            let unsupported = ["can't be", "has no counters"]
            let reasons: [String] =
                switch mode {
                case .past: ["showing the past"] + unsupported
                case .readOnly: ["--read-only"] + unsupported
                case .missing: ["moved or deleted", "can only be read"] + unsupported
                default: []
                }
            let isReasoned = reasons.contains { notice.contains($0) }
            #expect(isReasoned, "\(note): \(notice)")
        } else if pane == .keys, ["edit", "add", "rename", "delete"].contains(name) {
            // Available edits ask the user.
            #expect(stage.model.overlay != nil || !effects.isEmpty, note)
            #expect(stage.model.notice?.kind != .warning, "\(note): \(notice)")
        }
    }
}

extension Stage {
    /// The visible state of the screen.
    fileprivate var state: [String] {
        [
            "\(String(describing: model.overlay))", "\(model.panels.focus)",
            "\(model.navigation.activePane)",
            "\(String(describing: model.time))", "\(model.panelStates.list.isFollowing)",
            "\(String(describing: model.list?.cursor))",
            "\(model.list?.chosen.map(\.name).sorted() ?? [])",
            "\(String(describing: model.list?.rangeAnchor))",
            "\(model.panelStates.events.isPaused)",
        ]
    }
}

extension Effect {
    /// The instant that an effect asks about, or `nil` if it doesn't depend on an instant.
    fileprivate var instantAskedFor: Timestamp?? {
        switch self {
        case .window(_, _, let request): .some(request.query.instant)
        case .conflicts(_, _, _, let instant), .open(_, _, _, let instant): .some(instant)
        case .detail(_, _, _, _, let query):
            .some(query.instant)
        case .copyForms(_, _, _, let query, _), .export(_, _, let query, _, _, _):
            .some(query.instant)
        default: nil
        }
    }

    fileprivate var isAboutWriting: Bool {
        switch self {
        case .preview, .apply, .editableValue, .withdraw: true
        case .terminal(.edit): true
        default: false
        }
    }
}
