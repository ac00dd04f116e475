import Foundation
import Replication
import Testing

@testable import TidelineCore
@testable import TidelineUI

/// Control sequences in data never reach the terminal.
@Suite struct HostileTextTests {
    private static let texts = [
        "\u{1B}]0;renamed\u{07}", "\u{1B}[2J\u{1B}[H", "\u{9B}31m", "a\nb\r\nc\td", "\u{0}\u{7F}",
        "\u{202E}evil\u{202C}", "\u{200B}\u{FEFF}", "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        "👩‍👩‍👧‍👦🏳️‍🌈", "\u{1B}P1$r\u{1B}\\", String(repeating: "\u{300}", count: 300),
    ]

    private func check(
        _ surface: Surface, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let rows = (0..<surface.size.rows).map(surface.row)
        let isVisible = rows.allSatisfy { row in
            row.allSatisfy { cell in
                cell.width == 0
                    || ([cell.glyph.base] + cell.glyph.marks).allSatisfy { scalar in
                        let value = scalar.value
                        return value >= 0x20 && !(0x7F..<0xA0).contains(value) && value != 0x202E
                    }
            }
        }
        #expect(isVisible, sourceLocation: sourceLocation)
        let isFilled = rows.allSatisfy { row in
            row.reduce(0) { $0 + $1.width } == surface.size.columns
        }
        #expect(isFilled, sourceLocation: sourceLocation)
    }

    @Test(arguments: texts)
    func controlCharactersReachNoCell(_ text: String) async throws {
        let keys = FakeSource(
            text,
            [
                try Sample.entry(text, text, sides: [text, text]),
                try Sample.entry("b" + text, text + text),
            ])
        let name = text.replacing("/", with: "").replacing("\u{0}", with: "")
        let bytes = ("d" + name).utf8.prefix(201)
        let device = try DeviceID(String(decoding: bytes, as: UTF8.self))
        let session = FakeSession(
            path: "/nowhere/" + text, panes: [Pane(.keys, keys)],
            status: SessionStatus(
                phase: .loading(stage: text, fraction: .nan),
                devices: [.init(id: device, name: text, state: text, problem: text)],
                conflictCount: 1, problems: [text]))
        for (columns, rows) in [(80, 24), (120, 40), (200, 60), (30, 8)] {
            let stage = await Stage(session, columns: columns, rows: rows)
            await stage.emit(.conflict(.conflicts, RowID(text)), summary: text, device: device.name)
            check(stage.surface)
            await stage.press("Enter")
            check(stage.surface)
            await stage.press("Esc", "w", "j", "i")
            await stage.send(.input(.paste(text)))
            check(stage.surface)
            await stage.press("Enter")
            check(stage.surface)
            await stage.press("Esc", "t", "x")
            check(stage.surface)
            await stage.press("Esc", "f")
            await stage.send(.input(.paste(text + "(")))
            check(stage.surface)
            await stage.press("Esc", "0", "y")
            check(stage.surface)
            await stage.press("Esc", ":")
            await stage.send(.input(.paste("goto " + text)))
            check(stage.surface)
            await stage.press("Enter")
            await stage.send(.notice(Notice(.error, text)))
            check(stage.surface)
        }
    }

    @Test func hugeValueIsDrawnSafely() async throws {
        let text = String(repeating: "日本\u{1B}[31m ", count: 200_000)
        let keys = FakeSource("Keys", [try Sample.entry("big", text)])
        let stage = await Stage(try Sample.session(keys: keys), columns: 200, rows: 60)
        check(stage.surface)
        await stage.press("M-9", "9", "L", "Enter", "j", "G")
        check(stage.surface)
    }
}
