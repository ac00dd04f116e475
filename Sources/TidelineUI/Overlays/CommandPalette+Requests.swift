import Foundation
import TidelineCore

/// The requests of the palette: the places that match its text, and the contents of folders.
extension CommandPalette {
    /// The maximum length of a typed name.
    private static let longestName = 100

    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect] {
        requestPlaces(in: context, &requests) + requestNearby(in: context, &requests)
    }

    /// Searches for places that match the text, canceling the previous search.
    private mutating func requestPlaces(
        in context: ScreenContext, _ requests: inout Requests
    ) -> [Effect] {
        // A dialog that must be answered first doesn't offer rows.
        let name = place?.mustBeAnswered == true ? nil : placeName ?? relatedName
        guard name != askedFor || searching != requests.places else { return [] }
        let canceled = requests.cancelPlaces()
        (askedFor, searching) = (name, nil)
        others = PlaceMatches.Others()
        guard let name else {
            found = []
            return canceled
        }
        let id = requests.newID()
        (searching, requests.places) = (id, id)
        // Skip events and conflicts, because their rows are found in other panes.
        let lists = context.navigation.panes.filter { pane in
            let source = pane.lists[0].source
            return !pane.listsConflicts && !source.isNewestFirst && !source.isComputedOnDemand
        }.map { PlaceList(pane: $0.id.text, source: $0.lists[0].source.id) }
        return canceled + [.places(id, lists, text: name, at: context.instant)]
    }

    /// Lists the folder whose path the user is typing, or else the folder that contains this store.
    private mutating func requestNearby(
        in context: ScreenContext, _ requests: inout Requests
    ) -> [Effect] {
        guard !text.isEmpty else { return [] }
        let session = context.session
        let folder = typedFolder ?? Self.folder(ofStoreAt: session.path)
        let listsFiles = Self.fileActions.contains { text.text.hasPrefix("\($0) ") }
        guard folder != nearby.folder || listsFiles != nearby.listsFiles else { return [] }
        let canceled: [Effect] = nearby.request.map { [.cancel($0)] } ?? []
        let id = requests.newID()
        nearby.folder = folder
        nearby.listsFiles = listsFiles
        nearby.request = id
        nearby.paths.inFolder = []
        let others = [session.path] + session.stores.names + context.recents.stores
        return canceled + [
            listsFiles
                ? .files(id, folder: folder)
                : .nearby(id, folder: folder, others: others.filter { !$0.isEmpty })
        ]
    }

    private static func folder(ofStoreAt path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return folder(of: String(path))
    }

    /// The text to search for; `nil` if it is a command or a number.
    var placeName: String? {
        let text = text.text
        let name = text.trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty, name.count <= Self.longestName, Int(name) == nil else { return nil }
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        if words.count == 2, Action.named(String(words[0]))?.argument != nil { return nil }
        return name
    }

    /// The target of a relationship while the user types it; `nil` elsewhere.
    private var relatedName: String? {
        let words = text.text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, words[0] == "relate" else { return nil }
        let typed = QuotedWords(String(words[1]))
        guard typed.words.count == 2, let word = typed.words.last, !word.isEmpty else {
            return nil
        }
        return word
    }
}
