/// A path inside the blobs' folder that can't lead out of it.
///
/// Components are separated by `/`. A component is invalid if it is empty or starts with a dot,
/// because hidden files belong to the system and to sync services. It is also invalid if it is
/// longer than 255 bytes, contains a NUL, or is a sync service's name for a transfer. Symbolic
/// links are detected when the path is opened.
struct BlobPath {
    let folders: [String]
    let name: String
    /// The maximum depth of a blob in listings. It is limited because a listing keeps each folder
    /// on the path open.
    static let deepest = 64
    /// The maximum number of bytes in a component.
    static let longestName = 255

    /// Parses a path.
    ///
    /// - Throws: ``ReplicationError``, `.unsafePath` for an unsafe path.
    init(_ path: String) throws(ReplicationError) {
        func refusal(_ reason: String) -> ReplicationError {
            ReplicationError(.unsafePath, "\(path.prefix(200).quoted) \(reason)")
        }
        guard path.utf8.count <= 4_000 else { throw refusal("is too long for a path") }
        var components: [String] = []
        // Splits by bytes: a slash followed by a combining accent is a single `Character`, but to
        // the system, it separates two names.
        for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            let component = String(Substring(part))
            guard !component.isEmpty else {
                throw refusal("has an empty component")
            }
            guard component.utf8.first != UInt8(ascii: ".") else {
                throw refusal("has a component that starts with a dot")
            }
            guard component.utf8.count <= Self.longestName, !component.utf8.contains(0) else {
                throw refusal("has a component that is not a valid file name")
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
