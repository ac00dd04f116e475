import Foundation
import GRDB
import GrowOnlySet
import Replication
import TestSupport
import Testing

/// A complete store on the follower: convergence, recovery, durability of acknowledged writes, and
/// withdrawal of unsaved ones.
@Suite(.timeLimit(.minutes(30))) struct GrowOnlySetTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private let time = TestScheduler()

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Set.store"))
    }

    private func open(
        _ device: String?, in package: StorePackage? = nil, watches: Bool = false
    ) throws -> GrowOnlySet {
        var options = LogFollower<SetLog>.Options()
        options.watches = watches
        options.scheduler = time.scheduler
        options.lockWait = LockWait(.zero)
        let set = GrowOnlySet(
            package: package ?? self.package, device: try device.map { try DeviceID($0) },
            options: options)
        try set.load()
        return set
    }

    private func path(_ device: String, in package: StorePackage? = nil) throws -> String {
        let folder = try (package ?? self.package).device(DeviceID(device))
        return folder.path(of: .set)
    }

    private func status(_ device: String, in set: GrowOnlySet) -> DeviceStatus? {
        set.devices.first { $0.device.name == device }
    }

    /// Creates a log with these elements, each written separately.
    private func write(_ elements: String..., as device: String) throws {
        let set = try open(device)
        for element in elements {
            set.insert(element)
            try set.save()
        }
        try set.close()
    }

    // MARK: Converging

    @Test func writesOfAnotherDeviceArriveWithoutASync() async throws {
        let anna = try open("anna", watches: true)
        let ben = try open("ben", watches: true)
        var events = anna.events().makeAsyncIterator()
        ben.insert("x", "y")
        #expect(anna.elements == [])
        try ben.save()
        var grown: Set<Name> = []
        while grown.isEmpty, let event = await events.next() {
            if case .grown(let new) = event { grown = new }
        }
        #expect(grown == ["x", "y"] && anna.elements == ["x", "y"])
        try anna.close()
        try ben.close()
    }

    @Test func devicesAgreeInAnyOrderOfArrival() throws {
        for seed in seeds(10) {
            var random = SeededRandom(seed: seed)
            let names = ["anna", "ben", "cleo"]
            let places = try names.map { name in
                try StorePackage(creating: folder.appending("\(seed)-\(name).store"))
            }
            let sets = try zip(names, places).map { try open($0, in: $1) }
            func carry(_ from: Int, _ to: Int) throws {
                let source = try path(names[from], in: places[from])
                guard FileManager.default.fileExists(atPath: source) else { return }
                let target = "\(places[to].path)/Devices/\(names[from])"
                try FileManager.default.createDirectory(
                    atPath: target, withIntermediateDirectories: true)
                try Data(contentsOf: URL(fileURLWithPath: source)).write(
                    to: URL(fileURLWithPath: "\(target)/Set.db"), options: .atomic)
                try sets[to].sync()
            }
            for step in 0..<30 {
                let who = Int.random(in: 0..<3, using: &random)
                if Bool.random(using: &random) {
                    sets[who].insert("\(step)")
                    if Bool.random(using: &random) { try sets[who].save() }
                } else {
                    let other = (who + Int.random(in: 1...2, using: &random)) % 3
                    try carry(other, who)
                }
            }
            for set in sets { try set.save() }
            for from in 0..<3 { for to in 0..<3 where to != from { try carry(from, to) } }
            #expect(!sets[0].elements.isEmpty)
            #expect(sets.allSatisfy { $0.elements == sets[0].elements }, "seed \(seed)")
            for set in sets { try set.close() }
        }
    }

    @Test func twoProcessesOfOneDeviceShareItsLog() throws {
        let first = try open("anna")
        let second = try open("anna")
        for number in 0..<5 {
            first.insert("first \(number)")
            try first.save()
            second.insert("second \(number)")
            try second.save()
        }
        try first.sync()
        #expect(first.elements.count == 10 && first.elements == second.elements)
        #expect(try open(nil).elements == first.elements)
    }

    @Test func readingCreatesNothing() throws {
        try write("x", as: "ben")
        let before = try FolderState(of: package.path)
        let anna = try open("anna")
        try anna.sync()
        #expect(anna.elements == ["x"])
        #expect(anna.devices.map(\.state) == [.absent, .ok])
        try anna.close()
        #expect(try FolderState(of: package.path) == before)
    }

    // MARK: Healing

    @Test func partiallyCopiedFileIsReadAgain() throws {
        try write("1", "2", "3", as: "ben")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path("ben")))
        let anna = try open("anna")
        for length in [0, 50, 4_096, whole.count - 1] {
            try whole.prefix(length).write(to: URL(fileURLWithPath: path("ben")))
            try anna.sync()
            #expect(status("ben", in: anna)?.state == .incomplete, "\(length) bytes")
            #expect(anna.elements == ["1", "2", "3"])
            try whole.write(to: URL(fileURLWithPath: path("ben")))
            // No call triggers this reading: the pause is over.
            time.advance(by: .milliseconds(500))
            #expect(status("ben", in: anna)?.state == .ok, "\(length) bytes")
        }
        #expect(time.waitingCount == 0)
    }

    @Test func incompleteFileIsReportedAfterASecondReading() async throws {
        try write("1", as: "ben")
        let anna = try open("anna")
        var events = anna.events().makeAsyncIterator()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path("ben")))
        try whole.prefix(100).write(to: URL(fileURLWithPath: path("ben")))
        try anna.sync()
        try whole.write(to: URL(fileURLWithPath: path("ben")))
        try anna.sync()
        try whole.prefix(200).write(to: URL(fileURLWithPath: path("ben")))
        try anna.sync()
        time.advance(by: .milliseconds(500))
        _ = anna.devices
        anna.insert("2")
        try anna.save()
        // The first pause ended before the second reading. A caller that saw the incomplete state
        // must learn that it is over.
        for state in [.ok, .incomplete] as [DeviceStatus.State] {
            guard case .device(let status)? = await events.next() else {
                Issue.record("no event of a device")
                return
            }
            #expect(status.device.name == "ben" && status.state == state)
        }
    }

    @Test func pausesGrowWhileAFileStaysIncomplete() throws {
        try write("1", as: "ben")
        try Data(contentsOf: URL(fileURLWithPath: path("ben"))).prefix(100)
            .write(to: URL(fileURLWithPath: path("ben")))
        // The timers of the writing are over.
        time.advance(by: .seconds(100))
        let anna = try open("anna")
        var looks: [Duration] = []
        for _ in 0..<12 {
            // This access to the queue comes after the work that the end of the pause queued.
            _ = anna.devices
            let next = try #require(time.nextDelay)
            looks.append(next)
            time.advance(by: next)
        }
        #expect(looks.prefix(4) == [.seconds(0.5), .seconds(1), .seconds(2), .seconds(4)])
        #expect(looks.suffix(3) == [.seconds(60), .seconds(60), .seconds(60)])
        try anna.close()
        #expect(time.waitingCount == 0)
    }

    @Test func rowsAfterAGapWait() throws {
        try write("1", "2", "3", "4", as: "ben")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path("ben")))
        try runSQL("DELETE FROM element WHERE id = 3", at: path("ben"))
        let anna = try open("anna")
        #expect(anna.elements == ["1", "2"])
        let found = try #require(status("ben", in: anna))
        #expect(found.state == .incomplete && found.rows == 2)
        #expect(found.problem?.contains("row 3") == true)
        try whole.write(to: URL(fileURLWithPath: path("ben")), options: .atomic)
        try anna.sync()
        #expect(anna.elements == ["1", "2", "3", "4"])
        #expect(status("ben", in: anna)?.state == .ok)
    }

    @Test func damagedPageDoesNotHideOtherDevicesAndRecovers() throws {
        try write("theirs", as: "cleo")
        let ben = try open("ben")
        for number in 0..<2_000 { ben.insert("element number \(number)") }
        try ben.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path("ben")))
        let reader = try open("anna")
        let all = reader.elements
        var random = SeededRandom(seed: 5)
        for page in PageDamage.pages(of: whole.count / 4_096, quick: 6) {
            for damage in PageDamage.allCases {
                let damaged = damage.applied(to: whole, page: page, of: 4_096, using: &random)
                try damaged.write(to: URL(fileURLWithPath: path("ben")), options: .atomic)
                try reader.sync()
                let fresh = try open(nil)
                #expect(fresh.elements.contains("theirs") && fresh.elements.isSubset(of: all))
                try whole.write(to: URL(fileURLWithPath: path("ben")), options: .atomic)
                try reader.sync()
                try fresh.sync()
                #expect(reader.elements == all && fresh.elements == all, "\(page) \(damage)")
                #expect(status("ben", in: fresh)?.state == .ok)
            }
        }
    }

    @Test func replacedFileIsReadFromTheStart() throws {
        try write("old", as: "ben")
        let anna = try open("anna")
        anna.insert("mine")
        try anna.save()
        try FileManager.default.removeItem(atPath: path("ben"))
        try write("new", as: "ben")
        try anna.sync()
        #expect(anna.elements == ["mine", "new"])
        anna.insert("more")
        try anna.save()
        #expect(try open(nil).elements == ["mine", "more", "new"])
    }

    /// Reading all logs again earlier would lose the known rows of a device that can't be read.
    @Test func replacedFileWaitsUntilAllLogsAreReadable() throws {
        try write("kept", as: "cleo")
        try write("old", as: "ben")
        let anna = try open("anna")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path("cleo")))
        try whole.prefix(1_000).write(to: URL(fileURLWithPath: path("cleo")))
        try FileManager.default.removeItem(atPath: path("ben"))
        try write("new", as: "ben")
        try anna.sync()
        #expect(anna.elements == ["kept", "old"])
        #expect(status("ben", in: anna)?.problem?.contains("cleo") == true)
        try whole.write(to: URL(fileURLWithPath: path("cleo")))
        try anna.sync()
        #expect(anna.elements == ["kept", "new"])
        #expect(anna.devices.map(\.state) == [.absent, .ok, .ok])
    }

    @Test func folderThatComesBackLosesNothing() throws {
        try write("x", as: "ben")
        let anna = try open("anna")
        let (place, away) = ("\(package.path)/Devices/ben", folder.appending("ben"))
        try FileManager.default.moveItem(atPath: place, toPath: away)
        try anna.sync()
        #expect(status("ben", in: anna)?.state == .absent)
        #expect(anna.elements == ["x"])
        try FileManager.default.moveItem(atPath: away, toPath: place)
        try write("y", as: "ben")
        try anna.sync()
        #expect(status("ben", in: anna)?.state == .ok && anna.elements == ["x", "y"])
    }

    @Test func packageThatDisappearsAndReturnsIsReported() async throws {
        try write("x", as: "ben")
        let anna = try open("anna", watches: true)
        var events = anna.events().makeAsyncIterator()
        let away = folder.appending("Away.store")
        try FileManager.default.moveItem(atPath: package.path, toPath: away)
        while let event = await events.next() { if case .deleted = event { break } }
        try FileManager.default.moveItem(atPath: away, toPath: package.path)
        while let event = await events.next() { if case .returned = event { break } }
        try write("y", as: "ben")
        while let event = await events.next() { if case .grown = event { break } }
        #expect(anna.elements == ["x", "y"])
        try anna.close()
    }

    @Test func copyOfAnotherDevicesLogIsNotRead() throws {
        try write("x", as: "ben")
        let copy = "\(package.path)/Devices/zoe"
        try FileManager.default.copyItem(atPath: "\(package.path)/Devices/ben", toPath: copy)
        let anna = try open("anna")
        #expect(anna.elements == ["x"])
        let zoe = try #require(status("zoe", in: anna))
        #expect(zoe.state == .unreadable && zoe.suggestion?.action == .mergeCopy)
        #expect(zoe.problem?.contains("ben") == true)
    }

    // MARK: Writing

    @Test func burstIsWrittenOnceASecondAfterItsEnd() throws {
        let anna = try open("anna")
        for number in 0..<100 { anna.insert("\(number)") }
        time.advance(by: .milliseconds(900))
        _ = anna.devices
        #expect(anna.unsaved.count == 100)
        time.advance(by: .milliseconds(200))
        #expect(anna.devices.map(\.rows) == [100])
        #expect(anna.unsaved.isEmpty)
    }

    @Test func rowsBlockedByALockStayPendingOrAreWithdrawn() async throws {
        let anna = try open("anna")
        anna.insert("before")
        try anna.save()
        var events = anna.events().makeAsyncIterator()
        let lock = try DatabaseQueue(path: path("anna"))
        try lock.inTransaction(.immediate) { _ in
            anna.insert("held")
            #expect(throws: ReplicationError.self) { try anna.save() }
            #expect(anna.unsaved == ["held"] && anna.elements == ["before", "held"])
            // After an automatic retry, it is still pending.
            time.advance(by: .seconds(4))
            #expect(anna.unsaved == ["held"])
            anna.insert("later")
            anna.withdraw()
            #expect(anna.unsaved.isEmpty && anna.elements == ["before"])
            return .rollback
        }
        guard case .saveFailed? = await events.next() else {
            Issue.record("the failure was not told")
            return
        }
        try anna.save()
        anna.insert("after")
        try anna.save()
        #expect(try open(nil).elements == ["before", "after"])
    }

    /// Set `TIDELINE_RUNS=1000` for the full number of runs.
    @Test(.enabled(if: HelperProcess.isAvailable))
    func nothingAcknowledgedIsLostWhenTheWriterIsKilled() throws {
        var random = SeededRandom(seed: UInt64(ProcessInfo.processInfo.processIdentifier))
        let reader = try open("reader")
        var acknowledged: Set<Name> = []
        for run in 0..<runCount(15) {
            let writer = try HelperProcess("set", package.path, "\(run)")
            if run % 4 > 0, let first = writer.line() { acknowledged.insert(Name(first)) }
            usleep(.random(in: 0...60_000, using: &random))
            writer.kill()
            acknowledged.formUnion(writer.lines().map { Name($0) })
            try reader.sync()
            #expect(acknowledged.isSubset(of: reader.elements), "run \(run)")
        }
        #expect(!acknowledged.isEmpty)
        let anna = try open("killed")
        #expect(anna.elements.isSuperset(of: acknowledged))
        anna.insert("by hand")
        try anna.save()
        try reader.sync()
        #expect(reader.elements == anna.elements)
        #expect(status("killed", in: reader)?.state == .ok)
    }

    // MARK: Watching

    @Test func allStoresOfAPackageShareOneWatcher() throws {
        let other = try StorePackage(creating: folder.appending("Other.store"))
        let link = folder.appending("Link.store")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: package.path)
        var sets = [try open("anna", watches: true)]
        #expect(SharedPackageWatcher.subscriberCount(of: package) == 1)
        for number in 0..<5 { sets.append(try open("device \(number)", watches: true)) }
        sets.append(try open("linked", in: StorePackage(opening: link), watches: true))
        #expect(SharedPackageWatcher.subscriberCount(of: package) == 7)
        sets.append(try open("anna", in: other, watches: true))
        #expect(SharedPackageWatcher.subscriberCount(of: package) == 7)
        for set in sets { try set.close() }
        #expect(SharedPackageWatcher.subscriberCount(of: package) == 0)
        // The next subscription starts another one.
        let again = try open("anna", watches: true)
        #expect(SharedPackageWatcher.subscriberCount(of: package) == 1)
        try again.close()
    }
}
