/// A name in a package that another system refuses, or takes for another name.
///
/// A sync service carries a package to machines with other file systems. What they cannot store
/// does not arrive there, or arrives over another file.
public struct NameProblem: Hashable, Sendable {
    /// What is wrong with a name.
    public enum Kind: Hashable, Sendable {
        /// Other names in the folder differ only in case: macOS, Windows and exFAT keep one of them.
        case collides(with: [String])
        /// Windows refuses the name, for this reason.
        case refused(String)
    }

    /// What is wrong.
    public let kind: Kind
    /// The folder, relative to the package; empty for the package's own.
    @Name public private(set) var folder: String
    /// The name in it.
    @Name public private(set) var name: String

    /// The path from the package on.
    public var path: String { folder.isEmpty ? name : "\(folder)/\(name)" }

    /// What is wrong, to follow the path.
    public var explanation: String {
        switch kind {
        case .collides(let others):
            "differs only in case from \(others.map(\.quoted).joined(separator: ", ")): macOS, "
                + "Windows and exFAT keep only one of them, written over the other"
        case .refused(let reason): "cannot be stored on Windows: \(reason)"
        }
    }
}

extension NameProblem {
    /// What is wrong with names that stand in one folder, in the order of the names.
    ///
    /// - Parameter folder: The folder, relative to the package.
    static func problems(
        of names: [String], in folder: some StringProtocol
    ) -> [NameProblem] {
        let folder = String(folder)
        let groups = Dictionary(grouping: names, by: folded)
        return names.flatMap { name -> [NameProblem] in
            var kinds: [Kind] = []
            // Of two names that collide, the second is reported. Names that are equal as text differ
            // only in how accents are written, which is another problem.
            let others = (groups[folded(name)] ?? []).prefix { Name($0) != Name(name) }
                .filter { $0 != name }
            if !others.isEmpty { kinds.append(.collides(with: others)) }
            if let reason = refusal(of: name) { kinds.append(.refused(reason)) }
            return kinds.map { NameProblem(kind: $0, folder: folder, name: name) }
        }
    }

    /// What would be wrong with a name that is created next to others.
    static func problems(
        ofNew name: String, among names: [String], in folder: some StringProtocol
    ) -> [NameProblem] {
        let others = names.filter { $0 != name && folded($0) == folded(name) }
        var kinds: [Kind] = []
        if !others.isEmpty { kinds.append(.collides(with: others)) }
        if let reason = refusal(of: name) { kinds.append(.refused(reason)) }
        return kinds.map { NameProblem(kind: $0, folder: String(folder), name: name) }
    }

    /// The form in which file systems that ignore case compare names.
    private static func folded(_ name: String) -> String { name.lowercased() }

    /// The names of devices, which Windows refuses with any extension.
    ///
    /// Source: <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>
    private static let reserved: Set<String> = {
        let numbers = "0123456789¹²³"
        return Set(["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"])
            .union(numbers.map { "COM\($0)" }).union(numbers.map { "LPT\($0)" })
    }()

    private static let forbidden: Set<Unicode.Scalar> = ["<", ">", ":", "\"", "\\", "|", "?", "*"]

    /// Why Windows refuses a name; `nil` if it doesn't.
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
        return reserved.contains(stem) ? "\(stem) names a device there" : nil
    }
}

extension StorePackage {
    /// The names of devices that other systems refuse or take for another name.
    ///
    /// - Throws: ``ReplicationError`` if the package is gone or cannot be read.
    public func deviceNameProblems() throws(ReplicationError) -> [NameProblem] {
        var problems: [NameProblem] = []
        for root in Self.deviceRoots {
            problems += NameProblem.problems(of: try deviceNames(in: root), in: root)
        }
        return problems
    }

    /// What would be wrong with the folder of a device that is still to be created.
    ///
    /// - Throws: As ``deviceNameProblems()``.
    public func nameProblems(ofNew device: DeviceID) throws(ReplicationError) -> [NameProblem] {
        let root = isLegacy ? "devices" : "Devices"
        return NameProblem.problems(
            ofNew: device.name, among: try deviceNames(in: root), in: root)
    }

    private func deviceNames(in root: String) throws(ReplicationError) -> [String] {
        let path = "\(self.path)/\(root)"
        let package = try Descriptor(folder: self.path)
        guard try FileStatus.of(root, in: package, path: path)?.isFolder == true else { return [] }
        return try package.folder(root, path: path).names(path).filter(DeviceID.isValid)
    }
}

extension BlobFolder {
    /// What is wrong with the path of a blob, or would be once it is created, folder by folder.
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
