/// A change from one set of servers to another, which can be previewed and undone.
///
/// A change contains complete servers with their endpoints, but only those that differ.
public struct CatalogChange: Hashable, Sendable, Codable {
    /// The deleted servers, and the changed ones in their old state.
    public let before: [VPNServer]
    /// The added servers, and the changed ones in their new state.
    public let after: [VPNServer]

    private init(before: [VPNServer], after: [VPNServer]) {
        self.before = before
        self.after = after
    }

    /// Compares two sets of servers. Identifiers are compared by their bytes.
    ///
    /// - Complexity: O(*n*) in the number of servers.
    public init(from old: [VPNServer], to new: [VPNServer]) {
        let known = Self.byID(old)
        let next = Self.byID(new)
        before = old.filter { next[Array($0.id.utf8)] != $0 }
        after = new.filter { known[Array($0.id.utf8)] != $0 }
    }

    /// Whether nothing differs.
    public var isEmpty: Bool { before.isEmpty && after.isEmpty }

    /// The change that undoes this one.
    public var inverse: CatalogChange { CatalogChange(before: after, after: before) }

    /// The servers that the change adds.
    public var added: [VPNServer] {
        let known = Self.byID(before)
        return after.filter { known[Array($0.id.utf8)] == nil }
    }

    /// The servers that the change deletes.
    public var deleted: [VPNServer] { inverse.added }

    /// The servers that exist before and after the change but differ, each in both states.
    public var changed: [(old: VPNServer, new: VPNServer)] {
        let known = Self.byID(before)
        return after.compactMap { new in known[Array(new.id.utf8)].map { ($0, new) } }
    }

    private static func byID(_ servers: [VPNServer]) -> [[UInt8]: VPNServer] {
        Dictionary(servers.map { (Array($0.id.utf8), $0) }, uniquingKeysWith: { $1 })
    }
}
