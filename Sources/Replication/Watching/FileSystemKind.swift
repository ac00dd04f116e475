import Foundation

/// Functions that detect file systems on which other machines can change files without events from
/// the kernel.
enum FileSystemKind {
    private static let remote: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "ncpfs", "vboxsf",
        "vmhgfs", "prl_fs", "virtiofs", "glusterfs", "lustre", "gfs2", "ocfs2", "orangefs",
    ]

    /// Returns whether the file system of `path`, according to the kernel's mount table, raises no
    /// events.
    static func raisesNoEvents(at path: String) -> Bool {
        guard let status = FileStatus(following: path),
            let table = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
        else { return false }
        return kind(of: status.device, in: table).map(isRemote) ?? false
    }

    static func isRemote(_ kind: String) -> Bool {
        remote.contains(kind) || kind == "fuse" || kind.hasPrefix("fuse.")
    }

    /// Returns the type of the mounted file system with that device number.
    ///
    /// A line is "id parent major:minor root place options [fields] - type source options":
    /// <https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html>.
    static func kind(of device: UInt64, in table: String) -> String? {
        // The kernel's 64-bit encoding of device numbers.
        let major = (device >> 8) & 0xfff | (device >> 32) & 0xffff_f000
        let minor = device & 0xff | (device >> 12) & 0xffff_ff00
        let number = "\(major):\(minor)"
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6, fields[2] == number,
                let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count
            else { continue }
            return String(fields[dash + 1])
        }
        return nil
    }
}
