import CNcurses

extension Terminal {
    /// Gives the terminal to something else (an editor) and takes it back after it.
    ///
    /// Keys that interrupt or stop are meant for the other program meanwhile. It is restored
    /// however `body` ends; the next frame draws everything.
    public func suspended<Result>(_ body: () throws -> Result) rethrows -> Result {
        putBack()
        defer { takeBack() }
        return try signals.yieldingKeys(body)
    }

    /// Gives the terminal back and stops the process, as ^Z does; returns when it is continued.
    public func stop() {
        putBack()
        signals.stopProcess()
        takeBack()
    }

    /// Draws everything anew at the next frame, because something else wrote on the screen.
    public func redraw() {
        tideline_forget_screen()
        painter.forget()
    }
}
