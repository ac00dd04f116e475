import Foundation
import Glibc

extension Descriptor {
    /// The names in this folder in byte order, without `.` and `..`.
    ///
    /// Names that are not UTF-8 are left out: nothing in a package has one.
    func names(_ path: String) throws(ReplicationError) -> [String] {
        // The stream takes a descriptor over and moves its position, so it gets one of its own.
        let copy = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw ReplicationError(system: errno, "list", path) }
        guard let stream = fdopendir(copy) else {
            let reason = errno
            close(copy)
            throw ReplicationError(system: reason, "list", path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw ReplicationError(system: errno, "list", path) }
                break
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                String(validatingCString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
