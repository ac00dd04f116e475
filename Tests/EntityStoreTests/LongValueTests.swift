import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

/// Values that are longer than the limit for reading.
@Suite struct LongValueTests {
    private let folder: TemporaryFolder
    private let package: StorePackage

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
    }

    private func open(_ device: String?) async throws -> EntityStore {
        try await EntityStore.open(package, device: device.map { try DeviceID($0) })
    }

    private func execute(_ device: String, _ sql: String) throws {
        try runSQL(sql, at: package.device(DeviceID(device)).path(of: .entities))
    }

    @Test(arguments: ["printf('%.*c', 17000000, 'x')", "zeroblob(17000000)"])
    func rowWithATooLongValueIsSkippedAndReported(_ value: String) async throws {
        let anna = try await open("anna")
        let made = try await anna.make("note", "first", "long")
        try await anna.set([(made[1], ["text": "soon long"])])
        try await anna.set([(made[0], ["text": "after it"])])
        await anna.close()
        try execute("anna", "UPDATE log SET value = \(value) WHERE value = 'soon long'")
        let ben = try await open("ben")
        #expect(try await ben.identifiers() == ["first", "long"])
        #expect(try await ben.value("text", of: made[0]) == "after it")
        #expect(try await ben.value("text", of: made[1]) == nil)
        let status = try #require(await ben.devices.first { $0.device.name == "anna" })
        #expect(status.state == .ok)
        #expect(status.problem?.contains("skipped") == true)
        await ben.close()
        // The device itself keeps writing.
        let again = try await open("anna")
        try await again.set([(made[1], ["text": "short"])])
        #expect(try await again.value("text", of: made[1]) == "short")
        await again.close()
    }

    @Test func valueTooLongToReadIsNotWritten() async throws {
        let store = try await open("anna")
        let made = try await store.make("note", "a")
        let text = EntityValue.string(String(repeating: "x", count: EntityOperation.longestValue))
        try await store.set([(made[0], ["text": text])])
        let longer = EntityValue.string(
            String(repeating: "x", count: EntityOperation.longestValue + 1))
        _ = await expectError(.invalidValue) { try await store.set([(made[0], ["text": longer])]) }
        await store.close()
        let again = try await open(nil)
        #expect(try await again.value("text", of: made[0]) == text)
    }
}
