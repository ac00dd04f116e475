import Glibc

/// The names in a folder.
struct FolderEntries {
    /// The names that are UTF-8.
    var names: [String] = []
    /// The other names as text with escaped bytes, such as `caf\xE9`. Don't open files by these
    /// texts, because another file may really have such a name.
    var escaped: [String] = []

    var isEmpty: Bool { names.isEmpty && escaped.isEmpty }

    fileprivate mutating func add(_ name: [UInt8]) {
        if let text = String(validating: name, as: UTF8.self) {
            names.append(text)
        } else {
            escaped.append(Self.escape(name))
        }
    }

    static func escape(_ name: [UInt8]) -> String {
        name.reduce(into: "") { text, byte in
            let isPlain = (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\\")
            let digits = String(byte, radix: 16, uppercase: true)
            text +=
                isPlain
                ? String(Unicode.Scalar(byte))
                : "\\x" + (byte < 16 ? "0" : "") + digits
        }
    }
}

extension Descriptor {
    /// Returns the names in this folder in byte order, without `.`, `..`, and those that are not
    /// UTF-8.
    func names(_ path: String) throws(ReplicationError) -> [String] { try entries(path).names }

    func entries(_ path: String) throws(ReplicationError) -> FolderEntries {
        // The directory stream closes its descriptor and moves the descriptor's position, so it
        // needs its own descriptor.
        let copy = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw ReplicationError(system: errno, "list", path) }
        guard let stream = fdopendir(copy) else {
            let reason = errno
            close(copy)
            throw ReplicationError(system: reason, "list", path)
        }
        defer { closedir(stream) }
        var found = FolderEntries()
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw ReplicationError(system: errno, "list", path) }
                break
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                let start = UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self)
                return Array(UnsafeBufferPointer(start: start, count: strlen(start)))
            }
            if name != Array(".".utf8), name != Array("..".utf8) { found.add(name) }
        }
        found.names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        found.escaped.sort()
        return found
    }
}
