import Foundation
import Glibc

/// The kernel's file events: <https://man7.org/linux/man-pages/man7/inotify.7.html>.
struct Inotify: ~Copyable {
    struct Event {
        let watch: Int32
        let mask: UInt32
        /// The entry of the watched folder that it is about; empty for the folder itself.
        let name: String

        func has(_ bits: Int32...) -> Bool {
            bits.contains { mask & UInt32(bitPattern: $0) != 0 }
        }
        var isFolder: Bool { has(Int32(IN_ISDIR)) }
    }

    let descriptor: Int32

    /// `nil` where the system gives no more of them.
    init?() {
        let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard number >= 0 else { return nil }
        descriptor = number
    }

    deinit { close(descriptor) }

    /// Everything that makes a folder's content different, and chmod, which may open it.
    static let contents =
        UInt32(IN_CREATE) | UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_FROM)
        | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE) | UInt32(IN_ATTRIB) | itself
    /// What comes into a folder, and its end.
    static let arrivals = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | itself
    /// The end of the folder itself.
    static let itself = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

    /// Watches a folder, never through a symbolic link in its place.
    /// - Returns: The number of the watch, or `errno` negated.
    func add(_ path: String, _ mask: UInt32, followsLinks: Bool = false) -> Int32 {
        var mask = mask | UInt32(IN_ONLYDIR)
        if !followsLinks { mask |= UInt32(IN_DONT_FOLLOW) }
        let watch = inotify_add_watch(descriptor, path, mask)
        return watch >= 0 ? watch : -errno
    }

    func remove(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

    /// All events that wait, without waiting for any.
    func events() -> [Event] {
        var events: [Event] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return events
            }
            buffer.withUnsafeBytes { bytes in
                Self.parse(UnsafeRawBufferPointer(rebasing: bytes[..<count]), into: &events)
            }
            // More than the kernel's queue holds has come meanwhile: let it be told first.
            if events.count > 32_768 { return events }
        }
    }

    /// Each is a watch, a mask, a cookie, a length (32 bits each), and a name of that length, padded
    /// with zeros.
    private static func parse(_ bytes: UnsafeRawBufferPointer, into events: inout [Event]) {
        var offset = 0
        while offset + 16 <= bytes.count {
            let watch = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
            let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            guard length <= bytes.count - offset - 16 else { return }
            let name = bytes[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
            events.append(
                Event(watch: watch, mask: mask, name: String(decoding: name, as: UTF8.self)))
            offset += 16 + length
        }
    }
}
