import Glibc
public import TidelineUI

extension Terminal {
    /// Requests the background color, and then the terminal type, which every terminal reports.
    /// When the type arrives, no earlier answer is outstanding.
    func askBackground() {
        if let value = environment["COLORFGBG"]?.split(separator: ";").last.flatMap({ Int($0) }) {
            // Some terminals report the number of the background color in this variable.
            appearance = value == 7 || value == 15 ? .light : .dark
        }
        guard isModern else { return }
        isAwaitingAnswer = true
        decoder.answerEnd = .now + Self.longestAnswer
        tty.write("\u{1B}]11;?\u{1B}\\\u{1B}[c")
    }

    /// The maximum delay of an answer. A multiplexer that queries the outer terminal may answer
    /// even after it has reported the terminal type.
    private static var longestAnswer: Duration { .seconds(5) }
    private static var longestLaterAnswer: Duration { .seconds(1) }

    /// Waits at most 60 ms for the background, so that the first frame has the right theme. Keys
    /// typed in the meantime are kept. A later answer is still handled.
    ///
    /// - Returns: The background, or `nil` if unknown.
    public func awaitAppearance() -> ThemeFile.Appearance? {
        let end = ContinuousClock.now + .milliseconds(60)
        while isAwaitingAnswer {
            let left = end - .now
            guard left > .zero else { break }
            var waiting = pollfd(fd: tty.input, events: Int16(POLLIN), revents: 0)
            let count = poll(&waiting, 1, left.pollMilliseconds)
            if count < 0 && errno != EINTR || count == 0 { break }
            guard count > 0 else { continue }
            early += receive() ?? []
            if waiting.revents & Int16(POLLHUP) != 0 { break }
        }
        hasNewAppearance = false
        return appearance
    }

    /// Keeps unhandled input for the next program that is shown.
    public func keep(_ inputs: [Input]) { early = inputs + early }

    /// Returns the background that was reported since the last call; `nil` if there is none.
    func takeNewAppearance() -> ThemeFile.Appearance? {
        defer { hasNewAppearance = false }
        return hasNewAppearance ? appearance : nil
    }

    /// Reads and decodes available input. Returns `nil` if the terminal is closed.
    func receive() -> [Input]? {
        switch tty.read() {
        case .bytes(let bytes): inputs(in: decoder.feed(bytes))
        case .nothing: []
        case .hangUp: nil
        }
    }

    /// Treats incomplete input as complete after a timeout.
    func finishInput() -> [Input] { inputs(in: decoder.finish()) }

    /// Returns the input among events, and stores the terminal's answers.
    private func inputs(in events: [InputDecoder.Event]) -> [Input] {
        var inputs: [Input] = []
        for event in events {
            switch event {
            case .input(let input): inputs.append(input)
            case .background(let isDark):
                appearance = isDark ? .dark : .light
                hasNewAppearance = true
                hasReportedBackground = true
                if !isAwaitingAnswer { decoder.answerEnd = nil }
            case .deviceAttributes:
                if isAwaitingAnswer {
                    decoder.answerEnd =
                        hasReportedBackground ? nil : ContinuousClock.now + Self.longestLaterAnswer
                }
                isAwaitingAnswer = false
            }
        }
        return inputs
    }
}

extension Duration {
    /// The duration in milliseconds for `poll`, rounded up, so as not to wake twice.
    var pollMilliseconds: Int32 {
        if self <= .zero { return 0 }
        let (seconds, attoseconds) = components
        if seconds > 86400 { return 86_400_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
