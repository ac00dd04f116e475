extension Terminal {
    /// Rings the terminal's bell, or flashes, as the terminal is set to.
    public func ring() { _ = device.write("\u{07}") }
}
