import TidelineCore

extension CommandPalette {
    /// The contents of folders, for path completion and for finding stores.
    struct Nearby: Hashable, Sendable {
        /// The folder that was last listed, as typed: empty, or with `/` at its end.
        var folder: String?
        /// Whether files that aren't stores were also listed.
        var listsFiles = false
        var request: RequestID?
        var paths = NearbyPaths()
    }

    /// The actions whose argument is the path of a store.
    static let storeActions = ["open", "compare"]
    /// The actions whose argument is the path of another file.
    static let fileActions = ListCommand.standard.filter {
        $0.argument?.hasSuffix("FILE") == true
    }.map(\.name)

    static func takesPath(_ action: String) -> Bool {
        storeActions.contains(action) || fileActions.contains(action)
    }

    /// Splits an argument into a number that some commands take before a path, and the path.
    static func typedPath(in argument: String) -> (head: String, path: String) {
        let words = argument.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, Int(words[0]) != nil else { return ("", argument) }
        return ("\(words[0]) ", String(words[1]))
    }

    /// Whether the folder that the user is typing hasn't been listed yet.
    var isLooking: Bool { nearby.request != nil && typedFolder != nil }

    /// The folder of the path that the user is typing; `nil` if the text isn't a path.
    var typedFolder: String? {
        let beginnings = (Self.storeActions + Self.fileActions).map { $0 + " " }
        guard let beginning = beginnings.first(where: text.text.hasPrefix) else { return nil }
        let argument = String(text.text.dropFirst(beginning.count).drop { $0 == " " })
        let typed = Self.typedPath(in: argument).path
        return typed == "~" ? "~/" : Self.folder(of: typed)
    }

    /// Returns the path up to and including its last `/`.
    static func folder(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)])
    }

    /// Returns a path that completes the typed path. Repeated calls return the next paths.
    mutating func nextPath(after typed: String, in context: ScreenContext) -> String? {
        if paths.count > 1, let place = paths.firstIndex(of: typed) {
            return paths[(place + 1) % paths.count]
        }
        paths = completions(of: typed, in: context)
        return paths.first
    }

    /// Returns the paths that complete the typed path. If the typed path ends with `/`, these are
    /// the contents of the folder. The current store is left out.
    private func completions(of typed: String, in context: ScreenContext) -> [String] {
        let (head, typed) = Self.typedPath(in: String(typed.drop { $0 == " " }))
        let known =
            (typed.hasSuffix("/") || nearby.listsFiles ? [] : context.recents.stores)
            + nearby.paths.inFolder.map(\.path)
        let beginning = PaletteName.folded(typed)
        return nearby.paths.different(known, than: [context.session.path]).filter {
            $0 != typed && PaletteName.folded($0).hasPrefix(beginning)
        }.map { head + $0 }
    }
}
