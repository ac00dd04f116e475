import Foundation
import KeyValueStore
import Replication
import ServerCatalog

/// Three weeks of a household's notes, lists and plans: the edits of each device, and the times at
/// which the devices exchange them.
struct DemoStory {
    private var random: SampleGenerator

    init(random: SampleGenerator) { self.random = random }

    private static let anna = 0
    private static let ben = 1
    private static let kitchen = 2
    private static let allDevices = [anna, ben, kitchen]

    mutating func write(to household: DemoDevices) throws {
        try moveIn(household)
        for day in stride(from: 20, through: 1, by: -1) { try live(day: day, household) }
        try disagree(household)
    }

    /// Writes the first day: settings, people, notes.
    private func moveIn(_ household: DemoDevices) throws {
        household.clock.set(daysBeforeEnd: 21)
        let beginnings: [(String, PropertyList)] = [
            ("settings/theme", "light"), ("settings/font-size", 14), ("settings/line-height", 1.4),
            ("settings/week-starts-monday", true), ("people/anna/name", "Anna Lindqvist"),
            ("people/anna/birthday", .date(Date(timeIntervalSinceReferenceDate: -500_000_000))),
            ("people/ben/name", "Ben Okafor"), ("people/ben/color", "#5fafd7"),
            ("trip/lisbon/title", "Lisbon in spring"), ("trip/lisbon/nights", 5),
            ("trip/lisbon/budget", 1250.0), ("trip/lisbon/places", ["Alfama", "Belém", "Sintra"]),
            ("trip/kyōto/title", "京都 — autumn leaves 🍁"),
        ]
        for (key, value) in beginnings { try household.set(value, key, on: Self.anna) }
        for (number, note) in Self.notes.enumerated() {
            let author = number % 2
            let prefix = "note/\(number + 1)"
            try household.set(.string(note.title), "\(prefix)/title", on: author)
            try household.set(.string(note.body), "\(prefix)/body", on: author)
            try household.set(
                .array(note.tags.map(PropertyList.string)), "\(prefix)/tags", on: author)
            try household.set(false, "\(prefix)/done", on: author)
        }
        for (number, item) in Self.groceries.enumerated() {
            try household.set(
                ["item": .string(item), "amount": .integer(Int64(number % 4 + 1)), "done": false],
                "list/groceries/\(number + 1)", on: Self.kitchen)
        }
        for (number, caption) in ["Harbor at dusk", "Tram 28", "Ben asleep 😴"].enumerated() {
            try household.set(
                ["caption": .string(caption), "blob": .string("photos/\(number + 1).txt")],
                "photo/\(number + 1)", on: Self.ben)
        }
        try household.set(
            .string("pasted from a terminal: \u{1B}]0;owned\u{7}\u{1B}[31mred\u{1B}[0m"),
            "imported/terminal-log", on: Self.ben)
        try household.set(
            .data(Data((0..<48).map { UInt8($0 * 5 & 0xFF) })), "people/anna/key", on: Self.anna)
        try household.exchange(Self.allDevices)
    }

    /// Writes an ordinary day: a few edits per device, and mostly timely exchanges.
    private mutating func live(day: Int, _ household: DemoDevices) throws {
        for hour in [8, 12, 18, 21] {
            household.clock.set(minutesBeforeEnd: Double(day * 1440 - hour * 60))
            for device in Self.allDevices where Int.random(in: 0..<3, using: &random) > 0 {
                try edit(on: device, day: day, household)
            }
            // The phone is offline at noon. Its edits arrive in the evening.
            try household.exchange(hour == 12 ? [Self.anna, Self.kitchen] : Self.allDevices)
        }
        // Ben resolves the day's conflicts in the evening.
        for conflict in try household.stores[Self.ben].conflicts() {
            try household.set(
                try conflict.winner.value(), conflict.key, on: Self.ben)
        }
        try household.exchange(Self.allDevices)
    }

