import ArgumentParser
import CommandSupport
import Foundation
import Glibc
import KeyValueStore
import Replication
import TidelineCore

/// `tideline demo`: a store to look at.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Build a store that uses every part, and open it.",
        discussion: """
            Without FOLDER the store is made in the folder for temporary files, once.
            Example: tideline demo Demo.store --live
            """)
    @Argument(help: "Where to make the package.", completion: .directory) var folder: String?
    @Flag(name: .customLong("no-open"), help: "Build it without opening it.") var noOpen = false
    @Flag(help: "Keep the other devices writing, each from its own process.")
    var live = false
    @Option(help: "At least this many rows in all.") var rows = 0
    @Option(help: "This many devices, at least 3.") var devices = 3
    @OptionGroup var browse: BrowseOptions

    func validate() throws {
        guard (0...100_000_000).contains(rows), (0...1000).contains(devices) else {
            throw ValidationError("--rows is at most 100,000,000, --devices at most 1,000")
        }
    }

    func run() async throws {
        let path =
            folder
            ?? FileManager.default.temporaryDirectory.appending(path: "tideline-demo.store").path
        if folder == nil, FileManager.default.fileExists(atPath: path), rows == 0, devices == 3 {
            Output.note("the demo store is already there: \(path)")
        } else {
            try await build(path)
        }
        let writers = live ? try startWriters(path) : []
        defer { for writer in writers { writer.terminate() } }
        if !noOpen {
            try await Screen.run(path, browse)
        } else if live {
            Output.note("writing as \(writers.count) devices until interrupted")
            for writer in writers { writer.waitUntilExit() }
        }
    }

    private func build(_ path: String) async throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Failure(
                .cannotCreate, path, "something is already there",
                wayOut: "Open it with `tideline \(path)`, or name another folder.")
        }
        var options = DemoStore.Options()
        options.rows = rows
        options.devices = devices
        let showsProgress = isatty(STDERR_FILENO) == 1 && rows > 0
        try await DemoStore(options).build(at: path) { written in
            if showsProgress {
                Output.progress("\r\(written) of \(rows) rows ")
            }
        }
        if showsProgress { Output.progress("\n") }
        Output.note("made \(path)")
    }

    private func startWriters(_ path: String) throws -> [Process] {
        try DemoLife.devices.map { device in
            let process = Process()
            process.executableURL = URL(filePath: "/proc/self/exe")
            process.arguments = ["demo-life", path, "--device", device]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }
    }
}

/// What `demo --live` starts: one device that goes on writing until its parent is gone.
struct DemoLifeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-life", abstract: "Write to a demo store as one device, for --live.",
        shouldDisplay: false)
    @OptionGroup var store: PathArgument
    @Option var device: String
    @Option(help: "Mean milliseconds between two writes.") var pace = 2500

    func run() async throws {
        let parent = getppid()
        let life = try DemoLife(path: store.path, device: try DeviceID(device))
        while getppid() == parent {
            try await Task.sleep(
                for: .milliseconds(Int.random(in: pace / 2...max(1, pace * 3 / 2))))
            try await life.act()
        }
    }
}
