/// A path inside the blobs' folder that cannot lead out of it.
///
/// Components are separated by `/`; none is empty, `.` or `..`, begins with a dot (hidden files
/// belong to the system and to sync services), has more than 255 bytes or a NUL, or is the name that
/// a sync service gives to a transfer. Symbolic links are found out where the path is walked.
struct BlobPath {
    let folders: [String]
    let name: String
    /// How many folders deep a blob may lie to be listed: each that is being listed is held open.
    static let deepest = 64

    /// - Throws: ``ReplicationError``, `.unsafePath` for anything else.
    init(_ path: String) throws(ReplicationError) {
        func refusal(_ reason: String) -> ReplicationError {
            ReplicationError(.unsafePath, "\(path.prefix(200).quoted) \(reason)")
        }
        guard path.utf8.count <= 4_000 else { throw refusal("is too long for a path") }
        var components: [String] = []
        // By bytes: a slash and an accent after it are one `Character`, and two names to the system.
        for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            let component = String(Substring(part))
            guard !component.isEmpty else {
                throw refusal("has an empty component")
            }
            guard component.utf8.first != UInt8(ascii: ".") else {
                throw refusal("has a component that begins with a dot")
            }
            guard component.utf8.count <= 255, !component.utf8.contains(0) else {
                throw refusal("has a component that no file can have for a name")
            }
            guard !SyncServiceFile.isTransfer(component) else {
                throw refusal("has a name that sync services use for unfinished transfers")
            }
            components.append(component)
        }
        guard let name = components.popLast() else { throw refusal("is empty") }
        folders = components
        self.name = name
    }
}
