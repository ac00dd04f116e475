import Dispatch
import Foundation
import Replication
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct FileWatcherTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.appending("some.db")
        try Data("one".utf8).write(to: URL(filePath: file))
    }

    private func watch(
        polls: Bool, isDatabase: Bool = false
    ) -> (watcher: FileWatcher, told: DispatchSemaphore) {
        let told = DispatchSemaphore(value: 0)
        let watcher = FileWatcher(
            file, isDatabase: isDatabase, pollInterval: .milliseconds(20), polls: polls
        ) { told.signal() }
        return (watcher, told)
    }

    private func hears(_ told: DispatchSemaphore) -> Bool {
        told.wait(timeout: .now() + 180) == .success
    }

    @Test(arguments: [false, true]) func writingIsReported(polls: Bool) throws {
        let (watcher, told) = watch(polls: polls)
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("two".utf8))
        try handle.close()
        #expect(hears(told))
        withExtendedLifetime(watcher) {}
    }

    @Test(arguments: [false, true]) func replacingAndDeletingAreReported(polls: Bool) throws {
        let (watcher, told) = watch(polls: polls)
        try Data("another".utf8).write(to: URL(filePath: file), options: .atomic)
        #expect(hears(told))
        try FileManager.default.removeItem(atPath: file)
        #expect(hears(told))
        try Data("again".utf8).write(to: URL(filePath: file))
        #expect(hears(told))
        withExtendedLifetime(watcher) {}
    }

    @Test func watchersOfOneFolderReportUntilEachStops() throws {
        let (first, firstTold) = watch(polls: false)
        var (second, secondTold): (FileWatcher?, DispatchSemaphore) = watch(polls: false)
        try Data("two".utf8).write(to: URL(filePath: file))
        #expect(hears(firstTold))
        #expect(hears(secondTold))
        withExtendedLifetime(second) {}
        second = nil
        while firstTold.wait(timeout: .now()) == .success {}
        try Data("three".utf8).write(to: URL(filePath: file))
        #expect(hears(firstTold))
        withExtendedLifetime(first) {}
    }

    /// A user has only some hundred event queues, shared by all programs.
    @Test func allWatchersShareOneEventQueue() throws {
        var watchers: [FileWatcher] = []
        let told = DispatchSemaphore(value: 0)
        for number in 0..<200 {
            let inner = folder.appending("\(number)")
            try FileManager.default.createDirectory(
                atPath: inner, withIntermediateDirectories: false)
            watchers.append(FileWatcher(inner + "/file") { told.signal() })
        }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let queues = descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }.filter { $0.hasSuffix("inotify") }
        // Tests that lose events on purpose use separate queues.
        #expect(queues.count < 10)
        for number in 0..<200 {
            try Data("x".utf8).write(to: URL(filePath: folder.appending("\(number)/file")))
        }
        for _ in 0..<200 { #expect(hears(told)) }
        withExtendedLifetime(watchers) {}
    }

    @Test func waitingWatchersHaveNoThreads() throws {
        func threadCount() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        }
        let package = try StorePackage(creating: folder.appending("p"))
        let before = try threadCount()
        let told = DispatchSemaphore(value: 0)
        let files = (0..<100).map { _ in FileWatcher(file) { told.signal() } }
        let packages = try (0..<100).map { _ in try FolderWatcher(package) { _ in told.signal() } }
        // Concurrent tests may start threads, too.
        #expect(try threadCount() - before < 100)
        try Data("two".utf8).write(to: URL(filePath: file))
        for _ in files { #expect(hears(told)) }
        _ = try package.makeDeviceFolder(try DeviceID("phone"))
        for _ in packages { #expect(hears(told)) }
    }

    @Test func journalChangesAreReportedForDatabasesOnly() throws {
        let (watcher, told) = watch(polls: false, isDatabase: true)
        let (plain, untold) = watch(polls: false)
        try Data("x".utf8).write(to: URL(filePath: file + "-wal"))
        #expect(hears(told))
        // When this change is reported, all earlier ones have been.
        try Data("x".utf8).write(to: URL(filePath: file))
        #expect(hears(untold))
        withExtendedLifetime((watcher, plain)) {}
    }

    @Test func otherFilesInTheFolderAreIgnored() throws {
        let (watcher, told) = watch(polls: false)
        for number in 0..<50 {
            try Data("x".utf8).write(to: URL(filePath: folder.appending("other \(number)")))
        }
        let (second, toldOfLast) = watch(polls: false)
        try Data("x".utf8).write(to: URL(filePath: file), options: .atomic)
        #expect(hears(toldOfLast))
        #expect(hears(told))
        withExtendedLifetime((watcher, second)) {}
    }
}
