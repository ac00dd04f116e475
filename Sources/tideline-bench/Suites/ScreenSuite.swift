import BenchSupport
import Foundation
import Glibc
import KeyValueStore
import Replication
import TestSupport

/// The browser in a pseudo-terminal, on the store of a million rows: the times that users wait.
///
/// By default, the measured program is the `tideline` next to this program, built in the same
/// configuration.
struct ScreenSuite: Suite {
    static let name = "screen"
    static let abstract = "The browser on 1,000,000 rows: first paint, keys, idle."

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let program = try Self.program(options)
        let files = try KeyValueFiles()
        defer { files.remove() }
        try measureArrival(program, files, &report)
        let package = try files.makeLargePackage()
        try measureStart(program, package, options, &report)
        try measureMemory(program, package, &report)
        try measurePalette(program, package, &report)
        for pane in ["keys", "log"] {
            try measureKeys(program, package, pane, &report)
        }
    }

    static func program(_ options: SuiteOptions) throws -> String {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let path =
            options.program
            ?? own.deletingLastPathComponent().appending(path: "tideline").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchError("\(path) does not exist: build it with --product tideline")
        }
        return path
    }

    /// Starts the browser in a new pseudo-terminal.
    static func open(
        _ program: String, _ package: StorePackage, _ pane: String
    ) throws -> PseudoTerminal {
        try open(program, [package.path, "--pane", pane], state: package.path + "-state")
    }

    /// Starts the browser in a new pseudo-terminal.
    ///
    /// - Parameter state: The folder for the user's state.
    static func open(
        _ program: String, _ arguments: [String], state: String
    ) throws -> PseudoTerminal {
        try PseudoTerminal(
            program, arguments,
            environment: [
                "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": "/nonexistent",
                "XDG_STATE_HOME": state, "PATH": "/usr/bin:/bin",
            ], columns: 200, rows: 60)
    }

    /// Measures a row of another device, from the end of its writer's transaction to the frame that
    /// shows it.
    private func measureArrival(
        _ program: String, _ files: KeyValueFiles, _ report: inout Report
    ) throws {
        let package = try files.package("Watched.store")
        let writer = try KeyValueFiles.store(package, KeyValueFiles.devices[0])
        try writer.set("nothing yet", forKey: "news")
        try writer.save()
        let terminal = try Self.open(program, package, "keys")
        try terminal.wait(forText: "nothing yet")
        func arrivals(_ numbers: Range<Int>, every pause: Duration) throws -> [Duration] {
            try numbers.map { number in
                Thread.sleep(forTimeInterval: pause / .seconds(1))
                try writer.set(.string("number \(number)"), forKey: "news")
                try writer.save()
                let saved = ContinuousClock.now
                try terminal.wait(forText: "number \(number)")
                return .now - saved
            }
        }
        let times = try arrivals(100..<150, every: .milliseconds(200))
        // In a burst, rows arrive at the frame rate.
        let burst = try arrivals(150..<200, every: .zero)
        try terminal.quit()
        try writer.close()
        report.add(
            "another device's row on the screen, median", Stopwatch.median(of: times), limit: 20)
        report.add("another device's row on the screen, worst", times.max() ?? .zero, limit: 50)
        report.add("consecutive rows of another device, median", Stopwatch.median(of: burst))
    }

    /// Measures the time from the program's start to its first frame, to the response to a key, and
    /// to the complete content.
    private func measureStart(
        _ program: String, _ package: StorePackage, _ options: SuiteOptions,
        _ report: inout Report
    ) throws {
        var paints: [Duration] = []
        var keys: [Duration] = []
        var loads: [Duration] = []
        for _ in 0..<max(5, options.runs) {
            let start = ContinuousClock.now
            let terminal = try Self.open(program, package, "keys")
            try terminal.wait(forText: "Tideline")
            paints.append(.now - start)
            let pressed = ContinuousClock.now
            terminal.type("?")
            try terminal.wait(forText: "Esc close")
            keys.append(.now - pressed)
            terminal.type("\u{1B}")
            try terminal.wait(forText: "LIVE")
            loads.append(.now - start)
            // Wait before typing the next key. A key immediately after Escape would be read as Alt
            // with that key.
            try terminal.wait(for: "end of help") { screen in
                !screen.lines.contains { $0.contains("Esc close") }
            }
            try terminal.quit()
        }
        report.add("first paint", Stopwatch.median(of: paints), limit: 150)
        report.add("from a key after the first paint to its frame", Stopwatch.median(of: keys))
        report.add("start until everything is loaded", Stopwatch.median(of: loads))
    }

    /// Measures the memory of the browser's process after loading the store, and after using every
    /// pane, a filter, a sort and the palette.
    private func measureMemory(
        _ program: String, _ package: StorePackage, _ report: inout Report
    ) throws {
        let live = Double(try KeyValueFiles.store(package, nil).liveByteCount) / 1e6
        let terminal = try Self.open(program, package, "keys")
        try terminal.wait(forText: "LIVE")
        func measure(_ name: String) throws {
            // Caches are released after a few seconds.
            while Self.frame(terminal, silence: 5_000) != nil {}
            let memory = Double(try ResidentMemory.current(of: terminal.process)) / 1e6
            report.add("memory of the browser, \(name)", memory, "MB", baseline: live, limit: 2.5)
        }
        func press(_ keys: [String]) {
            for key in keys {
                terminal.type(key)
                while Self.frame(terminal, silence: 300) != nil {}
            }
        }
        try measure("store opened")
        press((2...9).map(String.init) + ["E", "1", "0", "?", "\u{1B}"])
        try measure("every pane opened")
        // Sort by value, the fourth choice; then filter to a tenth of the keys.
        press(["o", "4", "f", "key:note/15*", "\r", ":", "next", "\u{1B}"])
        try measure("after a filter, a sort and the palette")
        try terminal.quit()
    }

    /// Measures keys typed into the palette: the letters of a name, and letters after a long paste.
    private func measurePalette(
        _ program: String, _ package: StorePackage, _ report: inout Report
    ) throws {
        let terminal = try Self.open(program, package, "keys")
        try terminal.wait(forText: "LIVE")
        while Self.frame(terminal, silence: 1_000) != nil {}
        func type(_ text: String) throws -> [Duration] {
            try text.map { letter in
                let start = ContinuousClock.now
                terminal.type(String(letter))
                guard let end = Self.frame(terminal, silence: 6) else {
                    throw BenchError("the palette does not answer to “\(letter)”")
                }
                return end - start
            }
        }
        terminal.type(":")
        _ = Self.frame(terminal, silence: 60)
        let name = try type("next-conflict")
        report.add("a letter of a name in the palette, median", Stopwatch.median(of: name))
        report.add("a letter of a name in the palette, worst", name.max() ?? .zero, limit: 16)
        let start = ContinuousClock.now
        let paste = String(repeating: "mnop", count: 25_000)
        terminal.type("\u{1B}[200~\(paste)\u{1B}[201~")
        let shown = Self.frame(terminal, silence: 300) ?? .now
        report.add("a paste of 100,000 letters into the palette", shown - start)
        let after = try type("qrstqrstqrst")
        report.add("a letter after the paste, median", Stopwatch.median(of: after), limit: 16)
        terminal.type("\u{1B}")
        _ = Self.frame(terminal, silence: 200)
        try terminal.quit()
    }

    /// Measures single key presses, each up to the end of the resulting frame.
    private func measureKeys(
        _ program: String, _ package: StorePackage, _ pane: String, _ report: inout Report
    ) throws {
        let terminal = try Self.open(program, package, pane)
        try terminal.wait(forText: "LIVE")
        try terminal.wait(forText: "note/")
        // Wait until the threads that loaded the store are idle.
        while Self.frame(terminal, silence: 7_000) != nil {}
        let before = try Self.processorTicks(terminal.process)
        usleep(5_000_000)
        let ticks = try Self.processorTicks(terminal.process) - before
        report.add("CPU ticks of 10 ms in 5 s at rest, \(pane)", Double(ticks), "", limit: 0)
        let pageDown = "\u{1B}[6~"
        let pageUp = "\u{1B}[5~"
        let times = try Self.keyTimes(
            terminal, presses: 1_000, atLeast: 500,
            of: ["j", "j", "j", "k", "k", pageDown, pageDown, pageUp, "G", "gg"])
        report.add("key press to frame, \(pane), median", times[times.count / 2])
        report.add(
            "key press to frame, \(pane), 99th percentile", times[times.count * 99 / 100],
            limit: 16)
        report.add("key press to frame, \(pane), worst", times[times.count - 1])
        try terminal.quit()
    }

    /// Presses random keys, and returns the times up to the ends of the resulting frames, sorted.
    ///
    /// - Parameter minimum: The number of keys that must get a response.
    static func keyTimes(
        _ terminal: PseudoTerminal, presses: Int, atLeast minimum: Int, of keys: [String]
    ) throws -> [Duration] {
        var random = SeededRandom(seed: 7)
        var times: [Duration] = []
        for number in 0..<presses {
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            let start = ContinuousClock.now
            terminal.type(key)
            guard let end = frame(terminal, silence: 6) else {
                // At an end of the list, a key has no visible effect.
                continue
            }
            times.append(end - start)
            // The first frame may be followed by a second one that completes it. The second doesn't
            // count for this key.
            if number % 10 == 0 { _ = frame(terminal, silence: 60) }
        }
        guard times.count > minimum else { throw BenchError("too few keys got a response") }
        return times.sorted()
    }

    /// Reads until no output has arrived for a while.
    ///
    /// - Parameter silence: The time without output after which the frame is complete, in
    ///   milliseconds. The first byte can take 50 ms or this time, whichever is longer.
    /// - Returns: The time of the last byte; `nil` if there was no output.
    static func frame(
        _ terminal: PseudoTerminal, silence: Int32
    ) -> ContinuousClock.Instant? {
        var last: ContinuousClock.Instant?
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var waiting = pollfd(fd: terminal.master, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, last == nil ? max(50, silence) : silence) > 0 {
            guard read(terminal.master, &buffer, buffer.count) > 0 else { break }
            last = .now
        }
        return last
    }

    /// Returns the user and system time of a process so far.
    private static func processorTicks(_ process: pid_t) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The name in parentheses can contain anything. The numbers follow the parentheses.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
            throw BenchError("/proc does not report the browser's CPU time")
        }
        return user + system
    }
}

extension PseudoTerminal {
    /// Quits the browser.
    func quit() throws {
        type("q")
        _ = try end()
    }
}
