import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore
@testable import TidelineUI

@Suite(.timeLimit(.minutes(30))) struct DeviceColorsTests {
    @Test(arguments: 1...12) func colorsRepeatOnlyOnceAllAreUsed(_ count: Int) {
        for seed in 0..<50 {
            var colors = DeviceColors()
            colors.assign((0..<count).map { "device \(seed) \($0)" })
            let uses = Dictionary(grouping: colors.numbers.values) { $0 }.values.map(\.count)
            #expect(uses.count == min(count, Role.devices.count))
            #expect((uses.max() ?? 0) - (uses.min() ?? 0) <= 1)
        }
    }

    @Test func deviceKeepsItsColorWhileOthersArrive() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            var (colors, devices) = (DeviceColors(), [String]())
            for _ in 0..<10 {
                devices.append(String(UInt64.random(in: 0...(.max), using: &random), radix: 36))
                devices.sort()
                let before = colors.numbers
                colors.assign(devices)
                #expect(colors.numbers.filter { before[$0.key] != nil } == before)
            }
        }
    }

    @Test func colorsAreSavedIfNamesAloneDoNotDetermineThem() {
        var random = SeededRandom(seed: 8)
        var savedCount = 0
        for _ in 0..<200 {
            var colors = DeviceColors()
            let devices = (0..<4).map { _ in
                String(UInt64.random(in: 0...(.max), using: &random), radix: 36)
            }
            for count in 1...4 { colors.assign(devices.prefix(count).sorted()) }
            var reopened = DeviceColors(colors.kept(of: devices.sorted()) ?? [:])
            if !reopened.numbers.isEmpty { savedCount += 1 }
            reopened.assign(devices.sorted())
            #expect(reopened.numbers == colors.numbers)
        }
        #expect(savedCount > 0)
    }

    @Test func savedColorsThatDoNotExistAreIgnored() {
        var colors = DeviceColors(["a": 99, "b": -1, "c": 2])
        colors.assign(["a", "b", "c"])
        #expect(colors.numbers["c"] == 2)
        #expect(Set(colors.numbers.values).count == 3)
    }

    @Test func screenKeepsTheColorOfADeviceWhenAnotherArrives() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let stage = await Stage(session)
        let devices = session.status.devices.map(\.id)
        let before = devices.map { stage.model.session.role(of: .device($0)) }
        #expect(Set(before).count == devices.count)
        session.status.devices.insert(
            .init(id: try DeviceID("aaa"), name: "aaa", state: "ok"), at: 0)
        await stage.refreshStatus()
        #expect(stage.model.session.status.devices.count == devices.count + 1)
        #expect(devices.map { stage.model.session.role(of: .device($0)) } == before)
    }

    @Test func everyTextThatNamesADeviceHasItsColor() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        let mac = try DeviceID("mac")
        let role = stage.model.session.role(of: .device(mac))
        #expect(role != .device)
        #expect(stage.model.session.role(.device, of: "mac") == role)
        #expect(stage.model.session.role(.device, of: "a nickname", by: mac) == role)
        #expect(stage.model.session.role(.device, of: "unknown") == .device)
        #expect(stage.model.session.role(.key, of: "mac") == .key)
    }
}
