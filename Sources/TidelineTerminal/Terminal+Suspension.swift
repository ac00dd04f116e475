import CNcurses
import Glibc
import TidelineCore

extension Terminal {
    /// Lets another program, such as an editor, use the terminal until `body` returns.
    ///
    /// The interrupt and stop keys belong to the other program. This program regains the terminal
    /// even if `body` throws, and redraws everything in the next frame.
    ///
    /// - Parameter body: Runs the other program.
    public func suspended<Result>(_ body: () throws -> Result) rethrows -> Result {
        releaseControl()
        defer { resume() }
        return try signals.yieldingKeys(body)
    }

    /// Restores the terminal and stops the process, as ^Z does. Returns when it is continued.
    public func stop() {
        releaseControl()
        signals.stopProcess()
        resume()
    }

    /// Draws everything in the next frame, because another program wrote on the screen.
    public func redraw() {
        tideline_forget_screen()
        painter.forget()
    }

    /// Runs a program on the terminal and waits for its end.
    ///
    /// - Parameters:
    ///   - command: A shell command, as in `$EDITOR`: a program and its options.
    ///   - arguments: Additional arguments, each passed as one word regardless of its content.
    /// - Returns: The exit code; 128 plus the signal's number if a signal ended the program; `nil`
    ///   if it couldn't be started.
    public func run(_ command: String, arguments: [String]) -> Int32? {
        suspended {
            try? ChildProgram(
                shellCommand: command, arguments: arguments, input: .descriptor(tty.input),
                output: .descriptor(tty.output)
            ).waitUntilEnd().shellCode
        }
    }

    /// Runs a program on the terminal, then waits for a key, so that its output can be read.
    ///
    /// - Parameter words: The program and its arguments.
    /// - Returns: The exit code, in the form of ``run(_:arguments:)``.
    /// - Throws: An error with the reason if the program can't be started.
    public func runAndWait(_ words: [String]) throws -> Int32 {
        try suspended {
            let code = try ChildProgram(
                path: words.first ?? "", arguments: Array(words.dropFirst()),
                input: .descriptor(tty.input), output: .descriptor(tty.output)
            ).waitUntilEnd().shellCode
            let ending = code == 0 ? "" : "[exited with \(code)] "
            // Drop the keys that were typed while the program ran. The user can't have meant them
            // for this prompt.
            tty.setAttributes(modes, when: TCSAFLUSH)
            awaitKey(prompt: "\r\n\(ending)Press any key to return ")
            return code
        }
    }

    /// Shows a prompt and waits until a key is pressed, the terminal is closed, or a signal ends
    /// this program.
    private func awaitKey(prompt: String) {
        tty.write(prompt)
        var waiting = pollfd(fd: tty.input, events: Int16(POLLIN), revents: 0)
        while !signals.hasEnding {
            guard poll(&waiting, 1, -1) > 0 else {
                // After ^Z, the shell has set its own modes and written on the screen.
                if let attributes = tty.attributes, attributes.c_lflag != modes.c_lflag {
                    tty.setAttributes(modes)
                    tty.write(prompt)
                }
                continue
            }
            guard case .nothing = tty.read() else { return }
        }
    }
}