    private mutating func edit(on device: Int, day: Int, _ household: DemoDevices) throws {
        let note = Int.random(in: 1...Self.notes.count, using: &random)
        let store = household.stores[device]
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            try household.set(
                .boolean(Bool.random(using: &random)), "note/\(note)/done", on: device)
        case 1:
            let key = "note/\(note)/body"
            guard case .string(let body)? = store[key], body.utf8.count < 600 else { return }
            let addition = Self.additions[Int.random(in: 0..<Self.additions.count, using: &random)]
            try household.set(.string(body + "\n" + addition), key, on: device)
        case 2:
            let due = Date(
                timeIntervalSinceReferenceDate: 817_000_000
                    + Double(Int.random(in: 0..<60, using: &random)) * 86_400)
            try household.set(.date(due), "note/\(note)/due", on: device)
        case 3:
            let item = Int.random(in: 1...Self.groceries.count, using: &random)
            let key = "list/groceries/\(item)"
            guard case .dictionary(var entry)? = store[key] else { return }
            entry["done"] = .boolean(Bool.random(using: &random))
            entry["amount"] = .integer(Int64.random(in: 1...6, using: &random))
            try household.set(.dictionary(entry), key, on: device)
        case 4:
            try household.set(
                .real(Double(Int.random(in: 180...235, using: &random)) / 10),
                "weather/\(Self.panes[device])/celsius", on: device)
        case 5:
            try household.set(
                .integer(Int64(day)), "device/\(DemoStore.cast[device].id)/days-left", on: device)
        default:
            try household.set(
                .string(Bool.random(using: &random) ? "dark" : "light"), "settings/theme",
                on: device)
        }
    }

    /// Writes the last evening, when all devices write concurrently.
    private func disagree(_ household: DemoDevices) throws {
        household.clock.set(minutesBeforeEnd: 55)
        let date = { (days: Double) in
            PropertyList.date(Date(timeIntervalSinceReferenceDate: 817_000_000 + days * 86_400))
        }
        try household.set(date(3), "note/1/due", on: Self.anna)
        try household.set("Groceries for Sunday", "note/1/title", on: Self.anna)
        try household.set(1400.0, "trip/lisbon/budget", on: Self.anna)
        household.clock.set(minutesBeforeEnd: 43)
        try household.set(date(5), "note/1/due", on: Self.ben)
        try household.set("Groceries (for two!)", "note/1/title", on: Self.ben)
        try household.set(1100.0, "trip/lisbon/budget", on: Self.ben)
        try household.set(
            ["Alfama", "Belém", "Cascais"], "trip/lisbon/places", on: Self.ben)
        household.clock.set(minutesBeforeEnd: 31)
        try household.set("Groceries, and candles", "note/1/title", on: Self.kitchen)
        try household.set(nil, "note/7/body", on: Self.kitchen)
        household.clock.set(minutesBeforeEnd: 12)
        try household.set("Rescue the ficus 🪴 (half-dead)", "note/7/body", on: Self.anna)
        try household.exchange(Self.allDevices)
        household.clock.set(minutesBeforeEnd: 4)
        try household.set(16, "settings/font-size", on: Self.anna)
        try household.set(true, "note/3/done", on: Self.ben)
        try household.exchange(Self.allDevices)
    }

    private static let panes = ["study", "pocket", "kitchen"]

    private static let groceries = [
        "oat milk", "coffee beans", "tomatoes", "糯米 (sticky rice)", "sourdough", "crème fraîche",
        "limes", "batteries AA",
    ]

    private static let additions = [
        "Asked again on the phone; they will call back.", "✔ done with the first half",
        "See also the photo from Tuesday.", "Price went up: 14,90 €", "→ Ben takes this one",
    ]

    private struct Note {
        let title: String
        let body: String
        let tags: [String]
    }

    private static let notes = [
        Note(title: "Groceries", body: "For the week.", tags: ["home", "weekly"]),
        Note(title: "Fix the kitchen lamp", body: "Needs an E14 bulb.", tags: ["home"]),
        Note(title: "Call the landlord", body: "Radiator in the study leaks.", tags: ["urgent"]),
        Note(title: "Book club: next title", body: "Vote until Friday.", tags: ["people"]),
        Note(title: "日本語 practice", body: "十五分、毎日。", tags: ["learning", "日本"]),
        Note(title: "Backup the laptop", body: "Before the update!", tags: ["computers"]),
        Note(title: "Plants", body: "Water the ficus on Sundays.", tags: ["home", "plants"]),
        Note(title: "Tax papers", body: "Folder is in the blue box.", tags: ["papers"]),
        Note(title: "Birthday present", body: "Not the vase. Not the vase!", tags: ["people"]),
        Note(title: "Café list", body: "A Brasileira\nFábrica\nHello, Kristof", tags: ["trip"]),
    ]

    static let blobs = [
        ("photos/1.txt", "a photograph of a harbor at dusk\n"),
        ("photos/2.txt", "a photograph of a yellow tram\n"),
        ("photos/3.txt", "a photograph of a man asleep\n"),
        ("attachments/lease.md", "# Lease\n\nThe radiator is the landlord's.\n"),
    ]
}
