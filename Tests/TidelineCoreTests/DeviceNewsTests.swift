import Foundation
import Replication
import Synchronization
import TestSupport
import Testing

@testable import TidelineCore

/// Events about devices if several of their properties change at once.
@Suite struct DeviceNewsTests {
    /// A part with one device, whose state the test controls.
    private final class Part: SessionPart {
        private struct State {
            var report: DeviceReport
            var emit: (@Sendable (SessionEvent) -> Void)?
            var looks = 0
            var isMissing = false
        }

        private let state: Mutex<State>

        init(_ report: DeviceReport) { state = Mutex(State(report: report)) }

        var panes: [Pane] { [] }
        var status: PartStatus {
            state.withLock {
                PartStatus(phase: $0.isMissing ? .missing : .live, devices: [$0.report])
            }
        }
        /// The number of device notifications.
        var looks: Int { state.withLock { $0.looks } }

        func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
            state.withLock { $0.emit = emit }
            emit(SessionEvent(.loaded, date: Date()))
        }

        func change(_ change: (inout DeviceReport) -> Void) {
            let emit = state.withLock { state in
                change(&state.report)
                return state.emit
            }
            emit?(SessionEvent(.devices, date: Date()))
        }

        /// Simulates the package disappearing or returning, and notifies the session.
        func move(away isMissing: Bool) {
            let emit = state.withLock { state in
                state.isMissing = isMissing
                return state.emit
            }
            emit?(SessionEvent(isMissing ? .deleted : .returned, date: Date()))
        }

        func devicesChanged() { state.withLock { $0.looks += 1 } }
        func reload() async throws {}
        func close() async {}
    }

    private func opened() throws -> (Part, ComposedSession, AsyncStream<SessionEvent>) {
        let part = Part(DeviceReport(try DeviceID("ben"), in: "keys", state: .ok))
        let session = ComposedSession(path: "/tmp/a.store", parts: [part], isWritable: false)
        return (part, session, session.events())
    }

    @Test func everyNewCopyIsReported() async throws {
        let (part, session, events) = try opened()
        part.change { $0.copies = ["copy 1", "copy 2"] }
        part.change { $0.copies = ["copy 1", "copy 2", "copy 3"] }
        await session.close()
        var reported: [String] = []
        for await event in events where event.device != nil { reported.append(event.summary) }
        #expect(reported == ["copy 1", "copy 2", "copy 3"])
    }

    @Test func incompleteFileIsReportedIfItStaysIncomplete() async throws {
        let (part, session, events) = try opened()
        func half(_ report: inout DeviceReport, isEarly: Bool) {
            (report.state, report.problem, report.isEarly) = (.incomplete, "it is short", isEarly)
        }
        part.change { half(&$0, isEarly: true) }
        part.change { ($0.state, $0.problem, $0.isEarly) = (.ok, nil, false) }
        part.change { half(&$0, isEarly: true) }
        part.change { half(&$0, isEarly: false) }
        await session.close()
        var reported: [String] = []
        for await event in events where event.device != nil { reported.append(event.summary) }
        #expect(reported == ["is incomplete: it is short"])
    }

    @Test func deletedFileOfThisDeviceIsReported() async throws {
        var report = DeviceReport(try DeviceID("anna"), in: "keys", state: .ok)
        (report.isOwn, report.rows) = (true, 1)
        let part = Part(report)
        let session = ComposedSession(path: "/tmp/a.store", parts: [part], isWritable: false)
        let events = session.events()
        part.change { ($0.state, $0.problem) = (.absent, "its file was deleted") }
        await session.close()
        var reported: [String] = []
        for await event in events where event.device != nil { reported.append(event.summary) }
        #expect(reported == ["is absent: its file was deleted"])
    }

    @Test func devicesAreNotReportedWhileTheStoreIsMissing() async throws {
        let (part, session, events) = try opened()
        part.move(away: true)
        part.change { ($0.state, $0.problem) = (.absent, "its file was deleted") }
        part.move(away: false)
        part.change { ($0.state, $0.problem) = (.ok, nil) }
        part.move(away: true)
        part.move(away: false)
        var reported: [String] = []
        for await event in events {
            if event.device != nil { reported.append(event.summary) }
            // Wait for the effects of the reload.
            if event.kind == .returned {
                try await Task.sleep(for: .milliseconds(50))
                part.change { $0.copies = ["copy 1"] }
            }
            if reported.last == "copy 1" { break }
        }
        #expect(reported == ["copy 1"])
        await session.close()
    }

    @Test func onlyChangedProblemsTriggerARecheck() async throws {
        let (part, session, events) = try opened()
        part.change { $0.notes = ["its clock is ahead"] }
        part.change { $0.rows = 3 }
        #expect(part.looks == 1)
        await session.close()
        var kinds: [SessionEvent.Kind] = []
        for await event in events { kinds.append(event.kind) }
        #expect(kinds == [.loaded, .devices, .status])
    }

    @Test func deviceIsNotBehindOneWhoseClockIsAhead() async throws {
        let now = Timestamp(microseconds: 800_000_000_000_000)
        func device(_ name: String, seconds: Int64, isAhead: Bool) throws -> SessionStatus.Device {
            var report = DeviceReport(try DeviceID(name), in: "keys", state: .ok)
            report.newest = Timestamp(microseconds: now.microseconds + seconds * 1_000_000)
            report.hasClockProblem = isAhead
            return SessionStatus.Device(
                id: report.device, name: name, state: "ok", newest: report.newest,
                stores: [report])
        }
        let devices = [
            try device("ahead", seconds: 200_000, isAhead: true),
            try device("ben", seconds: -30, isAhead: false),
            try device("anna", seconds: 0, isAhead: false),
        ]
        let folder = try TemporaryFolder()
        let source = DevicesSource(
            of: try StorePackage(creating: folder.appending("a.store")),
            WriteAccess(as: nil, isUnlocked: false)
        ) { devices }
        let rows = try await source.window(WindowRequest(count: 10)).rows
        #expect(rows.map { $0.cells[4].value } == [0, 30, 0].map { .json(.integer($0)) })
    }

    @Test func copiesOfANewDeviceAreReported() async throws {
        let part = Part(DeviceReport(try DeviceID("ben"), in: "keys", state: .absent))
        let session = ComposedSession(path: "/tmp/a.store", parts: [part], isWritable: false)
        let events = session.events()
        part.change {
            $0.state = .ok
            $0.copies = ["copy 1", "copy 2"]
        }
        await session.close()
        var reported: [String] = []
        for await event in events where event.device != nil { reported.append(event.summary) }
        #expect(reported == ["is new", "copy 1", "copy 2"])
    }
}
