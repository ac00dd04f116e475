import Glibc
public import TidelineUI

extension Terminal {
    /// How a wait for input ended.
    enum Arrival {
        case input([Input])
        /// The terminal has told its background, or answered without telling it.
        case answered
        case hangUp
        /// Something else, or nothing in time.
        case none
    }

    /// Sends the question for the background colour, and one that every terminal answers: when
    /// its answer comes, there is no other to wait for.
    func askBackground() {
        if let value = environment["COLORFGBG"]?.split(separator: ";").last.flatMap({ Int($0) }) {
            // Some terminals tell it this way: the number of the background colour.
            appearance = value == 7 || value == 15 ? .light : .dark
        }
        guard isModern else { return }
        isAwaitingAnswer = true
        decoder.answerEnd = .now + Self.longestAnswer
        device.write("\u{1B}]11;?\u{1B}\\\u{1B}[c")
    }

    /// How long an answer may be on its way, and one that comes behind that of the terminal's kind,
    /// as a multiplexer's does that asks in turn.
    private static var longestAnswer: Duration { .seconds(5) }
    private static var longestLaterAnswer: Duration { .seconds(1) }

    /// Waits for the answer about the background, so that the first frame has the right theme.
    /// What is typed meanwhile is kept. An answer that comes later is still taken.
    ///
    /// - Parameter limit: How long at most; a terminal that does not answer must not cost more.
    /// - Returns: What is known then; `nil`: nothing.
    public func awaitAppearance(
        for limit: Duration = .milliseconds(60)
    ) -> ThemeFile.Appearance? {
        let end = ContinuousClock.now + limit
        while isAwaitingAnswer {
            let left = end - .now
            guard left > .zero else { break }
            var waiting = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
            let count = poll(&waiting, 1, left.pollMilliseconds)
            if count < 0 && errno != EINTR || count == 0 { break }
            guard count > 0 else { continue }
            if case .input(let inputs) = receive() { early += inputs }
            if waiting.revents & Int16(POLLHUP) != 0 { break }
        }
        hasNewAppearance = false
        return appearance
    }

    /// Hands on what was typed and not taken to the next program that is shown here.
    public func keep(_ inputs: [Input]) { early = inputs + early }

    /// What the terminal has told of its background since the last time.
    func takeNewAppearance() -> ThemeFile.Appearance? {
        defer { hasNewAppearance = false }
        return hasNewAppearance ? appearance : nil
    }

    /// Reads what has arrived and decodes it.
    func receive() -> Arrival {
        switch device.read() {
        case .bytes(let bytes): return arrival(of: decoder.feed(bytes))
        case .nothing: return .none
        case .hangUp: return .hangUp
        }
    }

    /// Takes what has begun for complete, because the rest has not come in time.
    func finishInput() -> Arrival { arrival(of: decoder.finish()) }

    private func arrival(of events: [InputDecoder.Event]) -> Arrival {
        var inputs: [Input] = []
        var isAnswered = false
        for event in events {
            switch event {
            case .input(let input): inputs.append(input)
            case .background(let isDark):
                appearance = isDark ? .dark : .light
                hasNewAppearance = true
                isAnswered = true
                isBackgroundTold = true
                if !isAwaitingAnswer { decoder.answerEnd = nil }
            case .deviceAttributes:
                if isAwaitingAnswer {
                    decoder.answerEnd =
                        isBackgroundTold ? nil : ContinuousClock.now + Self.longestLaterAnswer
                }
                isAwaitingAnswer = false
            }
        }
        if !inputs.isEmpty { return .input(inputs) }
        return isAnswered ? .answered : .none
    }
}

extension Duration {
    /// Milliseconds for `poll`, rounded up: waking early would mean waking twice.
    var pollMilliseconds: Int32 {
        if self <= .zero { return 0 }
        let (seconds, attoseconds) = components
        if seconds > 86400 { return 86_400_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
