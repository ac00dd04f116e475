import Foundation
import Glibc
import Replication
import Synchronization
import TestSupport
import Testing

/// Watching, with and without events from the kernel.
@Suite struct PackageWatcherTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private let phone: DeviceID
    private var random = SeededRandom(seed: 9)

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("p"))
        phone = try DeviceID("phone")
    }

    private static func options(polls: Bool) -> PackageWatcher.Options {
        var options = PackageWatcher.Options()
        options.polls = polls
        options.pollInterval = .milliseconds(20)
        return options
    }

    private func logs(_ device: DeviceID) throws -> String {
        try package.makeDeviceFolder(device).path(of: .logs)
    }

    private func move(_ from: String, _ to: String) {
        #expect(rename(from, to) == 0)
    }

    @Test(arguments: [false, true])
    mutating func writeIsReported(polls: Bool) throws {
        let path = try logs(phone)
        try Sample.append(1, to: path, random: &random)
        let heard = try Listener(package, Self.options(polls: polls))
        try Sample.append(1, to: path, random: &random)
        #expect(heard.waits { $0.files == [DeviceFile(phone, .logs)] })
        #expect(heard.all.blobs.isEmpty && !heard.all.isDeleted)
    }

    @Test(arguments: [false, true])
    mutating func writeOfAnotherProcessIsReported(polls: Bool) throws {
        guard HelperProcess.isAvailable else { return }
        let path = try logs(phone)
        let heard = try Listener(package, Self.options(polls: polls))
        #expect(try HelperProcess("once", path, "3").line() == "done")
        #expect(heard.waits { $0.files.contains(DeviceFile(phone, .logs)) })
        #expect(try Sample.read(path) == 3)
    }

    @Test(arguments: [false, true])
    mutating func newDeviceIsReportedWithItsFiles(polls: Bool) throws {
        let heard = try Listener(package, Self.options(polls: polls))
        try Sample.append(1, to: try logs(phone), random: &random)
        #expect(
            heard.waits {
                $0.devices.contains(phone) && $0.files.contains(DeviceFile(phone, .logs))
            })
        // The new folder is watched from now on.
        heard.forget()
        try Sample.append(1, to: try logs(phone), random: &random)
        #expect(heard.waits { $0.files.contains(DeviceFile(phone, .logs)) })
    }

    @Test(arguments: [false, true])
    mutating func deviceMovedInWithItsFilesIsReported(polls: Bool) throws {
        let outside = folder.appending("phone")
        try FileManager.default.createDirectory(
            atPath: outside, withIntermediateDirectories: false)
        try Sample.append(1, to: "\(outside)/Logs.db", random: &random)
        let heard = try Listener(package, Self.options(polls: polls))
        let inside = "\(package.path)/Devices/phone"
        move(outside, inside)
        #expect(heard.waits { $0.files.contains(DeviceFile(phone, .logs)) })
        heard.forget()
        move(inside, outside)
        #expect(heard.waits { $0.devices.contains(phone) })
    }

    @Test(arguments: [false, true])
    mutating func renamedDeviceIsReportedUnderBothNames(polls: Bool) throws {
        let path = try logs(phone)
        try Sample.append(1, to: path, random: &random)
        let heard = try Listener(package, Self.options(polls: polls))
        move("\(package.path)/Devices/phone", "\(package.path)/Devices/tablet")
        let tablet = try DeviceID("tablet")
        #expect(heard.waits { $0.devices.isSuperset(of: [phone, tablet]) })
        heard.forget()
        try Sample.append(1, to: try logs(tablet), random: &random)
        #expect(heard.waits { $0.files == [DeviceFile(tablet, .logs)] })
    }

    @Test(arguments: [false, true])
    mutating func fileReplacedByRenameIsReported(polls: Bool) throws {
        let path = try logs(phone)
        try Sample.append(1, to: path, random: &random)
        let other = folder.appending("other.db")
        try Sample.append(5, to: other, random: &random)
        let heard = try Listener(package, Self.options(polls: polls))
        move(other, path)
        #expect(heard.waits { $0.files.contains(DeviceFile(phone, .logs)) })
    }

    @Test(arguments: [false, true])
    mutating func deletedFileAndFolderAreReported(polls: Bool) throws {
        let path = try logs(phone)
        try Sample.append(1, to: path, random: &random)
        let heard = try Listener(package, Self.options(polls: polls))
        try FileManager.default.removeItem(atPath: path)
        #expect(heard.waits { $0.files.contains(DeviceFile(phone, .logs)) })
        heard.forget()
        try FileManager.default.removeItem(atPath: "\(package.path)/Devices/phone")
        #expect(heard.waits { $0.devices.contains(phone) })
        #expect(!heard.all.isDeleted)
    }

    @Test(arguments: [false, true])
    mutating func conflictCopyIsReported(polls: Bool) throws {
        let path = try logs(phone)
        try Sample.append(1, to: path, random: &random)
        let heard = try Listener(package, Self.options(polls: polls))
        let copy = "\(package.path)/Devices/phone/Logs (Ada's conflicted copy 2026-01-01).db"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(heard.waits { $0.devices == [phone] })
    }

    @Test(arguments: [false, true])
    func blobsAreReportedAtAnyDepth(polls: Bool) throws {
        try package.blobs.put(Data("x".utf8), at: "old/deep/file")
        let heard = try Listener(package, Self.options(polls: polls))
        try package.blobs.put(Data("yy".utf8), at: "old/deep/file")
        #expect(heard.waits { $0.blobs.contains("old/deep/file") })
        heard.forget()
        // New folders with content are reported through the file or a folder above it.
        try package.blobs.put(Data("z".utf8), at: "new/er/file")
        #expect(heard.waits { $0.blobs.contains { "new/er/file".hasPrefix($0.text) } })
        heard.forget()
        try package.blobs.put(Data("zz".utf8), at: "new/er/file")
        #expect(heard.waits { $0.blobs.contains("new/er/file") })
        heard.forget()
        try package.blobs.delete("old/deep/file")
        #expect(heard.waits { $0.blobs.contains("old/deep/file") })
    }

    @Test func blobFoldersMayBeCreatedLater() throws {
        let heard = try Listener(package, Self.options(polls: false))
        try package.blobs.put(Data("x".utf8), at: "a")
        #expect(heard.waits { $0.blobs.contains("") || $0.blobs.contains("a") })
        heard.forget()
        try package.blobs.put(Data("y".utf8), at: "b")
        #expect(heard.waits { $0.blobs.contains("b") })
    }

    @Test(arguments: [false, true])
    func deletedPackageIsReportedMissing(polls: Bool) throws {
        _ = try logs(phone)
        let heard = try Listener(package, Self.options(polls: polls))
        try FileManager.default.removeItem(atPath: package.path)
        #expect(heard.waits { $0.isDeleted })
    }

    @Test(arguments: [false, true])
    func movedPackageIsReportedMissing(polls: Bool) throws {
        let heard = try Listener(package, Self.options(polls: polls))
        move(package.path, folder.appending("elsewhere"))
        #expect(heard.waits { $0.isDeleted })
    }

    @Test(arguments: [false, true])
    func packageInAMovedFolderIsReportedMissing(polls: Bool) throws {
        let outer = folder.appending("outer/inner")
        try FileManager.default.createDirectory(
            atPath: outer, withIntermediateDirectories: true)
        let package = try StorePackage(creating: "\(outer)/q")
        let heard = try Listener(package, Self.options(polls: polls))
        move(folder.appending("outer"), folder.appending("moved"))
        #expect(heard.waits { $0.isDeleted })
    }

    @Test(arguments: [false, true])
    mutating func returningPackageIsReportedAndWatched(polls: Bool) throws {
        let outer = folder.appending("outer")
        try FileManager.default.createDirectory(
            atPath: "\(outer)/inner", withIntermediateDirectories: true)
        let package = try StorePackage(creating: "\(outer)/inner/q")
        let log = try package.makeDeviceFolder(phone).path(of: .logs)
        try Sample.append(1, to: log, random: &random)
        let heard = try Listener(package, Self.options(polls: polls))
        // Move the package, its folder of devices, a folder above it, and the package again.
        let places = [package.path, "\(package.path)/Devices", outer, package.path]
        for place in places {
            let away = folder.appending("away")
            move(place, away)
            #expect(heard.waits { $0.isDeleted && !$0.hasReturned }, "\(place)")
            heard.forget()
            move(away, place)
            #expect(
                heard.waits { $0.hasReturned && $0.needsRescan && $0.blobs.contains("") },
                "\(place)")
            heard.forget()
            try Sample.append(1, to: log, random: &random)
            #expect(heard.waits { $0.files.contains(DeviceFile(phone, .logs)) }, "\(place)")
            heard.forget()
        }
    }

    @Test(arguments: [false, true])
    mutating func packageBehindASymbolicLinkReturns(polls: Bool) throws {
        let outer = folder.appending("outer")
        try FileManager.default.createDirectory(
            atPath: outer, withIntermediateDirectories: true)
        let place = "\(outer)/q"
        let log = try StorePackage(creating: place).makeDeviceFolder(phone).path(of: .logs)
        try Sample.append(1, to: log, random: &random)
        let link = folder.appending("link")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: place)
        let heard = try Listener(StorePackage(opening: link), Self.options(polls: polls))
        for moved in [place, outer] {
            let away = folder.appending("away")
            move(moved, away)
            #expect(heard.waits { $0.isDeleted && !$0.hasReturned }, "\(moved)")
            heard.forget()
            move(away, moved)
            #expect(heard.waits { $0.hasReturned }, "\(moved)")
            heard.forget()
            try Sample.append(1, to: log, random: &random)
            #expect(heard.waits { $0.files.contains(DeviceFile(phone, .logs)) }, "\(moved)")
            heard.forget()
        }
    }

    @Test(arguments: [false, true])
    mutating func anotherPackageInTheSamePlaceIsWatched(polls: Bool) throws {
        let heard = try Listener(package, Self.options(polls: polls))
        try FileManager.default.removeItem(atPath: package.path)
        #expect(heard.waits { $0.isDeleted })
        // Create the package step by step, as a sync service does.
        try FileManager.default.createDirectory(
            atPath: package.path, withIntermediateDirectories: false)
        try FileManager.default.createDirectory(
            atPath: "\(package.path)/Devices", withIntermediateDirectories: false)
        #expect(heard.waits { $0.hasReturned })
        heard.forget()
        try Sample.append(1, to: try logs(phone), random: &random)
        #expect(heard.waits { $0.files.contains(DeviceFile(phone, .logs)) })
    }

    @Test func packageDeletedAfterReturningIsMissing() {
        var change = PackageChange(since: .now)
        var other = PackageChange(since: .now)
        other.isDeleted = true
        change.merge(other)
        #expect(change.isDeleted && !change.hasReturned)
        other.isDeleted = false
        other.hasReturned = true
        change.merge(other)
        #expect(change.isDeleted && change.hasReturned)
        other.hasReturned = false
        other.isDeleted = true
        change.merge(other)
        #expect(change.isDeleted && !change.hasReturned)
    }

    @Test func missingPackageCannotBeWatched() throws {
        try FileManager.default.removeItem(atPath: package.path)
        expectCode(.notFound) { try PackageWatcher(package) { _ in } }
    }

    @Test mutating func ignoredFilesAreNotReported() throws {
        let laptop = try DeviceID("laptop")
        let (mine, theirs) = (try logs(laptop), try logs(phone))
        var options = Self.options(polls: false)
        options.ignoredFiles = [DeviceFile(laptop, .logs)]
        let heard = try Listener(package, options)
        try Sample.append(1, to: mine, random: &random)
        try Sample.append(1, to: theirs, random: &random)
        #expect(heard.waits { $0.files.contains(DeviceFile(phone, .logs)) })
        #expect(!heard.all.files.contains(DeviceFile(laptop, .logs)))
    }

    @Test func lostEventsTriggerAFullScan() throws {
        _ = try logs(phone)
        let heard = try Listener(package, alone())
        guard try loseEvents(of: heard) else { return }
        heard.letGo()
        #expect(heard.waits { $0.needsRescan })
        // Watching continues.
        heard.forget()
        // While the lost events are being recovered, the first new ones may be lost with them.
        let isTold = try (0..<600).contains { number in
            let tablet = try DeviceID("tablet-\(number)")
            _ = try package.makeDeviceFolder(tablet)
            return heard.waits(upTo: 0.1) { $0.devices.contains(tablet) }
        }
        #expect(isTold)
    }

    @Test func packageDeletedAmongLostEventsIsReportedMissing() throws {
        _ = try logs(phone)
        let heard = try Listener(package, alone())
        guard try loseEvents(of: heard) else { return }
        try FileManager.default.moveItem(atPath: package.path, toPath: package.path + "-away")
        heard.letGo()
        #expect(heard.waits { $0.isDeleted })
        heard.forget()
        try FileManager.default.moveItem(atPath: package.path + "-away", toPath: package.path)
        #expect(heard.waits { $0.hasReturned })
    }

    /// Options with a separate queue, so that other tests of this process don't lose events.
    private func alone() -> PackageWatcher.Options {
        var options = Self.options(polls: false)
        options.hasOwnQueue = true
        return options
    }

    /// Generates more events than the kernel keeps (16,384 by default) and than wait in this
    /// process, while the handler is busy.
    ///
    /// - Returns: `false` if the kernel keeps more events than a test can generate.
    private func loseEvents(of heard: Listener) throws -> Bool {
        let limit = try String(
            contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let count = Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 16_384
        guard count <= 200_000 else { return false }
        heard.hold()
        try package.blobs.put(Data("x".utf8), at: "x")
        heard.waitsUntilHeld()
        // Two files in turn, because the kernel merges equal consecutive events.
        let files = try ["a", "b"].map { name in
            let file = open("\(package.path)/Devices/phone/\(name)", O_CREAT | O_WRONLY, 0o600)
            try #require(file >= 0)
            return file
        }
        defer { files.forEach { close($0) } }
        var byte: UInt8 = 0
        for number in 0...(count + 16_384) { _ = pwrite(files[number % 2], &byte, 1, 0) }
        heard.forget()
        return true
    }

    @Test func packageIsPolledWhenWatchesRunOut() throws {
        var options = Self.options(polls: false)
        options.watchLimit = 3
        let heard = try Listener(package, options)
        #expect(heard.watcher?.isPolling == true)
        try package.blobs.put(Data("x".utf8), at: "a/b/c")
        #expect(heard.waits { $0.blobs.contains("a/b/c") || $0.needsRescan })
        heard.forget()
        try package.blobs.put(Data("yy".utf8), at: "a/b/c")
        #expect(heard.waits { $0.blobs.contains("a/b/c") })
    }

    @Test func nothingIsReportedAfterStopping() throws {
        let heard = try Listener(package, Self.options(polls: false))
        try package.blobs.put(Data("x".utf8), at: "x")
        #expect(heard.waits { !$0.isEmpty })
        heard.watcher?.stop()
        // The thread releases its handler when it ends.
        heard.waitsForEnd()
        heard.forget()
        try package.blobs.put(Data("y".utf8), at: "y")
        #expect(heard.all.isEmpty)
    }

    @Test func slowReaderReceivesOneMergedChange() async throws {
        let changes = try PackageChanges(in: package, options: Self.options(polls: false))
        for number in 0..<50 {
            try package.blobs.put(Data("x".utf8), at: "\(number)")
            if number % 10 == 0 { try await Task.sleep(for: .milliseconds(6)) }
        }
        var seen: Set<Name> = []
        var rescans = false
        for await change in changes {
            seen.formUnion(change.blobs)
            rescans = rescans || change.needsRescan
            if seen.contains("49") { break }
        }
        #expect(seen.count == 50 || rescans)
        try FileManager.default.removeItem(atPath: package.path)
        var last: PackageChange?
        for await change in changes {
            last = change
            if change.isDeleted { break }
        }
        #expect(last?.isDeleted == true)
    }

    @Test func canceledReaderIsReleased() async throws {
        let changes = try PackageChanges(in: package)
        let reader = Task {
            for await _ in changes {}
            return true
        }
        reader.cancel()
        #expect(await reader.value)
    }
}

