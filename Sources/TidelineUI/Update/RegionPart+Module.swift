import Replication
import TidelineCore

/// Passes the model's keys, clicks and drawing to the state of a panel.
extension RegionPart {
    static func move(by delta: Int, in model: inout Model) {
        let context = model.context
        model.regions[keyPath: state].move(by: delta, in: context)
    }

    static func open(in model: inout Model) -> [Effect] {
        model.apply(model.regions[keyPath: state].open(in: model.context))
    }

    static func click(
        at point: Point, in inner: Rect, of model: inout Model
    ) -> (isHit: Bool, effects: [Effect]) {
        let context = model.context
        let click = model.regions[keyPath: state].click(at: point, in: inner, of: context)
        return (click.isHit, model.apply(click.outcomes))
    }

    static func scrollSideways(by columns: Int, in model: inout Model) {
        if !model.regions[keyPath: state].scrollSideways(by: columns) {
            ListRegion.scrollSideways(by: columns, in: &model)
        }
    }

    static func beginFilter(in model: inout Model) -> Bool {
        let prompt = model.regions[keyPath: state].filterPrompt
        if let prompt { model.overlay = .prompt(prompt) }
        return prompt != nil
    }

    static func beginSearch(in model: inout Model) -> Bool {
        let prompt = model.regions[keyPath: state].searchPrompt
        if let prompt { model.overlay = .prompt(prompt) }
        return prompt != nil
    }

    static func goBack(in model: inout Model) -> Bool {
        model.regions[keyPath: state].endFilter()
    }

    static func alert(in model: Model) -> Alert? {
        model.regions[keyPath: state].alert(in: model.context)
    }

    static func request(in model: inout Model) -> [Effect] {
        var part = model.regions[keyPath: state]
        let effects = part.request(in: model.context) { model.requests.newID() }
        model.regions[keyPath: state] = part
        return effects
    }

    static func title(in model: Model) -> String {
        model.regions[keyPath: state].title(in: model.context)
    }

    static func place(in model: Model) -> String {
        model.regions[keyPath: state].place(in: model.context)
    }

    static func hints(in model: Model) -> [String] {
        model.regions[keyPath: state].hints(in: model.context)
    }

    static func ages(in inner: Rect, of model: Model) -> [Timestamp] {
        model.regions[keyPath: state].ages(in: inner, of: model.context)
    }

    static func nextChange(in inner: Rect, of model: Model) -> Timestamp? {
        model.regions[keyPath: state].nextChange(in: inner, of: model.context)
    }

    static func draw(in inner: Rect, on screen: inout Screen) {
        let part = screen.model.regions[keyPath: state]
        part.draw(in: inner, on: &screen.canvas)
    }
}
