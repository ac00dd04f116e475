import Foundation
import TestSupport
import Testing

/// A small store with two devices, and a browser on a separate terminal.
final class BrowserStage {
    let folder: TemporaryFolder
    let store: String
    private var opened: PseudoTerminal?

    /// A store that is created once and copied for each test: seven keys by `desk` and `phone`,
    /// with a conflict about `delta`.
    private static let template = Result { try makeTemplate() }

    init(store name: String = "Notes.store") throws {
        folder = try TemporaryFolder()
        store = folder.appending(name)
        let template = try Self.template.get()
        try FileManager.default.copyItem(
            atPath: template.appending("Notes.store"), toPath: store)
    }

    private static func makeTemplate() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let (store, other) = (folder.appending("Notes.store"), folder.appending("Other.store"))
        func run(_ arguments: String..., device: String, input: String? = nil) throws {
            let result = try ProgramResult.running(
                "tideline", arguments, environment: environment(folder, device), input: input)
            guard result.status == 0 else {
                throw PseudoTerminal.Failure(description: result.errors)
            }
        }
        try run("kv", "create", store, device: "desk")
        let values = [
            "alpha": "first of all", "bravo/nn": "of the brave",
            "charlie/with/a/name": "chocolate", "delta": "the base", "echo/nn": "echoes",
        ]
        try run(
            "kv", "import", store, "-", device: "desk",
            input: String(decoding: JSONEncoder().encode(values), as: UTF8.self))
        try run("kv", "set", store, "foxtrot", "a dance", device: "phone")
        try FileManager.default.copyItem(atPath: store, toPath: other)
        try run("kv", "set", store, "delta", "as the desk has it", device: "desk")
        try run("kv", "set", other, "delta", "as the phone has it", device: "phone")
        try run("kv", "set", other, "golf", "a game", device: "phone")
        try FileManager.default.removeItem(atPath: "\(store)/Devices/phone")
        try FileManager.default.copyItem(
            atPath: "\(other)/Devices/phone", toPath: "\(store)/Devices/phone")
        return folder
    }

    static func environment(_ folder: TemporaryFolder, _ device: String) -> [String: String] {
        [
            "XDG_STATE_HOME": folder.appending("state"), "HOME": folder.path,
            "XDG_CONFIG_HOME": folder.appending("config"), "TIDELINE_DEVICE": device,
            "SWIFT_BACKTRACE": "enable=no",
        ]
    }

    /// Runs a command as a device until it ends.
    @discardableResult
    func tideline(
        _ arguments: String..., device: String = "desk", input: String? = nil
    ) throws -> ProgramResult {
        let result = try ProgramResult.running(
            "tideline", arguments, environment: Self.environment(folder, device), input: input)
        guard result.status == 0 else { throw PseudoTerminal.Failure(description: result.errors) }
        return result
    }

    func terminalEnvironment(
        device: String = "desk", _ more: [String: String] = [:]
    ) -> [String: String] {
        var all = [
            "PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC",
        ]
        all.merge(Self.environment(folder, device)) { $1 }
        all.merge(more) { $1 }
        return all
    }

    /// Starts the browser on the store (or on `path`) without waiting for it.
    func start(
        _ arguments: String..., path: String? = nil, device: String = "desk",
        environment: [String: String] = [:], columns: Int = 80, rows: Int = 24
    ) throws {
        try start(
            arguments, path: path, device: device, environment: environment, columns: columns,
            rows: rows)
    }

    /// Starts the browser and waits until it shows the store's keys.
    func open(
        _ arguments: String..., device: String = "desk", environment: [String: String] = [:],
        columns: Int = 80, rows: Int = 24
    ) throws {
        try start(
            arguments, path: nil, device: device, environment: environment, columns: columns,
            rows: rows)
        try sees(" 1/7", "LIVE")
    }

    private func start(
        _ arguments: [String], path: String?, device: String, environment: [String: String],
        columns: Int, rows: Int
    ) throws {
        opened = try PseudoTerminal(
            Programs.built("tideline"), [path ?? store] + arguments,
            environment: terminalEnvironment(device: device, environment), columns: columns,
            rows: rows)
    }

    // MARK: The screen

    var terminal: PseudoTerminal {
        get throws {
            guard let opened else { throw PseudoTerminal.Failure(description: "nothing runs") }
            return opened
        }
    }

    var screen: ScreenText { get throws { try terminal.screen } }

    /// Waits until all given texts are on the screen and the others are not.
    ///
    /// A frame can arrive in parts, so the texts are waited for rather than checked once.
    func sees(_ texts: String..., not others: String...) throws {
        try sees(texts, not: others)
    }

    /// Types keys and waits for their effect.
    func press(_ keys: String, sees texts: String..., not others: String...) throws {
        try terminal.type(keys)
        try sees(texts, not: others)
    }

    /// Waits until the screen meets a condition.
    func sees(_ what: String, isSo: (ScreenText) -> Bool) throws {
        try terminal.wait(for: what, until: isSo)
    }

    private func sees(_ texts: [String], not others: [String]) throws {
        let what = texts.map { "“\($0)”" } + others.map { "end of “\($0)”" }
        try terminal.wait(for: what.joined(separator: " and ")) { screen in
            texts.allSatisfy(screen.shows) && !others.contains(where: screen.shows)
        }
    }

    /// Quits the browser with its key.
    func quit() throws {
        try terminal.type("q")
        #expect(try terminal.end() == 0)
    }

    /// The rows of the log for a key, oldest first.
    func log(ofKey key: String) throws -> [[String: Any]] {
        try tideline("log", store, "--key", key, "--json").output.jsonObjects()
    }
}

extension BrowserStage {
    /// The times of all writes, oldest first, as the screen shows them.
    func instants() throws -> [String] {
        var dates: Set<String> = []
        for row in try tideline("log", store, "--json").output.jsonObjects() {
            dates.insert(try #require(row["date"] as? String))
        }
        return dates.sorted().map { String($0.dropLast()).replacing("T", with: " ") }
    }
}

extension ScreenText {
    func shows(_ text: String) -> Bool { lines.contains { $0.contains(text) } }
    /// Whether any line starts with a text and contains the others.
    func showsLine(_ beginning: String, _ texts: String...) -> Bool {
        lines.contains { line in line.hasPrefix(beginning) && texts.allSatisfy(line.contains) }
    }
}
