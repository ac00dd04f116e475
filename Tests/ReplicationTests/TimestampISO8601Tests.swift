import Foundation
import Replication
import TestSupport
import Testing

@Suite struct TimestampISO8601Tests {
    @Test(
        arguments: [
            ("2001-01-01T00:00:00.000000Z", 0),
            ("2026-11-21T09:15:00.123456Z", 816_945_300_123_456),
            ("2000-12-31T23:59:59.999999Z", -1),
            ("1970-01-01T00:00:00.000000Z", -978_307_200_000_000),
            ("2024-02-29T12:00:00.500000Z", 730_900_800_500_000),
            ("0000-01-01T00:00:00.000000Z", -63_145_526_400_000_000),
            ("+010000-01-01T00:00:00.000000Z", 252_423_993_600_000_000),
            ("-000001-12-31T00:00:00.000000Z", -63_145_612_800_000_000),
        ] as [(String, Int64)])
    func knownInstantsRoundTrip(text: String, microseconds: Int64) throws {
        #expect(Timestamp(microseconds: microseconds).iso8601 == text)
        #expect(try Timestamp(parsing: text).microseconds == microseconds)
    }

    @Test(arguments: [
        ("2026-11-21", "2026-11-21T00:00:00.000000Z"),
        ("2026-11-21T09:15", "2026-11-21T09:15:00.000000Z"),
        ("2026-11-21 09:15:01", "2026-11-21T09:15:01.000000Z"),
        ("2026-11-21t09:15:01.5z", "2026-11-21T09:15:01.500000Z"),
        ("2026-11-21T09:15:01,25+01:00", "2026-11-21T08:15:01.250000Z"),
        ("2026-11-21T09:15:01.1234567899-0330", "2026-11-21T12:45:01.123456Z"),
        ("2026-01-01T00:30:00+02", "2025-12-31T22:30:00.000000Z"),
        ("2026-11-21T24:00:00Z", "2026-11-22T00:00:00.000000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000Z"),
        ("0", "2001-01-01T00:00:00.000000Z"), ("-1", "2000-12-31T23:59:59.999999Z"),
        ("816945300123456", "2026-11-21T09:15:00.123456Z"),
    ])
    func otherISOFormatsAreRead(text: String, expected: String) throws {
        #expect(try Timestamp(parsing: text).iso8601 == expected)
    }

    @Test(arguments: [
        "", " ", "today", "2026-1-1x", "2026-13-01", "2026-02-29", "2026-00-10",
        "2026-04-31", "1900-02-29", "2026-11-21T", "2026-11-21T25:00Z", "2026-11-21T24:00:01Z",
        "2026-11-21T09:60Z", "2026-11-21T09:15:61Z", "2026-11-21T09:15:00.Z",
        "2026-11-21T09:15:00+24:00", "2026-11-21T09:15:00Z ", "2026-11-21T09:15:00ZZ",
        "2026-11-21T09:15:00+1", "99999-01-01", "+294279-01-01T00:00:00Z",
        "-290278-12-31T00:00:00Z", "+294278-01-10T04:00:54.775808Z",
        "-290277-12-23T19:59:05.224191Z", "9223372036854775808",
        "2026-11-21T09:15:00.123456789Z\u{0}",
        "２０２６-11-21", String(repeating: "1", count: 10_000),
    ])
    func invalidTextIsRefused(text: String) {
        expectCode(.invalidTimestamp) { try Timestamp(parsing: text) }
    }

    @Test func firstAndLastInstantsRoundTrip() throws {
        for timestamp in [Timestamp.distantPast, .distantFuture] {
            #expect(try Timestamp(parsing: timestamp.iso8601) == timestamp)
            #expect(try Timestamp(parsing: "\(timestamp.microseconds)") == timestamp)
        }
        #expect(Timestamp.distantFuture.iso8601.hasPrefix("+294278-01-"))
        #expect(Timestamp.distantPast.iso8601.hasPrefix("-290277-12-"))
    }

    @Test func everyInstantSurvivesAndAgreesWithTheCalendar() throws {
        var random = SeededRandom(seed: 7)
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        for _ in 0..<runCount(5_000) {
            let any = Timestamp(microseconds: .random(in: .min ... .max, using: &random))
            #expect(try Timestamp(parsing: any.iso8601) == any)
            // Stay within the years in which both calendars agree.
            let second = Int64.random(in: -13_000_000_000...250_000_000_000, using: &random)
            let near = Timestamp(microseconds: second * 1_000_000)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: near.date)
            let text = near.iso8601.prefix(19).split { "-T:".contains($0) }.map { Int($0) }
            #expect(
                text == [
                    parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second,
                ], "\(near.microseconds)")
        }
    }
}
