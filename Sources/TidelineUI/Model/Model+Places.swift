import Foundation
import Replication
import TidelineCore

/// Rows and stores in the palette.
extension Model {
    mutating func receivePlaces(_ id: RequestID, _ answer: Answer<PlaceMatches>) -> [Effect] {
        guard requests.places == id else { return [] }
        requests.places = nil
        guard var palette = overlay?.module as? CommandPalette else { return [] }
        let found = (try? answer.get()) ?? PlaceMatches()
        (palette.found, palette.others) = (found.places, found.others)
        palette.searching = nil
        let isAccepted = palette.accepts
        palette.accepts = false
        overlay = Overlay(palette)
        return isAccepted ? perform("palette-accept") : []
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

    /// Returns the items of the palette, best first. Recently used items come before others.
    func paletteItems(_ palette: CommandPalette) -> [PaletteItem] {
        let place = palette.place
        let actions = paletteMatches(
            for: palette.text.text, nearby: palette.nearby.paths, over: place)
        let places = place?.mustBeAnswered == true ? [] : matchingPlaces(palette)
        guard palette.text.isEmpty else {
            let all =
                actions.map { (PaletteItem.action($0), $0.score / 1_000_000) } + places
            // Results with equal scores keep their order.
            return all.enumerated().sorted {
                ($0.element.1, $0.offset) < ($1.element.1, $1.offset)
            }.map(\.element.0)
        }
        if place != nil { return actions.map(PaletteItem.action) }
        return recents.places.suffix(5).reversed().map(PaletteItem.place)
            + actions.map(PaletteItem.action)
    }

    /// Returns the results that still match the text, with ranks comparable to those of actions.
    private func matchingPlaces(_ palette: CommandPalette) -> [(PaletteItem, Int)] {
        guard let text = palette.placeName else { return [] }
        let letters = text.lowercased().filter { $0 != " " }.map(\.self)
        var seen: Set<Place.Target> = []
        var ranked: [(PaletteItem, Int)] = []
        let stores = storePlaces(palette.nearby)
        for place in recents.places.reversed() + stores + palette.found {
            guard seen.insert(place.target).inserted, let score = place.score(of: letters) else {
                continue
            }
            let isRecent = recents.places.contains { $0.target == place.target }
            // At equal ranks, recent rows come before actions, and actions before other rows.
            ranked.append((.place(place), isRecent ? score - 3 : score + 1))
        }
        return ranked.sorted { $0.1 < $1.1 }
    }

    /// Returns the other open stores, recent stores and stores in the same folder.
    private func storePlaces(_ nearby: CommandPalette.Nearby) -> [Place] {
        let beside = nearby.paths.inFolder.map(\.path).filter { !$0.hasSuffix("/") }
        let paths = nearby.paths.different(
            session.stores.names + recents.stores + beside, than: [session.path])
        return paths.map { path in
            let url = URL(filePath: path)
            let known = nearby.paths[path]
            let what = [known?.kind ?? "store", known?.size].compactMap(\.self)
                .joined(separator: ", ")
            return Place(
                target: .store(path: path), name: url.lastPathComponent,
                location: "\(what) in \(url.deletingLastPathComponent().path)")
        }
    }

    /// Goes to a place and adds it to the recent places.
    mutating func go(to place: Place) -> [Effect] {
        switch place.target {
        case .store(let path):
            if let index = session.stores.names.firstIndex(of: path), index != session.stores.shown
            {
                return leave(.show(by: index - session.stores.shown))
            }
            return openStore(path, isBeside: true)
        case .row(let name, let row, let inner):
            guard let pane = navigation.panes.first(where: { $0.id.text == name }) else {
                return say(.warning, "this store has no pane \(name)")
            }
            if pane.lists[0].source.rowsAreStores { return openStore(row.name) }
            if let text = place.holds {
                let list = PlaceList(pane: name, source: pane.lists[0].source.id)
                let id = requests.wait(for: .place(place), of: list.source)
                return [.placeInside(id, list, row, text: text, at: instant)]
            }
            recents.add(place)
            var effects = follow(Detail.Link(pane: pane.id, row: row))
            unfilter(toShow: row, called: place.name)
            if let inner { effects += open(row, showing: [inner]) }
            return effects
        }
    }

    /// Goes to the contents of a place or, if they no longer exist, to the place itself.
    mutating func receivePlaceFound(_ id: RequestID, _ answer: Answer<Place?>) -> [Effect] {
        guard case .place(var place) = requests.take(id)?.purpose else { return [] }
        place.holds = nil
        return go(to: (try? answer.get()) ?? place)
    }

    /// Clears the filter if it may hide a row.
    private mutating func unfilter(toShow row: RowID, called name: String) {
        guard let list, !list.latestQuery.filter.isEmpty, list.index(of: row) == nil else { return }
        navigation.setFilter("")
        navigation.withList { $0.want(.goTo(row)) }
        say(.info, "filter cleared to show \(name)")
    }
}

enum PaletteItem: Sendable {
    case action(PaletteMatch)
    case place(Place)
}
