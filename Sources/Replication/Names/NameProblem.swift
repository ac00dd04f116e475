/// A name in a package that another system refuses or confuses with another name.
///
/// Sync services carry packages to machines with other file systems. If the other file system can't
/// store a name, the file doesn't arrive there or overwrites another file.
public struct NameProblem: Hashable, Sendable {
    /// The kind of problem.
    public enum Kind: Hashable, Sendable {
        /// Other names in the folder differ only in case. macOS, Windows, and exFAT keep only one
        /// of them.
        case collides(with: [String])
        /// Windows refuses the name for this reason.
        case refused(String)
    }

    /// The kind of problem.
    public let kind: Kind
    /// The folder, relative to the package; empty for the package itself.
    @Name public private(set) var folder: String
    /// The name in the folder.
    @Name public private(set) var name: String

    /// The path relative to the package.
    public var path: String { folder.isEmpty ? name : "\(folder)/\(name)" }

    /// A description of the problem, to print after the path.
    public var explanation: String {
        switch kind {
        case .collides(let others):
            "differs only in case from \(others.map(\.quoted).joined(separator: ", ")): macOS, "
                + "Windows and exFAT keep only one of them, which overwrites the other"
        case .refused(let reason): "can't be stored on Windows: \(reason)"
        }
    }
}

extension NameProblem {
    /// Returns the problems of the names in one folder, in the order of the names.
    ///
    /// - Parameter folder: The folder, relative to the package.
    static func problems(
        of names: [String], in folder: some StringProtocol
    ) -> [NameProblem] {
        let folder = String(folder)
        let groups = Dictionary(grouping: names, by: folded)
        return names.flatMap { name -> [NameProblem] in
            // If two names collide, the second name is reported. If two names are equal as text,
            // only the encoding of accents differs, which is another kind of problem.
            let others = (groups[folded(name)] ?? []).prefix { Name($0) != Name(name) }
            return problems(of: name, collidingWith: others.filter { $0 != name }, in: folder)
        }
    }

    /// Returns the problems that a new name would have next to the existing names.
    static func problems(
        ofNew name: String, among names: [String], in folder: some StringProtocol
    ) -> [NameProblem] {
        let others = names.filter { $0 != name && folded($0) == folded(name) }
        return problems(of: name, collidingWith: others, in: String(folder))
    }

    private static func problems(
        of name: String, collidingWith others: [String], in folder: String
    ) -> [NameProblem] {
        var kinds: [Kind] = []
        if !others.isEmpty { kinds.append(.collides(with: others)) }
        if let reason = refusal(of: name) { kinds.append(.refused(reason)) }
        return kinds.map { NameProblem(kind: $0, folder: folder, name: name) }
    }

    /// Returns the form in which case-insensitive file systems compare names.
    private static func folded(_ name: String) -> String { name.lowercased() }

    /// The names of hardware devices in Windows, such as `CON`. Windows refuses them as file names,
    /// with any extension.
    ///
    /// Source: <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>
    private static let reserved: Set<String> = {
        let numbers = "0123456789¹²³"
        return Set(["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"])
            .union(numbers.map { "COM\($0)" }).union(numbers.map { "LPT\($0)" })
    }()

    private static let forbidden: Set<Unicode.Scalar> = ["<", ">", ":", "\"", "\\", "|", "?", "*"]

    /// Returns the reason why Windows refuses a name, or `nil` if Windows accepts it.
    private static func refusal(of name: String) -> String? {
        if let character = name.unicodeScalars.first(where: { forbidden.contains($0) }) {
            return "it contains \(String(character).quoted)"
        }
        if name.unicodeScalars.contains(where: { $0.value < 0x20 }) {
            return "it contains a control character"
        }
        switch name.unicodeScalars.last {
        case ".": return "it ends with a period"
        case " ": return "it ends with a space"
        default: break
        }
        var stem = name.prefix { $0 != "." }.uppercased()
        while stem.last == " " { stem.removeLast() }
        return reserved.contains(stem) ? "\(stem) is a reserved name" : nil
    }
}

extension StorePackage {
    /// Returns the device names that other systems refuse or confuse with another name.
    ///
    /// - Throws: ``ReplicationError`` if the package is missing or can't be read.
    public func deviceNameProblems() throws(ReplicationError) -> [NameProblem] {
        var problems: [NameProblem] = []
        for root in Self.deviceRoots {
            problems += NameProblem.problems(of: try deviceNames(in: root), in: root)
        }
        return problems
    }

    /// Returns the problems that the folder of a new device would have.
    ///
    /// - Throws: As ``deviceNameProblems()``.
    public func nameProblems(ofNew device: DeviceID) throws(ReplicationError) -> [NameProblem] {
        NameProblem.problems(
            ofNew: device.name, among: try deviceNames(in: deviceRoot), in: deviceRoot)
    }

    private func deviceNames(in root: String) throws(ReplicationError) -> [String] {
        guard let folder = try openDevices(root) else { return [] }
        return try folder.names("\(path)/\(root)").filter(DeviceID.isValid)
    }
}

extension BlobFolder {
    /// Returns the problems of a blob's path, folder by folder. It need not exist yet.
    ///
    /// - Throws: ``ReplicationError``, as ``entry(_:)``.
    public func nameProblems(of path: String) throws(ReplicationError) -> [NameProblem] {
        let place = try BlobPath(path)
        let root = roots[0]
        var folders: [String] = []
        var problems: [NameProblem] = []
        for name in place.folders + [place.name] {
            let folder = ([root] + folders).joined(separator: "/")
            var siblings: [String] = []
            if let descriptor = try walk([root] + folders) {
                siblings = try descriptor.names("\(package.path)/\(folder)")
            }
            problems += NameProblem.problems(ofNew: name, among: siblings, in: folder)
            folders.append(name)
        }
        return problems
    }
}
