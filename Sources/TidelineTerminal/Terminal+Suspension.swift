import CNcurses
import Glibc

extension Terminal {
    /// Lets another program, such as an editor, use the terminal until `body` returns.
    ///
    /// The interrupt and stop keys belong to the other program. This program regains the terminal
    /// even if `body` throws, and redraws everything in the next frame.
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

    /// Runs a program on the terminal and waits for it.
    ///
    /// - Parameters:
    ///   - command: A shell command, as in `$EDITOR`: a program and its options.
    ///   - arguments: Additional arguments, each passed as one word whatever it contains.
    /// - Returns: The exit code; 128 plus the signal's number if a signal ended the program; `nil`
    ///   if it couldn't be started.
    public func run(_ command: String, arguments: [String]) -> Int32? {
        suspended { spawn(command, arguments) }
    }

    /// Runs a program on the terminal, then waits for a key, so that its output can be read.
    ///
    /// - Parameter words: The program and its arguments.
    /// - Returns: The exit code, as that of ``run(_:arguments:)``.
    public func runAndWait(_ words: [String]) -> Int32? {
        suspended {
            let code = spawn("", words)
            let ending = code == 0 ? "" : "[\(code.map { "exited with \($0)" } ?? "not started")] "
            // Keys that were meant for the program are dropped, but not those that answer the text.
            device.setAttributes(modes, when: TCSAFLUSH)
            device.write("\r\n\(ending)Press any key to return ")
            awaitKey()
            return code
        }
    }

    /// Waits until a key is pressed, the terminal is closed, or a signal ends this program.
    private func awaitKey() {
        var waiting = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
        while !signals.hasEnding {
            guard poll(&waiting, 1, -1) > 0 else { continue }
            guard case .nothing = device.read() else { return }
        }
    }

    private func spawn(_ command: String, _ arguments: [String]) -> Int32? {
        // Arguments are passed as positional parameters, never as shell source.
        let words = ["sh", "-c", command + " \"$@\"", "sh"] + arguments
        guard !words.contains(where: { $0.utf8.contains(0) }) else { return nil }
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The program gets the terminal even if this program's input comes from elsewhere.
        posix_spawn_file_actions_adddup2(&actions, device.input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, device.output, STDOUT_FILENO)
        // Signals that this thread blocks aren't blocked in the other program.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var process: pid_t = 0
        let result = posix_spawn(&process, "/bin/sh", &actions, &attributes, pointers, environ)
        guard result == 0 else { return nil }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            if errno != EINTR { return nil }
        }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
