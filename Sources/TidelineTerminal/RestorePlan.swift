import Glibc
import Synchronization

/// What a signal handler must know to put the terminal back: all of it computed beforehand, in
/// memory that never moves, because a handler may not allocate, lock or call ncurses.
struct RestorePlan: ~Copyable {
    /// Whether the terminal is in the program's hands.
    let isActive = Atomic<Bool>(false)
    /// Signals that were relayed and not yet taken, a bit each.
    let pending = Atomic<UInt64>(0)
    var input: Int32 = -1
    var output: Int32 = -1
    var attributes = termios()
    /// Bytes that end the alternate screen, show the cursor, switch off what was switched on.
    var bytes: UnsafeMutableBufferPointer<UInt8> = .init(start: nil, count: 0)
    /// Where the handler of a relayed signal writes its number.
    var relay: Int32 = -1
    /// What is written to standard error meanwhile, and where it belongs.
    var heldErrors: Int32 = -1
    var errorOutput: Int32 = -1
    /// The actions for crashes that were there before, by signal.
    let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    let scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: 4096)

    /// The one there is: signals belong to the process. The loop's thread fills it before
    /// `isActive` is set, handlers only read it.
    nonisolated(unsafe) static let shared: UnsafeMutablePointer<RestorePlan> = {
        let plan = UnsafeMutablePointer<RestorePlan>.allocate(capacity: 1)
        plan.initialize(to: RestorePlan())
        plan.pointee.previous.initialize(repeating: sigaction(), count: 65)
        plan.pointee.scratch.initialize(repeating: 0, count: 4096)
        return plan
    }()

    /// Takes over the bytes that restore the terminal; before `isActive`.
    mutating func setBytes(_ new: [UInt8]) {
        bytes.deallocate()
        bytes = .allocate(capacity: new.count)
        _ = bytes.initialize(from: new)
    }

    /// Puts the terminal back, once. Only calls that POSIX allows in a signal handler.
    static func restoreNow() {
        let plan = shared
        guard plan.pointee.isActive.exchange(false, ordering: .acquiringAndReleasing) else {
            return
        }
        // In the background, setting the modes would stop the process instead.
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

    /// Writes what was held back from standard error to where it belongs, without bytes that act
    /// on a terminal. Only calls that POSIX allows in a signal handler.
    static func replayErrors(to output: Int32) {
        let plan = shared
        let held = plan.pointee.heldErrors
        guard held >= 0, output >= 0 else { return }
        dup2(output, STDERR_FILENO)
        let buffer = plan.pointee.scratch
        var offset = 0
        var previous: UInt8 = 0
        // A program that goes on complaining must not flood the terminal.
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
