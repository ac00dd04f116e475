public import Foundation
public import Replication
public import TidelineCore
public import TidelineUI

/// The browser of one session on a terminal: the model, the interpreter of its effects, and the
/// theme.
public struct Browser: ScreenProgram {
    /// The reason why the user left the browser; `nil` while it runs.
    public private(set) var exitReason: ExitReason?

    private var model: Model
    private let session: any StoreSession
    private let interpreter: EffectInterpreter
    private let mailbox: Mailbox<TidelineUI.Message>
    private let themes: ThemeLibrary
    private let editor: ExternalEditor
    /// The theme chosen by the user; `nil` to choose a theme for the terminal's background.
    private var chosenTheme: String?
    private var theme: Theme
    private let now: @Sendable () -> Timestamp

    /// Starts a browser for the session.
    ///
    /// - Parameters:
    ///   - opener: Opens another store by path.
    ///   - left: The state in which the user last left the session's screen.
    ///   - theme: The name of a theme; `nil` for the default theme.
    ///   - now: The clock used to compute the ages of rows.
    /// - Throws: `ThemeError` if the theme doesn't exist.
    public init(
        _ model: Model, session: any StoreSession,
        opener: (@Sendable (String) throws -> any StoreSession)? = nil,
        journal: EditJournal? = nil, ignored: IgnoredConflictsFile? = nil,
        view: SavedView? = nil, left: BackgroundScreen? = nil, on terminal: Terminal,
        mailbox: Mailbox<TidelineUI.Message>, themes: ThemeLibrary, theme: String?,
        environment: [String: String],
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) throws {
        self.model = model
        self.session = session
        self.mailbox = mailbox
        self.themes = themes
        self.now = now
        chosenTheme = theme
        editor = ExternalEditor(
            environment: environment, state: UserState(environment: environment))
        self.theme = try themes.theme(named: theme, on: terminal)
        interpreter = EffectInterpreter(
            session: session, opener: opener, openStores: model.session.stores.names,
            journal: journal,
            ignored: ignored, view: view, utcOffset: model.utcOffset
        ) { mailbox.send($0) }
        interpreter.start(with: left)
    }

    public mutating func receive(_ event: ScreenEvent<TidelineUI.Message>, on terminal: Terminal) {
        model.now = now()
        switch event {
        case .input(let input): take(.input(input), on: terminal)
        case .message(let message): take(message, on: terminal)
        case .interrupt: take(.input(.key(.character("c", .control))), on: terminal)
        case .appearance(let appearance):
            guard chosenTheme == nil else { return }
            let name = ThemeLibrary.standard(for: appearance)
            showTheme(name, on: terminal)
            take(.background(theme: name), on: terminal)
        case .resumed: break
        }
    }

    public mutating func draw(size: Size) -> Surface {
        model.now = now()
        return render(model, theme: theme, size: size)
    }

    public var exitCode: Int32? { exitReason == nil ? nil : 0 }

    /// Returns the additional store, if one was opened. The caller must show or close it.
    public func takeNext() -> (any StoreSession)? { interpreter.takeNext() }

    /// The keys typed after the user left, which belong to the next screen.
    public var untaken: [Input] { model.pendingInput.waiting }

    /// Saves the view state and the text being edited if the screen ends before the user leaves it.
    ///
    /// - Parameter keepText: Saves a text, and returns the path of its file; `nil` if that fails.
    public mutating func keepState(keepText: (String) -> String?) {
        guard exitReason == nil else { return }
        model.keptTextPath = model.keptTextPath ?? model.unwrittenText.flatMap(keepText)
        guard let view = model.changedView else { return }
        _ = interpreter.run([.keepView(view)])
    }

    /// Cancels pending work. The session stays open.
    ///
    /// - Returns: The screen in the background, which continues to receive events.
    public func stop() -> BackgroundScreen {
        defer {
            interpreter.stop()
            interpreter.waitForPrograms()
        }
        return BackgroundScreen(of: model, missed: session.events())
    }

    private mutating func take(_ message: TidelineUI.Message, on terminal: Terminal) {
        var messages = [message]
        while let next = messages.first {
            messages.removeFirst()
            for request in interpreter.run(update(&model, next)) {
                guard let answer = perform(request, on: terminal) else { continue }
                // Another program may have used the terminal for a long time.
                model.now = now()
                messages.append(answer)
            }
        }
    }

    /// Runs the effects that concern the terminal.
    private mutating func perform(
        _ request: TerminalRequest, on terminal: Terminal
    ) -> TidelineUI.Message? {
        switch request {
        case .copy(let text, let name):
            switch terminal.copy(text) {
            case .sent:
                return .notice(Notice(.done, "\(name): sent to the terminal's clipboard"))
            case .tooLong(let limit):
                return .notice(
                    Notice(
                        .warning,
                        "\(name): too large for the terminal's clipboard (limit \(limit) bytes)"))
            case .unsupported:
                return .notice(Notice(.warning, "this terminal has no clipboard"))
            }
        case .edit(let id, let text, let fileExtension):
            return .edited(
                id,
                Result { () throws(RequestFailure) in
                    try editor.edit(text, fileExtension: fileExtension) { command, path in
                        terminal.run(command, arguments: [path])
                    }
                })
        case .merge(let id, let texts, let fileExtension, let tool):
            return .edited(
                id,
                Result { () throws(RequestFailure) in
                    try editor.merge(texts, fileExtension: fileExtension, with: tool) {
                        terminal.run($0, arguments: $1)
                    }
                })
        case .run(let id, let arguments):
            return .ran(
                id,
                Result { CommandResult(code: try terminal.runAndWait(arguments)) }
                    .mapError { RequestFailure($0) })
        case .captureMouse(let isOn): terminal.isMouseOn = isOn
        case .suspend: terminal.stop()
        case .redraw: terminal.redraw()
        case .ring: terminal.ring()
        case .notify(let text, let signal): terminal.notify(text, signal)
        case .theme(let name):
            chosenTheme = name
            return setTheme(name, on: terminal)
        case .previewTheme(let name): showTheme(name ?? chosenTheme, on: terminal)
        case .leave(let reason): exitReason = reason
        }
        return nil
    }

    /// Previews a theme; `nil` ends the preview. An invalid theme is reported only when the user
    /// chooses it.
    private mutating func showTheme(_ name: String?, on terminal: Terminal) {
        if let shown = try? themes.theme(named: name, on: terminal) { theme = shown }
    }

    private mutating func setTheme(_ name: String, on terminal: Terminal) -> TidelineUI.Message {
        do {
            theme = try themes.theme(named: name, on: terminal)
            return .theme(theme.name)
        } catch {
            return .notice(Notice(.error, "\(error)"))
        }
    }
}

extension ThemeLibrary {
    /// Returns a theme for a terminal; without a name, the default theme for its background.
    fileprivate func theme(named name: String?, on terminal: Terminal) throws -> Theme {
        try theme(
            named: name ?? Self.standard(for: terminal.appearance ?? .dark),
            depth: terminal.colorDepth, isASCII: terminal.isASCII)
    }
}
