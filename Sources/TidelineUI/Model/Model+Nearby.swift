import TidelineCore

extension CommandPalette {
    /// The contents of folders, for path completion and for finding stores.
    struct Nearby: Hashable, Sendable {
        /// The folder that was last listed, as typed: empty, or with `/` at its end.
        var folder: String?
        var request: RequestID?
        var paths = NearbyPaths()
    }
}

extension Model {
    /// Lists the folder whose path is being typed, or else the one that contains this store.
    mutating func requestNearby() -> [Effect] {
        guard case .palette(var palette) = overlay, !palette.text.isEmpty else { return [] }
        let folder = typedFolder(in: palette.text.text) ?? storeFolder
        guard folder != palette.nearby.folder else { return [] }
        let before = palette.nearby.request
        let id = requests.newID()
        palette.nearby.folder = folder
        palette.nearby.request = id
        palette.nearby.paths.inFolder = []
        overlay = .palette(palette)
        let others = ([session.path] + session.stores.names + recents.stores).filter { !$0.isEmpty }
        return (before.map { [.cancel($0)] } ?? [])
            + [.nearby(id, folder: folder, others: others)]
    }

    mutating func receiveNearby(_ id: RequestID, _ answer: Message.Answer<NearbyPaths>) {
        overlay?.changeFirst { overlay in
            guard case .palette(var palette) = overlay, palette.nearby.request == id else {
                return false
            }
            palette.nearby.request = nil
            palette.nearby.paths = (try? answer.get()) ?? NearbyPaths()
            overlay = .palette(palette)
            return true
        }
        guard case .palette(var palette) = overlay, palette.completes, !isLooking(palette) else {
            return
        }
        notice = nil
        complete(&palette)
        overlay = .palette(palette)
    }

    /// Returns whether the folder being typed hasn't been listed yet.
    func isLooking(_ palette: CommandPalette) -> Bool {
        palette.nearby.request != nil && typedFolder(in: palette.text.text) != nil
    }

    /// The folder that contains this store.
    private var storeFolder: String {
        var path = session.path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return Self.folder(of: String(path))
    }

    /// Returns the folder of the path being typed; `nil` if none is.
    private func typedFolder(in text: String) -> String? {
        let beginnings = Self.pathActions.map { $0 + " " }
        guard let beginning = beginnings.first(where: text.hasPrefix) else { return nil }
        let typed = text.dropFirst(beginning.count).drop { $0 == " " }
        return typed == "~" ? "~/" : Self.folder(of: String(typed))
    }

    /// Returns the path up to and including its last `/`.
    private static func folder(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)])
    }
}
