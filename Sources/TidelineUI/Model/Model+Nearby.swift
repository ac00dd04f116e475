import TidelineCore

extension Model {
    /// Lists the folder whose path the user is typing, or else the folder that contains this store.
    mutating func requestNearby() -> [Effect] {
        guard var palette = overlay?.module as? CommandPalette, !palette.text.isEmpty else {
            return []
        }
        let folder = palette.typedFolder ?? storeFolder
        let listsFiles = CommandPalette.fileActions.contains {
            palette.text.text.hasPrefix("\($0) ")
        }
        guard folder != palette.nearby.folder || listsFiles != palette.nearby.listsFiles else {
            return []
        }
        let before = palette.nearby.request
        let id = requests.newID()
        palette.nearby.folder = folder
        palette.nearby.listsFiles = listsFiles
        palette.nearby.request = id
        palette.nearby.paths.inFolder = []
        overlay = Overlay(palette)
        let others = ([session.path] + session.stores.names + recents.stores).filter { !$0.isEmpty }
        return (before.map { [.cancel($0)] } ?? [])
            + [
                listsFiles
                    ? .files(id, folder: folder) : .nearby(id, folder: folder, others: others)
            ]
    }

    mutating func receiveNearby(_ id: RequestID, _ answer: Answer<NearbyPaths>) -> [Effect] {
        overlay?.changeFirst(where: { (palette: CommandPalette) in palette.nearby.request == id }) {
            $0.nearby.request = nil
            $0.nearby.paths = (try? answer.get()) ?? NearbyPaths()
        }
        guard let palette = overlay?.module as? CommandPalette, palette.completes,
            !palette.isLooking
        else { return [] }
        notice = nil
        return perform("palette-complete")
    }

    private var storeFolder: String {
        var path = session.path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return CommandPalette.folder(of: String(path))
    }
}
