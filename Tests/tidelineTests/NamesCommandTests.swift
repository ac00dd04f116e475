import Foundation
import Synchronization
import TestSupport
import Testing

/// Canonically equal names with different bytes, and copied device folders, in the output of the
/// commands.
@Suite struct NamesCommandTests: CommandSuite {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    let stage: CommandStage

    init() throws { stage = try CommandStage() }

    /// The number of occurrences of a text in another, compared as bytes.
    private func count(_ part: String, in text: String) -> Int {
        let (part, text) = (Array(part.utf8), Array(text.utf8))
        guard text.count >= part.count else { return 0 }
        return (0...text.count - part.count).count { text[$0...].starts(with: part) }
    }

    @Test func bothSpellingsAreListedAndRoundTripThroughExport() throws {
        for (name, device) in [
            (Self.composed, Self.decomposed), (Self.decomposed, Self.composed),
        ] {
            #expect(try tideline("kv", "set", store, name, "v", device: device).status == 0)
            #expect(
                try tideline("blobs", "put", store, "\(name).txt", "-", device: device, input: name)
                    .status == 0)
            #expect(
                try tideline(
                    "entities", "add", store, "--type", name, "--id", name, "\(name)=1",
                    device: device
                ).status == 0)
        }
        for arguments in [
            ["kv", "list", store, "--json"], ["log", store, "--json"], ["info", store, "--json"],
            ["blobs", "list", store, "--json"], ["entities", "list", store, "--json"],
        ] {
            let result = try ProgramResult.tideline(arguments, home: folder, device: nil)
            #expect(result.status == 0)
            for name in [Self.composed, Self.decomposed] {
                #expect(count(name, in: result.output) > 0, "\(arguments)")
            }
        }
        let list = try tideline("kv", "list", store, "--json").output
        let other = folder.appending("Other.store")
        #expect(try tideline("kv", "create", other).status == 0)
        #expect(try tideline("kv", "import", other, "-", input: list).status == 0)
        #expect(try Data(tideline("kv", "list", other, "--json").output.utf8) == Data(list.utf8))
    }

    @Test func infoNamesACopiedDeviceFolderAndASuggestion() throws {
        for (device, value) in [("ben-phone", "1"), ("desk", "2")] {
            #expect(
                try tideline("kv", "set", store, "k\(value)", value, device: device).status == 0)
        }
        let conflicts = try tideline("conflicts", store, "--json").output
        let list = try tideline("kv", "list", store, "--json").output
        let devices = store + "/Devices/"
        let copy = "ben-phone (Anna's conflicted copy 2026-11-21)"
        try FileManager.default.copyItem(
            atPath: devices + "ben-phone", toPath: devices + copy)
        #expect(try tideline("conflicts", store, "--json").output == conflicts)
        #expect(try tideline("kv", "list", store, "--json").output == list)
        let info = try tideline("info", store, "--json")
        #expect(info.status == 0)
        #expect(info.output.contains(copy))
        #expect(info.output.contains("folder of ben-phone"))
        #expect(info.output.contains("tideline merge"))
    }

    @Test func namesThatAreNotTextAreReportedByInfoAndBlobsList() throws {
        for part in ["Devices/", "Blobs/"] {
            _ = mkdir(store + "/Blobs", 0o777)
            let raw = (Array("\(store)/\(part)caf".utf8) + [0xE9, 0]).map { CChar(bitPattern: $0) }
            #expect(mkdir(raw, 0o777) == 0)
        }
        let info = try tideline("info", store)
        #expect(info.status == 0)
        #expect(info.output.contains("Devices/caf\\xE9") && info.output.contains("Blobs/caf\\xE9"))
        let blobs = try tideline("blobs", "list", store, "--json")
        #expect(blobs.status == 0)
        #expect(blobs.output.isEmpty)
        #expect(blobs.errors.contains("caf\\xE9"))
    }

    @Test func eightConcurrentFirstRunsCreateOneDevice() throws {
        let refusals = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            let result = try? tideline("kv", "set", store, "k\(number)", "v", device: nil)
            guard result?.status != 0 else { return }
            refusals.withLock { $0.append(result?.errors ?? "It did not start.") }
        }
        #expect(refusals.withLock { $0 } == [])
        let devices = try FileManager.default.contentsOfDirectory(atPath: store + "/Devices")
        #expect(devices.count == 1)
        #expect(try count("\"k", in: tideline("kv", "list", store, "--json").output) == 8)
    }

    @Test func deviceThatDiffersOnlyInCaseIsRejected() throws {
        #expect(try tideline("kv", "set", store, "a", "1", device: "Phone").status == 0)
        let refused = try tideline("kv", "set", store, "a", "2", device: "phone")
        #expect(refused.status == 73)
        #expect(refused.errors.contains("Phone"))
        #expect(try tideline("kv", "get", store, "a").output == "1\n")
        #expect(try tideline("kv", "set", store, "a", "3", device: "Phone").status == 0)
    }

    @Test func namesThatOtherSystemsRefuseAreReported() throws {
        for device in ["CON", "desk."] {
            let made = try tideline("kv", "set", store, "a", "1", device: device)
            #expect(made.status == 0)
            #expect(made.errors.contains("Windows"), "\(made.errors)")
        }
        let made = try tideline("blobs", "put", store, "A.txt", "-", input: "1")
        #expect(made.status == 0 && !made.errors.contains("A.txt"))
        let second = try tideline("blobs", "put", store, "a.txt", "-", input: "2")
        #expect(second.status == 0 && second.errors.contains("A.txt"))
        try FileManager.default.createDirectory(
            atPath: "\(store)/Devices/con", withIntermediateDirectories: false)
        let doctor = try tideline("doctor", store, "--json")
        #expect(doctor.status == 1)
        #expect(doctor.output.components(separatedBy: "\"case-names\"").count == 3)
        #expect(doctor.output.components(separatedBy: "\"refused-name\"").count == 4)
        let info = try tideline("info", store).output
        #expect(info.contains("Blobs/a.txt") && info.contains("Devices/con"), "\(info)")
    }
}
