/// The signal of an alert, in addition to the message on the screen.
public enum AlertSignal: String, Hashable, Sendable, CaseIterable {
    /// The terminal's bell.
    case bell
    /// A desktop notification by the control sequence OSC 9, which iTerm2, kitty, Ghostty and
    /// WezTerm support.
    case osc9
    /// A desktop notification by the control sequence OSC 777, which foot, rxvt-unicode, Ghostty
    /// and WezTerm support.
    case osc777
    /// A desktop notification by the program `notify-send`, on this machine.
    case notifySend = "notify-send"
}
