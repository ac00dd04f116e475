/// How an alert draws attention, in addition to the message on the screen.
public enum AlertSignal: String, Hashable, Sendable, CaseIterable {
    /// The terminal's bell.
    case bell
    /// A desktop notification by the control sequence OSC 9, as iTerm2, kitty, Ghostty and WezTerm
    /// show it.
    case osc9
    /// A desktop notification by the control sequence OSC 777, as foot, rxvt-unicode, Ghostty and
    /// WezTerm show it.
    case osc777
    /// A desktop notification by the program `notify-send`, on this machine.
    case notifySend = "notify-send"
}
