import TidelineCore

extension CommandPalette {
    /// The contents of folders, for path completion and for finding stores.
    struct Nearby: Hashable, Sendable {
        /// The folder that was last listed, as typed: empty, or with `/` at its end.
        var folder: String?
        var request: RequestID?
        var paths = NearbyPaths()
    }

    /// The actions whose argument is the path of a store.
    static let pathActions = ["open", "compare"]

    /// Whether the folder being typed hasn't been listed yet.
    var isLooking: Bool { nearby.request != nil && typedFolder != nil }

    /// The folder of the path being typed; `nil` if none is.
    var typedFolder: String? {
        let beginnings = Self.pathActions.map { $0 + " " }
        guard let beginning = beginnings.first(where: text.text.hasPrefix) else { return nil }
        let typed = text.text.dropFirst(beginning.count).drop { $0 == " " }
        return typed == "~" ? "~/" : Self.folder(of: String(typed))
    }

    /// Returns the path up to and including its last `/`.
    static func folder(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)])
    }

    /// Returns the next path that completes the typed one, after any path inserted before.
    mutating func nextPath(after typed: String, in context: ScreenContext) -> String? {
        if paths.count > 1, let place = paths.firstIndex(of: typed) {
            return paths[(place + 1) % paths.count]
        }
        paths = completions(of: typed, in: context)
        return paths.first
    }

    /// Returns the paths that complete the typed one; for a path that ends with `/`, the contents
    /// of the folder. The current store is left out.
    private func completions(of typed: String, in context: ScreenContext) -> [String] {
        let typed = String(typed.drop { $0 == " " })
        let known =
            (typed.hasSuffix("/") ? [] : context.recents.stores)
            + nearby.paths.inFolder.map(\.path)
        let beginning = PaletteName.folded(typed)
        return nearby.paths.different(known, than: [context.session.path]).filter {
            $0 != typed && PaletteName.folded($0).hasPrefix(beginning)
        }
    }
}
