import Glibc
import Synchronization

/// The data that a signal handler needs to restore the terminal. Computed in advance, in memory
/// that never moves, because a handler must not allocate, lock or call ncurses.
struct RestorePlan: ~Copyable {
    /// Whether the program controls the terminal.
    let isActive = Atomic<Bool>(false)
    /// The signals relayed to the loop and not yet handled, as bits.
    let pending = Atomic<UInt64>(0)
    var input: Int32 = -1
    var output: Int32 = -1
    var attributes = termios()
    /// The bytes that end the alternate screen, show the cursor and switch off terminal modes.
    var bytes: UnsafeMutableBufferPointer<UInt8> = .init(start: nil, count: 0)
    /// The pipe to which the handler of a relayed signal writes its number.
    var relay: Int32 = -1
    /// The file that holds standard error, and the original descriptor.
    var heldErrors: Int32 = -1
    var errorOutput: Int32 = -1
    /// The previous handlers of crash signals, by signal number.
    let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    let scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: 4096)

    /// The only instance, since signals belong to the process. The loop's thread fills it before
    /// setting `isActive`; handlers only read it.
    nonisolated(unsafe) static let shared: UnsafeMutablePointer<RestorePlan> = {
        let plan = UnsafeMutablePointer<RestorePlan>.allocate(capacity: 1)
        plan.initialize(to: RestorePlan())
        plan.pointee.previous.initialize(repeating: sigaction(), count: 65)
        plan.pointee.scratch.initialize(repeating: 0, count: 4096)
        return plan
    }()

    /// Stores the bytes that restore the terminal. Call this before setting `isActive`.
    mutating func setBytes(_ new: [UInt8]) {
        bytes.deallocate()
        bytes = .allocate(capacity: new.count)
        _ = bytes.initialize(from: new)
    }

    /// Restores the terminal, once. Only calls async-signal-safe functions.
    static func restoreNow() {
        let plan = shared
        guard plan.pointee.isActive.exchange(false, ordering: .acquiringAndReleasing) else {
            return
        }
        // If the program is in the background, setting the modes would stop the process. Ignoring
        // SIGTTOU prevents that.
        signal(SIGTTOU, SIG_IGN)
        let bytes = plan.pointee.bytes
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            let count = write(plan.pointee.output, start + done, bytes.count - done)
            if count <= 0 { break }
            done += count
        }
        tcsetattr(plan.pointee.input, TCSANOW, &plan.pointee.attributes)
        signal(SIGTTOU, SIG_DFL)
        replayErrors(to: plan.pointee.errorOutput)
    }

    /// Prints held standard error without bytes that control the terminal. Only calls
    /// async-signal-safe functions.
    static func replayErrors(to output: Int32) {
        let plan = shared
        let held = plan.pointee.heldErrors
        guard held >= 0, output >= 0 else { return }
        dup2(output, STDERR_FILENO)
        let buffer = plan.pointee.scratch
        var offset = 0
        var previous: UInt8 = 0
        // A program that keeps printing errors must not flood the terminal.
        while offset < 65536 {
            let count = pread(held, buffer, 4096, off_t(offset))
            if count <= 0 { break }
            offset += count
            for index in 0..<count {
                let byte = buffer[index]
                let isControl = byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F
                let isC1 = previous == 0xC2 && byte >= 0x80 && byte < 0xA0
                previous = byte
                if isControl || isC1 { buffer[index] = 0x3F }
            }
            if write(output, buffer, count) < 0 { break }
        }
        ftruncate(held, 0)
        lseek(held, 0, SEEK_SET)
    }
}
