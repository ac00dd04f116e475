import Foundation
import KeyValueStore
import Replication
import Testing

/// Items in place of this device's own log, and writes to them.
@Suite struct OwnLogTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func write(_ count: Int) throws {
        let store = try fixture.store("a")
        for number in 0..<count { try store.set(.integer(Int64(number)), forKey: "k/\(number)") }
        try store.close()
    }

    @Test func logWithATriggerIsNotWrittenTo() throws {
        try write(3)
        try fixture.execute(
            "a", "CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM log; END")
        let store = try fixture.store("a")
        try store.set("new", forKey: "k/0")
        #expect(throws: ReplicationError.self) { try store.save() }
        #expect(try fixture.query("a", "SELECT count(*) FROM log") as [Int?] == [3])
    }

    @Test func fileWithHolesAfterItsLastPageIsRead() throws {
        try write(3)
        let path = fixture.logPath("a")
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 64 << 20)
        try file.close()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path)
        let store = try fixture.store("a")
        try store.set("new", forKey: "k/0")
        try store.close()
        #expect(try fixture.store(nil)["k/0"] == "new")
    }

    @Test(arguments: [
        "DELETE FROM log", "DELETE FROM log WHERE id > 2",
        "DELETE FROM log; DELETE FROM latest WHERE id < 3",
    ])
    func logThatLostItsLastRowsIsReportedAndReadOnly(_ sql: String) throws {
        try write(3)
        try fixture.execute("a", sql)
        let reader = try fixture.store("b")
        let status = try #require(reader.devices.first { $0.device.name == "a" })
        #expect(status.state == .incomplete)
        #expect(status.problem?.contains("lost") == true)
        let store = try fixture.store("a")
        #expect(throws: KeyValueError.self) { try store.set("new", forKey: "k/0") }
    }
}
