import ArgumentParser
import CommandSupport
import Foundation
import Glibc
import Replication
import TidelineCore

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Build an example store that uses every feature, and open it.",
        discussion: """
            Without FOLDER, builds the store in the folder for temporary files, and reuses it later.

            Example: tideline demo Demo.store --live
            """)
    @Argument(help: "The folder to create.", completion: .directory, transform: PathWord.path)
    var folder: String?
    @Flag(name: .customLong("no-open"), help: "Build the store without opening it.") var noOpen =
        false
    @Flag(help: "Let the other devices keep writing, each in its own process.")
    var live = false
    @Option(help: "The minimum total number of rows.") var rows = 0
    @Option(help: "The number of devices, at least 3.") var devices = 3
    @OptionGroup var browse: BrowseOptions

    func validate() throws {
        guard (0...100_000_000).contains(rows) else {
            throw ValidationError("--rows must be a number from 0 to 100,000,000")
        }
        guard (3...1000).contains(devices) else {
            throw ValidationError("--devices must be a number from 3 to 1,000")
        }
    }

    func run() async throws {
        let path =
            folder
            ?? FileManager.default.temporaryDirectory.appending(path: "tideline-demo.store").path
        if folder == nil, FileManager.default.fileExists(atPath: path), rows == 0, devices == 3 {
            Output.note("the demo store already exists: \(path)")
        } else {
            try await build(path)
            // Keys typed in the meantime were not meant for the browser.
            if !noOpen { tcflush(STDIN_FILENO, TCIFLUSH) }
        }
        let writers = live ? try startWriters(path) : []
        if !noOpen {
            defer { for writer in writers { writer.terminate() } }
            try await BrowserScreen.run(path, browse, hasTour: true)
        } else if live {
            Output.note("writing as \(Counted.text(writers.count, "device")) until interrupted")
            for writer in writers { _ = await writer.ending() }
        }
    }

    private func build(_ path: String) async throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Failure(
                .cannotCreate, path, "the path already exists",
                suggestion: "open it with 'tideline \(path)', or specify another folder")
        }
        var options = DemoStore.Options()
        options.rows = rows
        options.devices = devices
        let isWatched = isatty(STDERR_FILENO) == 1
        if isWatched { Output.note("building the demo store …") }
        let showsProgress = isWatched && rows > 0
        let store = DemoStore(options)
        try await UnfinishedItem.run { willFill in
            try await store.build(
                at: path,
                progress: { written in
                    guard showsProgress else { return }
                    Output.progress(
                        "\r\(Counted.grouped(written)) of \(Counted.grouped(rows)) rows ")
                }, willFill: willFill)
        }
        if showsProgress { Output.progress("\n") }
        Output.note("created \(path)")
    }

    private func startWriters(_ path: String) throws -> [ChildProgram] {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try DemoLife.devices.map { device in
            try ChildProgram(
                path: program, arguments: ["demo-life", path, "--device", device],
                output: .discarded)
        }
    }
}

/// A process of `demo --live`: one device that keeps writing until its parent exits.
struct DemoLifeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-life", abstract: "Write to a demo store as one device, for --live.",
        shouldDisplay: false)
    @OptionGroup var store: PathArgument
    @Option var device: String
    @Option(help: "The mean number of milliseconds between two writes.") var pace = 2500

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
