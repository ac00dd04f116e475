import Foundation
import Replication
import Testing

@testable import TidelineCore
@testable import TidelineUI

/// Panels without a screen around them: a state and a context in, outcomes out.
@Suite struct PanelModuleTests {
    private func context(devices: [String] = []) throws -> ScreenContext {
        var context = ScreenContext()
        context.panels.focus = .sidebar
        context.session.status.devices = try devices.map {
            SessionStatus.Device(id: try DeviceID($0), name: "", state: "ok")
        }
        return context
    }

    private func lines(_ part: some PanelModule, in context: ScreenContext) -> [String] {
        var canvas = Canvas(context, .bare)
        part.draw(in: canvas.surface.bounds, on: &canvas)
        return canvas.surface.lines
    }

    @Test func deviceInTheSidebarFiltersTheList() throws {
        let context = try context(devices: ["ipad", "mac"])
        var sidebar = SidebarPanel()
        _ = sidebar.move(by: 5, in: context)
        #expect(sidebar.cursor == 1 && sidebar.place(in: context) == "2/2 ")
        #expect(sidebar.open(in: context) == [.showDevice("mac")])
        #expect(sidebar.alert(in: context) == .device(try DeviceID("mac")))
        #expect(lines(sidebar, in: context).contains { $0.contains("mac") })
    }

