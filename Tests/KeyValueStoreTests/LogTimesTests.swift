import Foundation
import Replication
import TestSupport
import Testing

@testable import KeyValueStore

/// The index of a log's rows, read in two pieces while the log grows.
@Suite struct LogTimesTests {
    private let fixture: StoreFixture
    private let writer: KeyValueStore
    private let reader: KeyValueStore

    init() throws {
        fixture = try StoreFixture()
        writer = try fixture.store("a")
        for number in 0..<20 { try writer.set(.integer(Int64(number)), forKey: "k/\(number)") }
        try writer.removeValue(forKey: "k/3")
        try writer.save()
        reader = try fixture.store(nil)
    }

    private var log: KeyValueStore.ReadableLog {
        get throws { try #require(reader.readableLogs(nil, longest: 1 << 20).first) }
    }

    private func rows(_ range: LogTimes.KeyRange = .init()) throws -> LogTimes.ByKey {
        try LogReader.read(log) { try LogTimes.ByKey($0, reader.memory, range, count: 21) }
    }

    private func removals() throws -> LogTimes.Removals {
        try LogReader.read(log) { try LogTimes.Removals($0) }
    }

    /// The numbers of the rows that remove keys.
    private func removed(_ times: LogTimes) -> [Int64] {
        times.entries.indices.filter { times.entries[$0] & LogTimes.removal != 0 }
            .map { times.id(at: $0) }
    }

    private func grow() throws {
        fixture.clock.advance(microseconds: 1)
        try writer.removeValue(forKey: "k/4")
        try writer.set("more", forKey: "k/5")
        try writer.save()
    }

    @Test func rowsAddedAfterReadingRemovalsAreReadNextTime() throws {
        let sign = LogTimes.Sign(try #require(reader.devices.first))
        let before = try removals()
        try grow()
        let times = try #require(
            LogTimes([try rows()], before, device: log.device, sign: sign))
        #expect(times.timestamps.count == 21)
        #expect(removed(times) == [21])
        try reader.sync()
        let now = LogTimes.Sign(try #require(reader.devices.first))
        let grown = try LogReader.read(log) {
            try LogTimes(extending: times, to: now, $0, reader.memory)
        }
        #expect(removed(grown) == [21, 22])
        #expect(grown.timestamps.count == 23)
    }

    @Test func removalsAddedAfterReadingRowsAreReadNextTime() throws {
        let sign = LogTimes.Sign(try #require(reader.devices.first))
        let before = try rows()
        try grow()
        let times = try #require(
            LogTimes([before], try removals(), device: log.device, sign: sign))
        #expect(times.timestamps.count == 21)
        #expect(removed(times) == [21])
    }

    @Test(arguments: 1..<6)
    func rowsAddedAfterReadingAPartAreReadNextTime(parts: Int) throws {
        let sign = LogTimes.Sign(try #require(reader.devices.first))
        let ranges = LogTimes.KeyRange.all(in: parts, of: reader.memory)
        #expect(ranges.count == parts)
        let removals = try removals()
        var read: [LogTimes.ByKey] = []
        for range in ranges {
            read.append(try rows(range))
            try grow()
        }
        let times = try #require(try LogTimes(read, removals, device: log.device, sign: sign))
        #expect((0..<times.timestamps.count).map { times.id(at: $0) } == Array(1...21))
        #expect(removed(times) == [21])
        #expect(
            try LogTimes(Array(read.dropFirst()), removals, device: log.device, sign: sign) == nil)
    }

    @Test func readingsWithMissingRowsAreNotCombined() throws {
        let (rows, removals) = (try rows(), try removals())
        try grow()
        try reader.sync()
        let now = LogTimes.Sign(try #require(reader.devices.first))
        #expect(try LogTimes([rows], removals, device: log.device, sign: now) == nil)
    }
}
