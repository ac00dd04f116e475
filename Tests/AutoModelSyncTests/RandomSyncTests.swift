import AutoModel
import AutoModelSync
import Foundation
import Replication
import TestSupport
import Testing

/// Devices that write at random, exchange logs at random times, and restart.
@Suite(.timeLimit(.minutes(30))) struct RandomSyncTests {
    @Test(arguments: seedHands(12))
    func devicesAgreeAfterRandomWritesAndExchanges(seeds: [UInt64]) async throws {
        for seed in seeds { try await play(seed) }
    }

    private func play(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var devices: [Device] = []
        for name in ["a", "b", "c"].prefix(Int.random(in: 2...3, using: &random)) {
            let clock = TestClock()
            // Their clocks are wrong by hours.
            clock.advance(microseconds: .random(in: -9_000_000_000...9_000_000_000, using: &random))
            devices.append(try await Device(name, clock: clock))
        }
        for _ in 0..<Int.random(in: 10...40, using: &random) {
            let place = Int.random(in: 0..<devices.count, using: &random)
            let device = devices[place]
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                device.clock.advance(microseconds: .random(in: 0...5_000_000, using: &random))
                try write(device, &random)
            case 6, 7:
                let other = devices[Int.random(in: 0..<devices.count, using: &random)]
                if other !== device {
                    try device.carry(to: other)
                    if Bool.random(using: &random) { try await other.sync.sync() }
                }
            case 8: try await device.sync.sync()
            default:
                // Writes without a running sync wait.
                try await device.close()
                let database = try await AutoDatabase.open(
                    at: device.folder.appending("\(device.name).db"),
                    models: [Person.self, Note.self])
                try database.useNow { try change(database, &random) }
                try database.closeNow()
                devices[place] = try await Device(
                    device.name, folder: device.folder, clock: device.clock)
            }
        }
        try await exchange(devices)
        let states = try devices.map { try $0.state() }
        for (device, state) in zip(devices, states) {
            #expect(state == states[0], "seed \(seed): \(device.name) differs from a")
            #expect(
                try device.database.waiting().isEmpty,
                "seed \(seed): \(device.name) has not sent all")
        }
        let conflicts = try await devices[0].sync.conflicts().count
        for device in devices {
            #expect(try await device.sync.conflicts().count == conflicts)
            try await device.close()
        }
    }

    private func write(_ device: Device, _ random: inout SeededRandom) throws {
        try device.use { try change(device.database, &random) }
    }

    private func change(_ database: AutoDatabase, _ random: inout SeededRandom) throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let people = try Person.all.fetch()
            let notes = try Note.all.fetch()
            let note = notes.randomElement(using: &random)
            let person = people.randomElement(using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                let id = Int64.random(in: 1...1_000_000, using: &random)
                try Person.create(id: id) { $0.name = "p\(id)" }.save()
            case 2, 3:
                let id = Int64.random(in: 1...1_000_000, using: &random)
                let note = try Note.create(id: id) { $0.text = "n\(id)" }
                note.author = Reference(person)
                note.readers.set(people.prefix(2))
                try note.save()
            case 4: note?.text = "\(Int.random(in: 0..<5, using: &random))"
            case 5: note?.stars = Int.random(in: 0..<5, using: &random)
            case 6:
                note?.due =
                    Bool.random(using: &random)
                    ? nil : Date(timeIntervalSince1970: .random(in: 0...2e9, using: &random))
            case 7: note?.author = Reference(person)
            case 8: if let person { try note?.readers.append(person) }
            case 9: note?.readers.set(people.shuffled(using: &random).prefix(3))
            case 10: try note?.delete()
            default: try person?.delete()
            }
            try database.saveAllChanges()
        }
    }
}
