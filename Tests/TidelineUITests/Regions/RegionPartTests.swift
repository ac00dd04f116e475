import Foundation
import Replication
import Testing
import TidelineCore

@testable import TidelineUI

/// Panels without a screen around them: a state and a context in, outcomes out.
@Suite struct RegionPartTests {
    private func context(devices: [String] = []) throws -> ScreenContext {
        var context = ScreenContext()
        context.panels.focus = .sidebar
        context.session.status.devices = try devices.map {
            SessionStatus.Device(id: try DeviceID($0), name: "", state: "ok")
        }
        return context
    }

    private func lines(_ part: some RegionPart, in context: ScreenContext) -> [String] {
        var canvas = Canvas(context, .bare)
        part.draw(in: canvas.surface.bounds, on: &canvas)
        return canvas.surface.lines
    }

    @Test func deviceInTheSidebarFiltersTheList() throws {
        let context = try context(devices: ["ipad", "mac"])
        var sidebar = SidebarRegion()
        sidebar.move(by: 5, in: context)
        #expect(sidebar.cursor == 1 && sidebar.place(in: context) == "2/2 ")
        #expect(sidebar.open(in: context) == [.showDevice("mac")])
        #expect(sidebar.alert(in: context) == .device(try DeviceID("mac")))
        #expect(lines(sidebar, in: context).contains { $0.contains("mac") })
    }

    @Test func eventLeadsToItsRow() throws {
        let context = try context()
        var events = EventsRegion()
        #expect(events.open(in: context) == [.notice(.info, "no event is selected")])
        for device in ["ipad", "mac"] {
            let event = SessionEvent(
                .changed(.keys, rows: [RowID("of-\(device)"): .changed], isOwn: false),
                date: Date(), device: try DeviceID(device))
            events.add(event, by: device, isAlert: false, at: context.now)
        }
        events.move(by: -1, in: context)
        #expect(events.place(in: context) == "1/2 ")
        #expect(
            events.open(in: context)
                == [.follow(Detail.Link(pane: .keys, row: RowID("of-ipad")), from: 1)])
        #expect(lines(events, in: context).contains { $0.contains("mac") })
    }

    @Test func eventsFilterIsClearedOnce() {
        var events = EventsRegion()
        events.setFilter("ipad")
        #expect(events.filterPrompt?.text.text == "ipad")
        let results = [events.endFilter(), events.endFilter()]
        #expect(results == [true, false])
    }
}
