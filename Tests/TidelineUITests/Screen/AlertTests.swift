import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Alerts: setting, keeping and ringing them.
@Suite struct AlertTests {
    private func stage() async throws -> Stage {
        await Stage(try Sample.session(keys: try Sample.notes(), conflicts: try Sample.notes()))
    }

    /// A change of keys by a device.
    private func changed(
        _ rows: String..., by device: String = "ipad", isOwn: Bool = false
    ) throws -> Message {
        .event(
            SessionEvent(
                .changed(
                    .keys,
                    rows: Dictionary(uniqueKeysWithValues: rows.map { (RowID($0), .changed) }),
                    isOwn: isOwn),
                date: Date(timeIntervalSince1970: 1), device: try DeviceID(device),
                summary: "+\(rows.count)"))
    }

    private func rings(_ stage: Stage) -> Int { stage.requests.count { $0 == .ring } }

    @Test func alertOnAConflictRingsForItsRow() async throws {
        let entity = ConflictPlace(
            part: PaneID.entities.part, row: RowID("p1"), property: "mail")
        let conflicts = FakeSource(
            "Conflicts", [try Sample.entry(entity.listedRow.name, "1", sides: ["1", "2"])])
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes(), conflicts: conflicts), pane: "conflicts")
        await stage.press("b")
        await stage.send(
            .event(
                SessionEvent(
                    .changed(.entities, rows: [RowID("p1"): .changed], isOwn: false),
                    date: Date(timeIntervalSince1970: 1), device: try DeviceID("ipad"),
                    summary: "+1")))
        #expect(rings(stage) == 1)
    }

    /// Undoing a resolution brings the conflict back.
    @Test(arguments: [("here", 0), ("ipad", 1)])
    func conflictRingsUnlessThisDeviceCausedIt(_ device: String, _ count: Int) async throws {
        let stage = try await stage()
        stage.model.watching.alerts = [.names("note/*")]
        await stage.send(
            .event(
                SessionEvent(
                    .conflict(.conflicts, RowID("note/1/title")),
                    date: Date(timeIntervalSince1970: 1), device: try DeviceID(device),
                    summary: "≠ note/1/title: here, ipad")))
        #expect(rings(stage) == count)
    }

    @Test func alertOnAnEntityNamesThePropertyAndItsValues() async throws {
        let stage = try await stage()
        stage.model.watching.alerts = [
            .row(.init(pane: .entities, row: RowID("book-moby-dick"), name: "Moby-Dick"))
        ]
        var event = SessionEvent(
            .changed(.entities, rows: [RowID("book-moby-dick"): .changed], isOwn: false),
            date: stage.model.now.date, device: try DeviceID("ipad"))
        event.parts = [
            .init(subject: "Moby-Dick › stars", old: .init("3"), new: .init("5")),
            .init(subject: "Moby-Dick › lent to", old: .init("Ben"), new: nil),
        ]
        await stage.send(.event(event))
        #expect(
            stage.lines[23].hasPrefix(
                "! alert: ipad: Moby-Dick › stars: 3 → 5, Moby-Dick › lent to: Ben → deleted"),
            "\(stage.lines[23])")
    }

    @Test func writeByAnotherDeviceRingsTheSelectedRow() async throws {
        let stage = try await stage()
        await stage.press("j", "b")
        #expect(stage.lines[23].contains(" for note/1/title"))
        #expect(stage.effects.contains(.setReadsParts(true)))
        await stage.send(try changed("note/2/body"))
        await stage.send(try changed("note/1/title", by: "here", isOwn: true))
        #expect(rings(stage) == 0)
        await stage.send(try changed("note/1/title", "note/2/body"))
        #expect(rings(stage) == 1)
        #expect(stage.lines[23].contains("alert: ipad: note/1/title"))
        await stage.press("b")
        #expect(stage.lines[23].contains("alert off"))
        #expect(stage.effects.contains(.setReadsParts(false)))
        stage.advance(seconds: 60)
        await stage.send(try changed("note/1/title"))
        #expect(rings(stage) == 1)
    }

    @Test func rowsWithAnAlertHaveASign() async throws {
        let stage = try await stage()
        func signed() -> [String] {
            stage.lines[2...5].filter { $0.dropFirst().hasPrefix("◆") }
                .map { String($0.dropFirst(2).prefix(10)) }
        }
        #expect(signed().isEmpty)
        await stage.press("j", "b")
        #expect(signed() == ["note/1/tit"])
        await stage.press(":")
        await stage.type("alert note/2/* value>30")
        await stage.press("Enter")
        #expect(signed() == ["note/1/tit", "note/2/bod", "note/2/tit"], "\(stage.text)")
        await stage.press("b")
        #expect(signed() == ["note/2/bod", "note/2/tit"], "\(stage.text)")
    }

    @Test func missingDeviceIsReported() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("alert device:tablet")
        await stage.press("Enter")
        #expect(stage.lines[23].contains("tablet (not in this store"))
    }

    @Test func alertShowsTheOldAndTheNewValue() async throws {
        let stage = try await stage()
        await stage.press("j", "b")
        let row = try #require(stage.model.list?.selectedRow)
        let column = try #require(stage.model.list?.source.columns.firstIndex { $0.id == "value" })
        var event = SessionEvent(
            .changed(.keys, rows: [row.id: .changed], isOwn: false),
            date: Date(timeIntervalSince1970: 1), device: try DeviceID("ipad"), summary: "+1")
        event.values = [row.id: "\"as new\""]
        await stage.send(.event(event))
        #expect(
            stage.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
                "alert: ipad: \(row.id.name): \(row.cells[column].text) → \"as new\""))
    }

    private func command(_ text: String, on stage: Stage) async {
        await stage.press(":")
        await stage.type(text)
        await stage.press("Enter")
    }

    @Test(arguments: [
        ("note/* value>30", "31", true), ("note/* value>30", "30", false),
        ("note/* value>30", "many", false), ("other/* value>30", "31", false),
        ("value~/err(or)?/i", "\"an Error\"", true), ("value~/err(or)?/i", "\"fine\"", false),
        ("value=\"as new\"", "\"as new\"", true), ("value:*new device:mac", "\"new\"", false),
        ("device:ipad value>30", "31", true), ("value>30 -device:ipad", "31", false),
        ("value>2026-01-01", "2026-11-27T08:00:00Z", true),
    ])
    func ruleRingsForValuesThatSatisfyIt(rule: String, value: String, rings: Bool) async throws {
        let stage = try await stage()
        await command("alert \(rule)", on: stage)
        #expect(stage.lines[23].contains("alert on for"), "\(stage.lines[23])")
        guard case .event(var event) = try changed("note/1/title") else {
            Issue.record("not an event")
            return
        }
        event.values = [RowID("note/1/title"): value]
        await stage.send(.event(event))
        #expect(self.rings(stage) == (rings ? 1 : 0))
    }

    @Test func ruleRingsIfTheValueIsNotKnown() async throws {
        let stage = try await stage()
        await command("alert note/* value>30", on: stage)
        await stage.send(try changed("other"))
        #expect(rings(stage) == 0)
        await stage.send(try changed("note/1/title"))
        #expect(rings(stage) == 1)
    }

    @Test func invalidConditionIsReported() async throws {
        let stage = try await stage()
        await command("alert note/* value~/(/", on: stage)
        #expect(stage.lines[23].contains("alert:"), "\(stage.lines[23])")
        #expect(stage.model.watching.alerts.isEmpty)
    }

    @Test func configuredSignalNotifiesInsteadOfTheBell() async throws {
        var configuration = Configuration()
        configuration.alertSignal = .osc777
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), configuration: configuration)
        await command("alert note/*", on: stage)
        await stage.send(try changed("note/1/title"))
        #expect(rings(stage) == 0)
        #expect(stage.requests.contains(.notify("alert: ipad: note/1/title", .osc777)))
    }

    @Test func desktopNotificationReplacesTheBellUntilItFails() async throws {
        var configuration = Configuration()
        configuration.alertSignal = .notifySend
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), configuration: configuration)
        await command("alert note/*", on: stage)
        await stage.send(try changed("note/1/title"))
        #expect(stage.effects.contains(.notifyDesktop("alert: ipad: note/1/title")))
        #expect(rings(stage) == 0)
        await stage.send(.notificationFailed("notify-send: it can't be started"))
        #expect(rings(stage) == 1)
        #expect(stage.lines[23].contains(": notify-send"))
        stage.advance(seconds: 60)
        await stage.send(try changed("note/1/title"))
        #expect(rings(stage) == 2)
    }

    @Test func alertWatchesAKeyPatternOrADevice() async throws {
        let stage = try await stage()
        for command in ["alert note/2/*", "alert device:mac"] {
            await stage.press(":")
            await stage.type(command)
            await stage.press("Enter")
        }
        await stage.send(try changed("note/2/title", "note/2/body"))
        #expect(stage.lines[23].contains("alert: ipad: note/2/body, note/2/title"))
        stage.advance(seconds: 60)
        await stage.send(try changed("note/1/title", by: "mac"))
        #expect(stage.lines[23].contains("alert: mac: +1"))
        stage.advance(seconds: 60)
        await stage.send(try changed("note/1/title"))
        #expect(rings(stage) == 2)
    }

    /// Log rows are written only once, so an alert on one watches its device.
    @Test func patternAlertNamesKeysInsteadOfLogRows() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("alert *")
        await stage.press("Enter")
        let event = SessionEvent(
            .changed(.keys, rows: [RowID("note/1/title"): .changed], isOwn: false),
            date: stage.model.now.date, device: try DeviceID("ipad"),
            elsewhere: [.log: [RowID("817374747722129 93 ipad"): .new]])
        await stage.send(.event(event))
        #expect(stage.lines[23].hasPrefix("! alert: ipad: note/1/title"), "\(stage.lines[23])")
        #expect(!stage.lines[23].contains("817374747722129"))
    }

    @Test func alertOnALogRowWatchesItsDevice() async throws {
        let log = FakeSource(
            "Log", [try Sample.entry("x", "1", device: "mac")], isNewestFirst: true)
        let stage = await Stage(try Sample.session(keys: try Sample.notes(), log: log))
        await stage.press("2", "b")
        #expect(stage.lines[23].contains(" by mac"))
        await stage.send(try changed("note/2/body", by: "mac"))
        #expect(rings(stage) == 1)
    }

    @Test func alertUsesTheRowNameOfTheList() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "servers")
        let group = try #require(stage.model.list?.selectedRow)
        let name = group.cells[0].text
        #expect(name != group.id.name)
        await stage.press("b")
        #expect(stage.lines[23].contains(" for \(name)"))
        let written = Message.event(
            SessionEvent(
                .changed(.servers, rows: [group.id: .changed], isOwn: false), date: Date()))
        await stage.send(written)
        #expect(rings(stage) == 1)
        #expect(stage.lines[23].contains("alert: \(name)"))
        // After a restart, the alert keeps the name and still refers to the same row.
        let view = try #require(stage.model.changedView)
        let again = await Stage(session, pane: "servers", view: view)
        await again.press("^g")
        #expect(again.lines.contains { $0.contains("1 \(name)") })
        #expect(again.lines[23].contains("Enter remove"))
        // The key that opens the list also closes it.
        await again.press("^g")
        #expect(again.model.overlay == nil)
        await again.press("b")
        #expect(again.model.watching.alerts.isEmpty)
        await session.close()
    }

    /// Panes whose rows no other device writes, with the reason shown.
    @Test(arguments: [
        ("problems", "anna-laptop", "no device writes them"),
        ("types", "anna-laptop", "devices write entities"),
        ("servers", "anna-laptop", "the device's own catalog"),
    ])
    func rowsThatOnlyThisDeviceWritesCannotRing(
        _ pane: String, _ device: String, _ reason: String
    ) async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        // Adds a row to the problems pane.
        try Data("no database".utf8).write(
            to: URL(filePath: path + "/Devices/ben-phone/Catalog.db"))
        let session = try StoreOpener(device: try DeviceID(device)).open(path)
        let stage = await Stage(session, pane: pane, columns: 160)
        await stage.wait { $0.pane?.id.name == pane && $0.list?.selectedRow != nil }
        #expect(!stage.model.panelStates.list.hints(in: stage.model.context).contains("alert"))
        await stage.press("x")
        #expect(stage.text.contains("Copy row") && !stage.text.contains("Alert on changes"))
        await stage.press("Esc", "b")
        #expect(stage.lines[23].contains("can't have alerts"), "\(stage.lines[23])")
        #expect(stage.lines[23].contains(reason))
        #expect(stage.model.watching.alerts.isEmpty)
        await session.close()
    }

    @Test func emptyListHasNoRowForAnAlert() async throws {
        let stage = await Stage(try Sample.session(keys: FakeSource("Keys")))
        await stage.press("b")
        #expect(stage.lines[23].contains(try #require(stage.model.whyNoRow)), "\(stage.lines[23])")
    }

    @Test(arguments: [
        "row:keys a b", "called:Name\nrow:servers x", "device:ipad", "names:note/*",
        "when:note/* value>30",
    ])
    func savedAlertsAreReadBack(_ text: String) throws {
        #expect(Alert(stored: text)?.stored == text)
    }

    @Test(arguments: [
        "called:", "called:x\n", "called:x\ndevice:ipad", "row:x", "device:", "when:x",
    ])
    func alertWithoutATargetIsInvalid(_ text: String) {
        #expect(Alert(stored: text) == nil)
    }

    @Test func patternsOfEarlierVersionsAreReadAsPatterns() {
        #expect(Alert(stored: "note/*") == .names("note/*"))
        #expect(Alert(stored: "user:42")?.stored == "names:user:42")
    }

    /// Rules of words that look like other rules, and rows and devices with such names.
    @Test func randomAlertsKeepTheirMeaningWhenTheyAreSaved() async throws {
        let words = [
            "row:x", "called:a", "device:ben", "device:", "value>3", "Value~/x/", "-device:mac",
            "names:", "when:", "\"", "\"user:42\"", "not", "note/*", "*", "(value=1", "|", "a", "é",
            "\u{301}", "keys", "", "\n", "\r\n", "日本",
        ]
        var random = SeededRandom(seed: 5)
        func text() -> String {
            (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in
                words.randomElement(using: &random)
            }.joined(separator: Bool.random(using: &random) ? " " : "")
        }
        var model = try await stage().model
        var counts: [String: Int] = [:]
        for _ in 0..<2_000 {
            model.watching.alerts = []
            _ = model.toggleAlert(text())
            var alerts = model.watching.alerts
            alerts.insert(
                .row(
                    .init(
                        pane: PaneID(
                            ["keys", "log"].randomElement(using: &random) ?? "", of: "keys"),
                        row: RowID(text()), name: text())))
            if let device = try? DeviceID(text()) { alerts.insert(.device(device)) }
            for alert in alerts {
                #expect(Alert(stored: alert.stored) == alert, "\(alert)")
                counts[String(alert.stored.prefix { $0.isLetter }), default: 0] += 1
            }
        }
        for kind in ["device", "called", "row", "names", "when"] {
            #expect(counts[kind] ?? 0 > 20, "\(kind)")
        }
    }

    @Test(arguments: [
        ("type:string", "unknown field “type” (available: device, value)"),
        ("note/* name~/x/", "unknown field “name” (available: device, value)"),
        ("row:x", "unknown field “row” (available: device, value)"),
        ("device:ipad size>3", "unknown field “size” (available: device, value)"),
        ("not value>3", "write a minus sign for “not”: -value>3"),
    ])
    func wrongConditionIsReported(_ rule: String, _ problem: String) async throws {
        let stage = try await stage()
        await command("alert \(rule)", on: stage)
        #expect(stage.model.notice?.text.hasPrefix("alert: \(problem)") == true)
        #expect(stage.model.watching.alerts.isEmpty)
    }

    @Test func fieldsOfConditionsIgnoreCase() async throws {
        let stage = try await stage()
        await command("alert Value>30", on: stage)
        guard case .rule(let rule)? = stage.model.watching.alerts.first else {
            Issue.record("\(stage.model.watching.alerts)")
            return
        }
        #expect(rule.matches(RowID("a"), value: "31", by: []))
        #expect(!rule.matches(RowID("a"), value: "30", by: []))
    }

    @Test(arguments: [
        ("\"user:42\"", "user:42"), ("\"user:*\" value=1", "user:7"), ("\"a b\"", "a b"),
    ])
    func quotedPatternIsNotACondition(_ rule: String, _ row: String) async throws {
        let stage = try await stage()
        await command("alert \(rule)", on: stage)
        await stage.send(try changed("other"))
        #expect(rings(stage) == 0)
        await stage.send(try changed(row))
        #expect(rings(stage) == 1)
    }

    @Test func conflictInTheRowRingsTheAlert() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("alert a")
        await stage.press("Enter")
        await stage.send(
            .event(SessionEvent(.conflict(.conflicts, RowID("a")), date: Date(), summary: "a")))
        #expect(rings(stage) == 1)
        #expect(stage.lines[23].contains("alert: a"))
    }

    @Test func pausedFeedRingsOncePerBurst() async throws {
        let stage = try await stage()
        await stage.press("j", "b", "P")
        for _ in 0..<20 { await stage.send(try changed("note/1/title")) }
        #expect(rings(stage) == 1)
        stage.advance(seconds: 2)
        await stage.send(try changed("note/1/title"))
        #expect(rings(stage) == 2)
    }

    @Test func alertOnAnEventWatchesItsDevice() async throws {
        let stage = try await stage()
        await stage.send(try changed("note/1/title", by: "mac"))
        await stage.press("E", "b")
        #expect(stage.lines[23].contains(" by mac"))
    }
}