/// Collects the reports of a watcher.
private final class Listener: Sendable {
    private struct State {
        var all = PackageChange(since: .now)
        var isHeld = false
    }

    private final class Gate: Sendable {
        let state = Mutex(State())
        let news = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let reached = DispatchSemaphore(value: 0)
    }

    /// Signals when it is deallocated.
    private final class End: Sendable {
        let signal: DispatchSemaphore
        init(_ signal: DispatchSemaphore) { self.signal = signal }
        deinit { signal.signal() }
    }

    private let inner = Gate()
    private let end = DispatchSemaphore(value: 0)
    let watcher: PackageWatcher?

    init(_ package: StorePackage, _ options: PackageWatcher.Options) throws {
        let inner = inner
        let mark = End(end)
        watcher = try PackageWatcher(package, options: options) { change in
            withExtendedLifetime(mark) {}
            let isHeld = inner.state.withLock { state in
                state.all.merge(change)
                return state.isHeld
            }
            if isHeld {
                inner.reached.signal()
                inner.gate.wait()
            }
            inner.news.signal()
        }
    }

    var all: PackageChange { inner.state.withLock { $0.all } }

    func forget() { inner.state.withLock { $0.all = PackageChange(since: .now) } }
    func hold() { inner.state.withLock { $0.isHeld = true } }
    func waitsUntilHeld() { inner.reached.wait() }
    func waitsForEnd() { end.wait() }

    func letGo() {
        inner.state.withLock { $0.isHeld = false }
        inner.gate.signal()
    }

    /// Waits until the changes since ``forget()`` satisfy a condition.
    func waits(upTo seconds: Double = 180, until isEnough: (PackageChange) -> Bool) -> Bool {
        let deadline = DispatchTime.now() + seconds
        while !isEnough(all) {
            if inner.news.wait(timeout: deadline) == .timedOut { return isEnough(all) }
        }
        return true
    }
}
