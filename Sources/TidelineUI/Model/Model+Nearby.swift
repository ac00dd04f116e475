import TidelineCore

extension CommandPalette {
    /// What is in a folder, for whoever types a path or looks for a store.
    struct Nearby: Hashable, Sendable {
        /// The folder that was asked for last, as it is typed: empty, or with a `/` at its end.
        var folder: String?
        var request: RequestID?
        var paths = NearbyPaths()
    }
}

extension Model {
    /// Asks what is in the folder whose path is typed or, once anything else is, beside this store.
    mutating func requestNearby() -> [Effect] {
        guard case .palette(var palette) = overlay, !palette.text.isEmpty else { return [] }
        let folder = typedFolder(in: palette.text.text) ?? storeFolder
        guard folder != palette.nearby.folder else { return [] }
        let before = palette.nearby.request
        let id = newRequest()
        palette.nearby.folder = folder
        palette.nearby.request = id
        palette.nearby.paths.inFolder = []
        overlay = .palette(palette)
        let others = ([path] + stores.names + recentStores).filter { !$0.isEmpty }
        return (before.map { [.cancel($0)] } ?? [])
            + [.nearby(id, folder: folder, others: others)]
    }

    mutating func receiveNearby(_ id: RequestID, _ answer: Message.Answer<NearbyPaths>) {
        _ = overlay?.reach { overlay in
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

    /// Whether what is in the folder of the path that is typed is not known yet.
    func isLooking(_ palette: CommandPalette) -> Bool {
        palette.nearby.request != nil && typedFolder(in: palette.text.text) != nil
    }

    /// The folder that this store is in.
    private var storeFolder: String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return Self.folder(of: String(path))
    }

    /// The folder of a path that is being typed; `nil` where none is.
    private func typedFolder(in text: String) -> String? {
        let beginning = Self.pathAction + " "
        guard text.hasPrefix(beginning) else { return nil }
        let typed = text.dropFirst(beginning.count).drop { $0 == " " }
        return typed == "~" ? "~/" : Self.folder(of: String(typed))
    }

    /// The path up to its last `/`.
    private static func folder(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)])
    }
}
