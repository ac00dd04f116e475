import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Random keys, sizes and remote writes in all panes of a real store. The program must not crash,
/// and every frame must be correct.
///
/// `TIDELINE_RUNS` sets the number of runs with 250 steps each; 4,000 runs are a million steps.
@Suite(.serialized) struct MonkeyTests {
    private static let steps = 250

    private static let keys: [Key] = {
        let named: [Key.Code] = [
            .enter, .escape, .tab, .backTab, .up, .down, .left, .right, .home, .end, .pageUp,
            .pageDown, .delete, .backspace, .function(1), .function(2),
        ]
        // Navigation keys occur more often than text.
        let often =
            "123456789012345678901234567890jjjkkkhlcCtpBMMEE:/fofxy?_+=-{}()<>ADwwzZ@bPFnNvyGi "
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/?[]_+@%<> ~é日"
        return named.map { Key($0) } + named.map { Key($0) } + [Key(.left, .shift)]
            + often.map { .character($0) } + plain.map { .character($0) }
            + "adefgklnptuw".map { .character($0, .control) }
    }()

    /// The store that every run copies.
    private static let template = Task {
        let folder = try TemporaryFolder()
        try await DemoStore().build(at: folder.appending("Demo.store"))
        return folder
    }

    @Test(arguments: seeds(2))
    func randomKeysKeepARealStoreConsistent(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.appending("Demo.store")
        try FileManager.default.copyItem(
            atPath: try await Self.template.value.appending("Demo.store"), toPath: path)
        let session = try StoreOpener(device: try DeviceID("anna-laptop")).open(path)
        let life = try DemoLife(path: path, device: try DeviceID(DemoLife.devices[0]))

        let names = ThemeLibrary.shipped.keys.sorted()
        let name = names[Int(seed) % names.count]
        let library = ThemeLibrary(environment: ["HOME": "/nowhere"])
        let depth = ContrastTests.depths[Int(seed / 2) % ContrastTests.depths.count]
        let theme = try library.theme(named: name, depth: depth, isASCII: false)
        let appearance = try library.file(named: name).appearance
        let stage = await Stage(
            session, columns: 100, rows: 30, theme: theme, themes: names)
        var check = ScreenCheck(theme, appearance, depth)
        var seen: Set<PaneID> = []
        for step in 0..<Self.steps {
            let what = try await act(stage, life, &random)
            if let pane = stage.model.pane?.id { seen.insert(pane) }
            let problems = check.problems(of: stage.model)
            let place = "\(name), seed \(seed), step \(step), after \(what)"
            #expect(problems.isEmpty, "\(place): \(problems.joined(separator: "; "))")
            if !problems.isEmpty { return }
        }
        await stage.settle()
        #expect(seen.count > 1, "only \(seen) were visited with seed \(seed)")
        await session.close()
    }

    /// - Returns: A description of the step.
    private func act(
        _ stage: Stage, _ life: DemoLife, _ random: inout SeededRandom
    ) async throws -> String {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<82:
            guard let key = Self.keys.randomElement(using: &random) else { return "" }
            stage.take(.input(.key(key)))
            if case .edit(let id, let text, _)? = stage.requests.last,
                stage.model.requests.awaited != nil
            {
                stage.take(.edited(id, .success(text + "!")))
            }
            if Int.random(in: 0..<4, using: &random) > 0 { await stage.settle() }
            return KeyNotation.text(for: key)
        case 82..<88:
            let size = Size(
                columns: Int.random(in: 10...220, using: &random),
                rows: Int.random(in: 3...70, using: &random))
            stage.take(.input(.resize(columns: size.columns, rows: size.rows)))
            return "resizing to \(size.columns)x\(size.rows)"
        case 88..<91:
            stage.advance(seconds: Double.random(in: 0...100, using: &random))
            let alarm = Alarm.allCases.randomElement(using: &random) ?? .marks
            stage.take(.woke(alarm))
            return "\(alarm)"
        case 91..<94:
            try await life.act()
            return "a foreign write"
        default:
            // Closes all overlays and goes to the next pane.
            for key in [Key(.escape), Key(.escape), Key(.escape), .character("]")] {
                stage.take(.input(.key(key)))
                await stage.settle()
            }
            return "going on to the next pane"
        }
    }
}
