/// Draws the model. Pure: the same model, theme and size result in the same surface.
///
/// - Parameters:
///   - model: The state of the screen.
///   - theme: The styles and symbols.
///   - size: The size of the screen.
/// - Returns: The drawn screen.
public func render(_ model: Model, theme: Theme, size: Size) -> Surface {
    var model = model
    model.panels.size = size
    var screen = Screen(model: model, theme: theme)
    screen.draw()
    return screen.surface
}

extension Screen {
    /// Creates the screen of a model.
    init(model: Model, theme: Theme) {
        let context = model.context
        self.init(
            panelStates: model.panelStates, overlay: model.overlay, notice: model.shownNotice,
            hints: model.hints(in: context), typedKeys: model.typedKeys,
            canvas: Canvas(context, theme))
    }
}
