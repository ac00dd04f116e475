import Glibc

/// The result of `stat` in Swift types.
struct FileStatus {
    let device: UInt64
    let inode: UInt64
    let byteCount: Int64
    /// The time of the last change of the content, in nanoseconds since 1970.
    let modified: Int64
    /// The time of the last change of the content or status, in seconds since 1970.
    let changed: time_t
    private let mode: mode_t

    init(_ raw: stat) {
        device = UInt64(raw.st_dev)
        inode = UInt64(raw.st_ino)
        byteCount = Int64(raw.st_size)
        // A file system may store any number as a time. Times out of range only have to be
        // comparable.
        modified = Int64(raw.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(raw.st_mtim.tv_nsec)
        changed = raw.st_ctim.tv_sec
        mode = raw.st_mode
    }

    /// Examines the item at `path`. Symbolic links are followed.
    ///
    /// - Returns: `nil` if that isn't possible. The reason is in `errno`.
    init?(following path: String) {
        var raw = stat()
        guard stat(path, &raw) == 0 else { return nil }
        self.init(raw)
    }

    /// The permissions of the owner, the group and other users.
    var permissions: mode_t { mode & 0o777 }
    var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
    var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
    var isPipe: Bool { mode & S_IFMT == S_IFIFO }
    var isCharacterDevice: Bool { mode & S_IFMT == S_IFCHR }

    var kind: RootedFolder.Entry.Kind {
        switch mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        case S_IFIFO: .pipe
        default: .other
        }
    }

    /// Returns the status of the item at `path` without following symbolic links, or `nil` if it
    /// doesn't exist.
    static func ofLink(at path: String) throws(ReplicationError) -> FileStatus? {
        var raw = stat()
        guard lstat(path, &raw) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw ReplicationError(system: errno, "examine", path)
        }
        return FileStatus(raw)
    }

    /// Returns the status of `name` inside an open folder, or `nil` if it doesn't exist.
    static func of(
        _ name: String, in folder: borrowing Descriptor, path: String
    ) throws(ReplicationError) -> FileStatus? {
        var raw = stat()
        guard fstatat(folder.number, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw ReplicationError(system: errno, "examine", path)
        }
        return FileStatus(raw)
    }
}
