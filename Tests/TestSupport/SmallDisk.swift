import Foundation

/// An in-memory disk for one test, which can be filled and made read-only: a tmpfs that only
/// programs started on it see.
///
/// The file system disappears with the last process that sees it. Creating it requires the right to
/// mount (root, or a container with it).
public final class SmallDisk {
    /// The reason why this system can't provide such a disk; `nil` if it can.
    public static let problem: String? = {
        guard Programs.installed("unshare") != nil, Programs.installed("nsenter") != nil else {
            return "unshare and nsenter are not installed"
        }
        do {
            let folder = try TemporaryFolder()
            _ = try SmallDisk(at: folder.appending("disk"), bytes: 1 << 16)
            return nil
        } catch {
            return "a file system cannot be mounted here: \(error)"
        }
    }()

    public static var isPossible: Bool { problem == nil }

    /// The path at which the programs see it.
    public let path: String
    private let holder: RunningProgram

    /// - Parameter path: The path of a folder to create. Programs that weren't started on the disk
    ///   see an empty folder.
    public init(at path: String, bytes: Int) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let script = "mount -t tmpfs -o size=\(bytes) none \"$0\" && echo ready && exec cat"
        holder = try RunningProgram(
            executable: Programs.installed("unshare") ?? "/usr/bin/unshare",
            ["-m", "sh", "-c", script, path], input: .pipe, errors: .null)
        guard try holder.line() == "ready" else {
            throw PseudoTerminal.Failure(description: "no tmpfs can be mounted")
        }
    }

    /// The program and the arguments that start a program on the disk.
    public func starting(_ program: String, _ arguments: [String]) -> (String, [String]) {
        (
            Programs.installed("nsenter") ?? "/usr/bin/nsenter",
            ["-t", "\(holder.identifier)", "-m", "--", program] + arguments
        )
    }

    /// Runs a shell command on the disk.
    @discardableResult
    public func shell(_ line: String) throws -> ProgramResult {
        let (program, arguments) = starting("/bin/sh", ["-c", line, path])
        return try ProgramResult.running(executable: program, arguments, environment: [:])
    }

    /// Fills the remaining space.
    public func fill() throws {
        try shell("cat /dev/zero >\"$0/filler\"; sync")
    }

    /// Frees that space.
    public func empty() throws { try shell("rm \"$0/filler\"") }

    /// Makes the disk read-only; open files stay open.
    public func forbidWriting() throws {
        let result = try shell("mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\"")
        guard result.status == 0 else {
            throw PseudoTerminal.Failure(description: "not made read-only: \(result.errors)")
        }
    }

    public func allowWriting() throws { try shell("umount -l \"$0\"") }
}
