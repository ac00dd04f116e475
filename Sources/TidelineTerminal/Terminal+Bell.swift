extension Terminal {
    /// Rings the terminal's bell or flashes, depending on its settings.
    public func ring() { _ = device.write("\u{07}") }
}