    @Test func eventLeadsToItsRow() throws {
        let context = try context()
        var events = EventsPanel()
        #expect(events.open(in: context) == [.notice(.info, "no event is selected")])
        for device in ["ipad", "mac"] {
            let event = SessionEvent(
                .changed(.keys, rows: [RowID("of-\(device)"): .changed], isOwn: false),
                date: Date(), device: try DeviceID(device))
            events.add(event, by: device, isAlert: false)
        }
        _ = events.move(by: -1, in: context)
        #expect(events.place(in: context) == "1/2 ")
        #expect(
            events.open(in: context)
                == [.follow(Detail.Link(pane: .keys, row: RowID("of-ipad")), from: 1)])
        #expect(lines(events, in: context).contains { $0.contains("mac") })
    }

    @Test func eventsFilterIsClearedOnce() {
        var events = EventsPanel()
        events.setFilter("ipad")
        #expect(events.filterPrompt?.text.text == "ipad")
        let results = [events.goBack(), events.goBack()]
        #expect(results == [true, false])
    }

    // MARK: List

    /// A list whose rows have loaded.
    private func list(_ names: [String], in context: inout ScreenContext) -> ListPanel {
        let info = ListInfo(
            "Keys",
            columns: [
                Column("key", "Key", minimumWidth: 10, isSortable: true),
                Column("value", "Value", minimumWidth: 10, isSortable: true),
            ])
        let source = SourceInfo(id: SourceID(1), info: info)
        var list = ListPanel()
        list.navigation.panes = [
            Navigation.PaneState(id: .keys, lists: [ListState(source: source)])
        ]
        var requests = Requests()
        _ = list.request(in: context, &requests)
        let rows = names.map { Row(id: RowID($0), cells: [RowCell($0), RowCell("of \($0)")]) }
        _ = list.receive(
            RequestID(1), .success(RowWindow(rows: rows, start: 0, total: rows.count)),
            in: context)
        (context.navigation, context.panels.focus) = (list.navigation, .list)
        return list
    }

    @Test func listRequestsItsRowsOnce() throws {
        var context = try context()
        var list = list(["a", "b"], in: &context)
        var requests = Requests()
        #expect(list.request(in: context, &requests).isEmpty)
        context.session.version += 1
        guard case .window(_, SourceID(1), _)? = list.request(in: context, &requests).first else {
            Issue.record("a newer version doesn't request rows")
            return
        }
        #expect(list.request(in: context, &requests).isEmpty)
    }

    @Test func listMovesAndOpensTheSelectedRow() throws {
        var context = try context()
        var list = list(["a", "b", "c"], in: &context)
        #expect(list.move(by: 1, in: context) == [.rowSelected])
        #expect(list.place(in: context) == "2/3 ")
        #expect(list.open(in: context) == [.openRow(RowID("b"))])
        #expect(lines(list, in: context).contains { $0.contains("of b") })
    }

    @Test func movingUpEndsFollowing() throws {
        var context = try context()
        var list = list(["a", "b"], in: &context)
        list.isFollowing = true
        let outcomes = list.move(by: -1, in: context)
        #expect(!list.isFollowing && outcomes.count == 2)
    }

    @Test func clickOnATitleSortsAndClickOnARowSelects() throws {
        var context = try context()
        var list = list(["a", "b"], in: &context)
        let inner = try #require(context.layout.inner(.list))
        let onTitle = list.click(at: Point(column: 3, row: 0), in: inner, of: context)
        #expect(!onTitle.isHit)
        #expect(list.navigation.list?.latestQuery.sort?.column == "key")
        let onRow = list.click(at: Point(column: 3, row: 2), in: inner, of: context)
        #expect(onRow.isHit && list.navigation.list?.cursorID == RowID("b"))
    }

    // MARK: Inspector

    /// An inspector with the detail of the selected row.
    private func inspector(_ lines: [Detail.Line], in context: ScreenContext) -> InspectorPanel {
        var (inspector, requests) = (InspectorPanel(), Requests())
        _ = inspector.request(in: context, &requests)
        let detail = Detail(title: "a", sections: [Detail.Section("History", lines)])
        inspector.receive(RequestID(1), .success(detail), in: context)
        return inspector
    }

    @Test func versionInTheHistoryIsOpenedAndClosed() throws {
        var context = try context(devices: ["mac"])
        _ = list(["a"], in: &context)
        let version = Detail.Version(at: context.now, by: try DeviceID("mac"))
        var inspector = inspector([Detail.Line("mac", "1", version: version)], in: context)
        _ = inspector.move(by: 1, in: context)
        #expect(inspector.opening(in: context) == "view version")
        #expect(inspector.open(in: context).isEmpty)
        #expect(inspector.form == .version(version))
        let results = [inspector.goBack(), inspector.goBack()]
        #expect(results == [true, false] && inspector.form == .row)
    }

    @Test func writeInTheHistoryLeadsIntoThePast() throws {
        var context = try context(devices: ["mac"])
        _ = list(["a"], in: &context)
        let mac = try DeviceID("mac")
        let line = Detail.Line("mac", "1", instant: context.now, writer: mac)
        var inspector = inspector([line], in: context)
        #expect(inspector.open(in: context) == [.notice(.info, "nothing to open here")])
        _ = inspector.move(by: 1, in: context)
        #expect(inspector.open(in: context) == [.goIntoPast(to: context.now, by: mac)])
        #expect(inspector.cursor == 0)
    }

    // MARK: Timeline

    @Test func stepIsRequestedAndShowsItsInstant() throws {
        var context = try context(devices: ["mac"])
        _ = list(["a"], in: &context)
        let (mac, start) = (try DeviceID("mac"), context.now)
        var (timeline, requests) = (TimelinePanel(), Requests())
        timeline.time = TimeState(instant: start, device: mac)
        timeline.step(backwards: true, byDevice: true)
        timeline.step(backwards: false)
        #expect(
            timeline.request(in: context, &requests)
                == [.step(RequestID(1), from: start, backwards: true, device: mac)])
        #expect(timeline.isAwaited && timeline.request(in: context, &requests).isEmpty)

        let instant = Timestamp(microseconds: start.microseconds - 1)
        let link = Detail.Link(pane: .keys, row: RowID("a"))
        let write = PastWrite(.device(mac), "set a: ", values: ["1"], link: link)
        let outcomes = timeline.receive(
            RequestID(1), .success(TimeTravelStep(instant: instant, writes: [write])), in: context)
        #expect(
            outcomes == [
                .showInstant, .notice(.info, "mac set a: 1", isBrief: true),
                .revealRow(RowID("a")),
            ])
        #expect(timeline.time?.instant == instant && !timeline.isAwaited)
    }

    @Test func markIsSetAndRemoved() throws {
        let context = try context()
        var timeline = TimelinePanel()
        timeline.time = TimeState(instant: context.now)
        timeline.mark(\.markA)
        #expect(timeline.instant(named: "A", in: context) == context.now)
        timeline.mark(\.markA)
        #expect(timeline.instant(named: "A", in: context) == nil)
    }
}
