import TidelineCore
public import TidelineUI

extension Terminal {
    /// The maximum size of the text of a notification, in bytes.
    static let notificationLimit = 400

    /// Rings the terminal's bell or flashes, depending on its settings.
    public func ring() { _ = tty.write("\u{07}") }

    /// Shows a notification on the desktop, if the terminal supports the control sequence. Other
    /// terminals ignore it. If `signal` isn't a control sequence, rings the bell instead.
    ///
    /// - Parameters:
    ///   - text: The text. At most 400 bytes of it are shown.
    ///   - signal: The control sequence to use.
    public func notify(_ text: String, _ signal: AlertSignal) {
        if let sequence = Self.notification(text, signal, isInTmux: isInTmux) {
            tty.write(sequence)
        } else {
            ring()
        }
    }

    /// Returns the sequence that shows a notification; `nil` if `signal` isn't a control sequence.
    /// Control characters in the text are made visible, so that the text can't end the sequence.
    static func notification(_ text: String, _ signal: AlertSignal, isInTmux: Bool) -> String? {
        let start: String
        switch signal {
        case .bell, .notifySend: return nil
        case .osc9: start = "\u{1B}]9;"
        case .osc777: start = "\u{1B}]777;notify;Tideline;"
        }
        let shown = Sanitizer.bounded(Sanitizer.visible(text), bytes: notificationLimit)
        let plain = start + shown + "\u{07}"
        return isInTmux ? passedThroughTmux(plain) : plain
    }
}
