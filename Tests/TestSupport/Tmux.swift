import Glibc

/// A tmux session for one test, with a command in it: an independent terminal implementation.
public final class Tmux {
    private let folder: TemporaryFolder
    private let path: String
    private let environment: [String: String]

    public static var isInstalled: Bool { Programs.installed("tmux") != nil }

    /// - Parameter command: A line for the shell.
    public init(
        _ command: String, environment: [String: String] = [:], columns: Int = 80, rows: Int = 24
    ) throws {
        folder = try TemporaryFolder()
        guard let path = Programs.installed("tmux") else {
            throw PseudoTerminal.Failure(description: "tmux is not installed")
        }
        self.path = path
        self.environment = [
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "SHELL": "/bin/sh",
        ].merging(environment) { $1 }
        _ = try run([
            "new-session", "-d", "-x", String(columns), "-y", String(rows), command,
        ])
    }

    deinit { _ = try? run(["kill-server"]) }

    /// Runs a tmux command and returns its output.
    @discardableResult
    public func run(_ arguments: [String]) throws -> String {
        try Programs.run(
            path, ["-S", folder.appending("socket"), "-f", "/dev/null", "-u"] + arguments,
            environment: environment, in: folder)
    }

    /// The lines on the screen.
    public func lines() throws -> [String] {
        try run(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// Waits until a condition holds.
    public func wait(until isSo: () throws -> Bool) throws {
        let end = ContinuousClock.now + patience
        while try !isSo() {
            guard ContinuousClock.now < end else {
                let shown = try lines().joined(separator: "\n")
                throw PseudoTerminal.Failure(description: "waited in vain; tmux shows:\n\(shown)")
            }
            usleep(10_000)
        }
    }
}
