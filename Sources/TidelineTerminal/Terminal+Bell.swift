public import TidelineUI

extension Terminal {
    /// Rings the terminal's bell or flashes, depending on its settings.
    public func ring() { _ = device.write("\u{07}") }

    /// Shows a notification on the desktop, if the terminal knows the control sequence. Others ignore
    /// it.
    ///
    /// - Parameter text: Of a longer text, the first 200 characters are shown. Control characters,
    ///   which could end the sequence, are left out.
    public func notify(_ text: String, _ signal: AlertSignal) {
        let shown = String(
            text.unicodeScalars.filter { $0.value >= 32 && !(127..<160 ~= $0.value) }
        )
        .prefix(200)
        switch signal {
        case .bell: ring()
        case .osc9: _ = device.write("\u{1B}]9;\(shown)\u{07}")
        case .osc777: _ = device.write("\u{1B}]777;notify;Tideline;\(shown)\u{07}")
        }
    }
}
