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
    ) -> (watcher: FileWatcher, reported: DispatchSemaphore) {
        let reported = DispatchSemaphore(value: 0)
        let watcher = FileWatcher(
            file, isDatabase: isDatabase, pollInterval: .milliseconds(20), polls: polls
        ) { reported.signal() }
        return (watcher, reported)
    }

    private func isNotified(_ reported: DispatchSemaphore) -> Bool {
        reported.wait(timeout: .now() + 180) == .success
    }

    @Test(arguments: [false, true]) func writingIsReported(polls: Bool) throws {
        let (watcher, reported) = watch(polls: polls)
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("two".utf8))
        try handle.close()
        #expect(isNotified(reported))
        withExtendedLifetime(watcher) {}
    }

    @Test(arguments: [false, true]) func replacingAndDeletingAreReported(polls: Bool) throws {
        let (watcher, reported) = watch(polls: polls)
        try Data("another".utf8).write(to: URL(filePath: file), options: .atomic)
        #expect(isNotified(reported))
        try FileManager.default.removeItem(atPath: file)
        #expect(isNotified(reported))
        try Data("again".utf8).write(to: URL(filePath: file))
        #expect(isNotified(reported))
        withExtendedLifetime(watcher) {}
    }

    @Test func watchersOfOneFolderReportUntilEachStops() throws {
        let (first, firstTold) = watch(polls: false)
        var (second, secondTold): (FileWatcher?, DispatchSemaphore) = watch(polls: false)
        try Data("two".utf8).write(to: URL(filePath: file))
        #expect(isNotified(firstTold))
        #expect(isNotified(secondTold))
        withExtendedLifetime(second) {}
        second = nil
        while firstTold.wait(timeout: .now()) == .success {}
        try Data("three".utf8).write(to: URL(filePath: file))
        #expect(isNotified(firstTold))
        withExtendedLifetime(first) {}
    }

    /// A user has only some hundred event queues, shared by all programs.
    @Test func allWatchersShareOneEventQueue() throws {
        var watchers: [FileWatcher] = []
        let reported = DispatchSemaphore(value: 0)
        for number in 0..<200 {
            let inner = folder.appending("\(number)")
            try FileManager.default.createDirectory(
                atPath: inner, withIntermediateDirectories: false)
            watchers.append(FileWatcher(inner + "/file") { reported.signal() })
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
        for _ in 0..<200 { #expect(isNotified(reported)) }
        withExtendedLifetime(watchers) {}
    }

    @Test func waitingWatchersHaveNoThreads() throws {
        func threadCount() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        }
        let package = try StorePackage(creating: folder.appending("p"))
        let before = try threadCount()
        let reported = DispatchSemaphore(value: 0)
        let files = (0..<100).map { _ in FileWatcher(file) { reported.signal() } }
        let packages = try (0..<100).map { _ in
            try PackageWatcher(package) { _ in reported.signal() }
        }
        // Concurrent tests may start threads, too.
        #expect(try threadCount() - before < 100)
        try Data("two".utf8).write(to: URL(filePath: file))
        for _ in files { #expect(isNotified(reported)) }
        _ = try package.makeDeviceFolder(try DeviceID("phone"))
        for _ in packages { #expect(isNotified(reported)) }
    }

    @Test func journalChangesAreReportedForDatabasesOnly() throws {
        let (watcher, reported) = watch(polls: false, isDatabase: true)
        let (plain, untold) = watch(polls: false)
        try Data("x".utf8).write(to: URL(filePath: file + "-wal"))
        #expect(isNotified(reported))
        // When this change is reported, all earlier ones have been.
        try Data("x".utf8).write(to: URL(filePath: file))
        #expect(isNotified(untold))
        withExtendedLifetime((watcher, plain)) {}
    }

    @Test func otherFilesInTheFolderAreIgnored() throws {
        let (watcher, reported) = watch(polls: false)
        for number in 0..<50 {
            try Data("x".utf8).write(to: URL(filePath: folder.appending("other \(number)")))
        }
        let (second, toldOfLast) = watch(polls: false)
        try Data("x".utf8).write(to: URL(filePath: file), options: .atomic)
        #expect(isNotified(toldOfLast))
        #expect(isNotified(reported))
        withExtendedLifetime((watcher, second)) {}
    }
}
