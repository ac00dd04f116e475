import CNcurses
import Glibc

extension Terminal {
    /// Gives the terminal to something else (an editor) and takes it back after it.
    ///
    /// Keys that interrupt or stop are meant for the other program meanwhile. It is restored
    /// however `body` ends; the next frame draws everything.
    public func suspended<Result>(_ body: () throws -> Result) rethrows -> Result {
        putBack()
        defer { takeBack() }
        return try signals.yieldingKeys(body)
    }

    /// Gives the terminal back and stops the process, as ^Z does; returns when it is continued.
    public func stop() {
        putBack()
        signals.stopProcess()
        takeBack()
    }

    /// Draws everything anew at the next frame, because something else wrote on the screen.
    public func redraw() {
        tideline_forget_screen()
        painter.forget()
    }

    /// Runs a program on the terminal and waits for it.
    ///
    /// - Parameters:
    ///   - command: What a shell is to run, as `$EDITOR` holds it: a program and its options.
    ///   - arguments: Added to it, each as one word, whatever is in it.
    /// - Returns: The exit code; 128 and the signal's number when a signal ended it; `nil` when it
    ///   could not be started.
    public func run(_ command: String, arguments: [String]) -> Int32? {
        suspended {
            // The arguments reach the shell as parameters, never as text that it reads.
            let words = ["sh", "-c", command + " \"$@\"", "sh"] + arguments
            guard !words.contains(where: { $0.utf8.contains(0) }) else { return nil }
            var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
            pointers.append(nil)
            defer { for pointer in pointers { free(pointer) } }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            // The program gets the terminal even when this one's input came from elsewhere.
            posix_spawn_file_actions_adddup2(&actions, device.input, STDIN_FILENO)
            posix_spawn_file_actions_adddup2(&actions, device.output, STDOUT_FILENO)
            // Signals that this thread holds back are not held back there.
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
}
