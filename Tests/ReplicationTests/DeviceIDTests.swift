import Replication
import Testing

@Suite struct DeviceIDTests {
    @Test(arguments: [
        "", ".", "..", ".hidden", "a/b", "/", "a\u{0}b", String(repeating: "ä", count: 128),
    ])
    func namesThatLeadElsewhereAreNotDevices(name: String) {
        expectCode(.invalidDevice) { try DeviceID(name) }
    }

    @Test func devicesAreOrderedByTheirBytes() throws {
        let names = ["ä", "a", "Z", "a|b", "A", "10", "9"]
        let devices = try names.map { try DeviceID($0) }.sorted()
        #expect(devices.map(\.name) == ["10", "9", "A", "Z", "a", "a|b", "ä"])
    }
}
