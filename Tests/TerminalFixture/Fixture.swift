import Foundation
import TidelineTerminal
import TidelineUI

/// A screen program for tests that watch it from outside. It shows the lines of a file and the
/// messages it receives, and ends in the way that a key requests.
///
/// With `--thread` the loop runs on a thread that blocks all signals, as tasks do.
///
///     TerminalFixture [--thread] [--ascii] [--flood] [--lines FILE]
///     TerminalFixture --measure FILE ANSWER
@main struct Fixture: ScreenProgram {
    typealias Message = Int

    var lines: [String] = []
    var log: [String] = ["ready"]
    var theme: Theme
    var count = 0
    var frames = 0
    var exitCode: Int32?

    static func main() {
        guard CommandLine.arguments.contains("--thread") else { return runToEnd() }
        Thread.detachNewThread {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
            runToEnd()
        }
        while true { pause() }
    }

    private static func runToEnd() {
        do {
            try run()
        } catch let error as TerminalError {
            FileHandle.standardError.write(Data("fixture: \(error)\n".utf8))
            exit(error.exitCode)
        } catch {
            FileHandle.standardError.write(Data("fixture: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        var options = Terminal.Options()
        var isFlooded = false
        if arguments.first == "--measure" { return try measure(arguments[1], arguments[2]) }
        while let first = arguments.first, first.hasPrefix("--") {
            if first == "--ascii" { options.isASCII = true }
            if first == "--flood" { isFlooded = true }
            arguments.removeFirst()
        }
        let lines = try arguments.first.map(readLines) ?? []
        let environment = ProcessInfo.processInfo.environment
        let mailbox = try Mailbox<Int>()
        let terminal = try Terminal(options: options, environment: environment)
        defer { terminal.close() }
        let appearance = terminal.awaitAppearance()
        let theme = try ThemeLibrary(environment: environment).theme(
            named: ThemeLibrary.standard(for: appearance ?? .dark), depth: terminal.colorDepth,
            isASCII: terminal.isASCII)
        if isFlooded {
            Thread.detachNewThread {
                for number in 1...20000 { mailbox.send(number) }
            }
        }
        let program = Fixture(lines: lines, theme: theme)
        var loop = ScreenLoop(program, on: terminal, mailbox: mailbox)
        let ending = loop.run()
        if let failure = loop.program.failure { throw failure }
        terminal.close()
        ending.exit()
    }

    /// Reads the zero-terminated lines of a file. Lines may contain newlines.
    private static func readLines(_ path: String) throws -> [String] {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    }

    /// Asks the terminal for the cursor position after each line it draws, and writes the columns
    /// to a file. Leaves the terminal's modes to the caller.
    private static func measure(_ path: String, _ answer: String) throws {
        var columns: [String] = []
        for line in try readLines(path) {
            var surface = Surface(size: Size(columns: 60, rows: 1))
            surface.put(line, at: .zero)
            let question = "\r\u{1B}[K" + surface.line(0) + "\u{1B}[6n"
            FileHandle.standardOutput.write(Data(question.utf8))
            var reply = ""
            while !reply.hasSuffix("R"), let byte = try FileHandle.standardInput.read(upToCount: 1)
            {
                reply += String(decoding: byte, as: UTF8.self)
            }
            let column = reply.dropLast().split(separator: ";").last.flatMap { Int($0) } ?? 0
            columns.append(String(column - 1))
        }
        try Data(columns.joined(separator: " ").utf8).write(
            to: URL(filePath: answer), options: .atomic)
    }

    init(lines: [String], theme: Theme) {
        self.lines = lines
        self.theme = theme
    }

    var failure: Failure?
    struct Failure: Error {}

    mutating func receive(_ event: ScreenEvent<Int>, on terminal: Terminal) {
        switch event {
        case .input(.key(let key)):
            log.append("key \(key.code) \(key.modifiers.rawValue)")
            if key.modifiers.isEmpty, case .character(let character) = key.code {
                act(character, terminal)
            }
        case .input(.paste(let text)): log.append("paste <\(text)>")
        case .input(.mouse(let mouse)):
            log.append("mouse \(mouse.kind) \(mouse.column) \(mouse.row)")
        case .input(.resize(let columns, let rows)): log.append("size \(columns)x\(rows)")
        case .message(let number): count = number
        case .appearance(let appearance): log.append("background \(appearance)")
        case .interrupt: exitCode = 130
        case .resumed: log.append("resumed")
        }
    }

    private mutating func act(_ character: Character, _ terminal: Terminal) {
        switch character {
        case "q": exitCode = 3
        case "t":
            failure = Failure()
            exitCode = 1
        case "E": exit(5)
        case "S": UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case "A": abort()
        case "T":
            let numbers = log.map(\.count)
            print(numbers[numbers.count + 1])
        case "O": print(overflow(1))
        case "L":
            FileHandle.standardError.write(Data("a library complains \u{1B}]0;x\u{07}\n".utf8))
        case "v":
            let code = terminal.run(
                "kill -INT $PPID; printf '<%s>'", arguments: ["a b", "$(x)"])
            log.append("ran \(code.map(String.init) ?? "nothing")")
        case "c": log.append("copy \(terminal.copy("abc"))")
        case "m": terminal.isMouseOn.toggle()
        case "f": log.append("\(frames) frames")
        case "h":
            _ = terminal.copy("stuck")
            while true { Thread.sleep(forTimeInterval: 60) }
        default: break
        }
    }

    /// Overflows the stack.
    private func overflow(_ depth: Int) -> Int {
        if depth < 0 { return 0 }
        let deeper = [depth, overflow(depth &+ 1)]
        return deeper.reduce(0, &+)
    }

    mutating func draw(size: Size) -> Surface {
        frames += 1
        var surface = theme.surface(size: size)
        for (row, line) in lines.enumerated() {
            surface.put(line, at: Point(column: 0, row: row), style: theme[.key])
        }
        if lines.isEmpty {
            let shown = log.suffix(max(0, size.rows - 2))
            for (row, entry) in shown.enumerated() {
                surface.put(entry, at: Point(column: 2, row: row + 1), style: theme[.conflict])
            }
            surface.box(
                Rect(size), style: theme[.border], title: "\(theme.name) \(theme.isASCII)")
            surface.put(
                "count \(count)", at: Point(column: 40, row: 1), style: theme[.number])
            surface.cursor = Point(column: 5, row: 2)
        }
        return surface
    }
}
