import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore
@testable import TidelineUI

/// Random keys, events, sizes and late answers, against a list that changes all the time.
@Suite struct FuzzTests {
    private static let keys: [Key] = {
        let named: [Key.Code] = [
            .enter, .escape, .tab, .backTab, .up, .down, .left, .right, .home, .end, .pageUp,
            .pageDown, .insert, .delete, .backspace, .function(1), .function(5),
        ]
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/?[]_+@%<> ~é日"
        return named.map { Key($0) } + [Key(.left, .shift), Key(.right, .shift)]
            + plain.map { .character($0) }
            + "adefgklnptuw".map { .character($0, .control) }
            + "159".map { .character($0, .alt) }
    }()

    @Test(arguments: seeds(4))
    func randomEventsKeepTheScreenConsistent(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let keys = try Sample.many(Int.random(in: 0...300, using: &random))
        let conflicts = FakeSource(
            "Conflicts", [try Sample.entry("c", "1", sides: ["1", "2", "3"])])
        let log = FakeSource("Log", [try Sample.entry("l", "1")], isNewestFirst: true)
        keys.put(try Sample.notes(), inside: RowID("k00003"))
        let session = try Sample.session(keys: keys, conflicts: conflicts, log: log)
        let stage = await Stage(session, columns: 100, rows: 30)
        for step in 0..<1_500 {
            await act(stage, keys, &random)
            if step % 5 == 0 { await stage.settle() }
            check(stage, "seed \(seed), step \(step)")
            if step % 3 == 0 {
                #expect(stage.surface.size == stage.model.panels.size, "seed \(seed), step \(step)")
            }
        }
        await stage.settle()
    }

    private func act(_ stage: Stage, _ keys: FakeSource, _ random: inout SeededRandom) async {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<74:
            guard let key = Self.keys.randomElement(using: &random) else { return }
            stage.take(.input(.key(key)))
            // Sometimes an editor returns.
            if case .edit(let id, let text, _)? = stage.requests.last, Bool.random(using: &random) {
                stage.take(.edited(id, .success(text + "!")))
            }
        case 74..<78:
            stage.take(
                .input(
                    .resize(
                        columns: Int.random(in: 0...220, using: &random),
                        rows: Int.random(in: 0...70, using: &random))))
        case 78..<84:
            let kind: [MouseEvent.Kind] = [.click, .doubleClick, .drag, .wheelUp, .wheelDown]
            let event = MouseEvent(
                kind.randomElement(using: &random) ?? .click,
                column: Int.random(in: -1...220, using: &random),
                row: Int.random(in: -1...70, using: &random))
            stage.take(.input(.mouse(event)))
        case 84..<93: change(stage, keys, &random)
        case 93..<95: stage.take(.input(.paste("note\n\u{1B}[31m")))
        case 95..<97:
            stage.advance(seconds: Double.random(in: 0...400, using: &random))
            let alarm = Alarm.allCases.randomElement(using: &random) ?? .marks
            stage.take(.woke(alarm))
        case 97:
            let id = RequestID(Int.random(in: 0...stage.model.requests.lastID, using: &random))
            // The answer is outdated or too short.
            stage.take(.window(id, .success(RowWindow(rows: [], start: 3, total: 9))))
        case 98:
            let id = RequestID(Int.random(in: 0...stage.model.requests.lastID, using: &random))
            stage.take(.window(id, .failure(RequestFailure(.other, "a disk error"))))
        default: await stage.settle()
        }
    }

    private func change(_ stage: Stage, _ keys: FakeSource, _ random: inout SeededRandom) {
        var entries = keys.entries
        var marks: [RowID: RowMark] = [:]
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            if Bool.random(using: &random), !entries.isEmpty {
                let index = Int.random(in: 0..<entries.count, using: &random)
                marks[entries[index].id] = .deleted
                entries.remove(at: index)
            } else if let entry = try? Sample.entry(
                "k\(Int.random(in: 0...99_999, using: &random))", "new",
                sides: Bool.random(using: &random) ? ["a", "b"] : [])
            {
                entries.removeAll { $0.id == entry.id }
                entries.append(entry)
                marks[entry.id] = .new
            }
        }
        keys.entries = entries.sorted { $0.id.name < $1.id.name }
        stage.take(
            .event(
                SessionEvent(
                    .changed(.keys, rows: marks, isOwn: false), date: stage.model.now.date,
                    summary: "\(marks.count)")))
    }

    /// Invariants that hold after every step.
    private func check(_ stage: Stage, _ place: Comment) {
        let model = stage.model
        guard let list = model.list else { return }
        #expect(list.cursor >= 0 && list.cursor < max(1, list.total), place)
        #expect(list.top >= 0 && list.top <= list.cursor, place)
        if let row = list.row(at: list.cursor), let id = list.cursorID {
            #expect(row.id == id, place)
        }
        #expect(list.rows.count <= 1_000, place)
        #expect(model.navigation.activePane < model.navigation.panes.count, place)
        #expect(model.panelStates.inspector.cursor >= 0, place)
    }
}
