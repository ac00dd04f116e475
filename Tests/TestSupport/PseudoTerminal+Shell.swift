extension PseudoTerminal {
    private static let prompt = "shell>"

    /// Starts a shell with job control, which leaves line editing to the terminal, and waits for
    /// its prompt.
    public static func shell(environment: [String: String]) throws -> PseudoTerminal {
        let shell = try PseudoTerminal(
            "/bin/sh", ["-i"], environment: environment.merging(["PS1": "\(prompt) "]) { $1 })
        try shell.wait(forText: prompt)
        return shell
    }

    /// Waits until the shell shows its prompt below the output of the last command.
    public func waitForPrompt() throws {
        try wait(for: "the shell") { screen in
            !screen.isAlternate && screen.lines.last { $0 != "" } == Self.prompt
        }
    }
}
