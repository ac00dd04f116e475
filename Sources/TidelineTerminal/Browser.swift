public import Foundation
public import Replication
public import TidelineCore
public import TidelineUI

/// The browser of one session on a terminal: the model, what runs its effects, and its theme.
public struct Browser: ScreenProgram {
    /// Why it was left, once it was.
    public private(set) var outcome: Outcome?

    private var model: Model
    private let session: any StoreSession
    private let interpreter: EffectInterpreter
    private let mailbox: Mailbox<TidelineUI.Message>
    private let themes: ThemeLibrary
    private let editor: ExternalEditor
    /// The theme that somebody chose; without one, the terminal's background chooses.
    private var chosenTheme: String?
    private var theme: Theme
    private let now: @Sendable () -> Timestamp

    /// Begins to listen to the session.
    ///
    /// - Parameters:
    ///   - opener: Opens another store by its path.
    ///   - journal: Where what is written is noted.
    ///   - benign: Where it is kept about which conflicts nothing needs to be done.
    ///   - view: Where it is kept how the screen is left.
    ///   - left: The session's screen as it was left, which the model begins with.
    ///   - theme: The name of a theme; `nil`: the standard one for the terminal's background.
    ///   - now: The clock that ages are reckoned by.
    /// - Throws: `ThemeError` when there is no such theme.
    public init(
        _ model: Model, session: any StoreSession,
        opener: (@Sendable (String) throws -> any StoreSession)? = nil,
        journal: EditJournal? = nil, benign: BenignConflicts? = nil,
        view: KeptView? = nil, left: LeftScreen? = nil, on terminal: Terminal,
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
        editor = ExternalEditor(environment: environment)
        self.theme = try themes.theme(
            named: theme ?? ThemeLibrary.standard(for: terminal.appearance ?? .dark),
            depth: terminal.colorDepth, isASCII: terminal.isASCII)
        interpreter = EffectInterpreter(
            session: session, opener: opener, openStores: model.stores.names, journal: journal,
            benign: benign, view: view
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
        case .resumed, .wake: break
        }
    }

    public mutating func draw(size: Size) -> Surface {
        model.now = now()
        return render(model, theme: theme, size: size)
    }

    /// Alarms come as messages.
    public var nextWake: ContinuousClock.Instant? { nil }

    public var exitCode: Int32? { outcome == nil ? nil : 0 }

    /// The store that a person wants to see next, opened; or one that nobody wants any more.
    public func takeNext() -> (any StoreSession)? { interpreter.takeNext() }

    /// What was typed when it was left already: it is meant for what is shown next.
    public var untaken: [Input] { model.waiting }

    /// Keeps how the screen is for the next time, where it ends without anybody leaving it.
    public func keepView() {
        guard outcome == nil, let view = model.changedView else { return }
        _ = interpreter.run([.keepView(view)])
    }

    /// Gives up what is under way; the session stays open.
    ///
    /// - Returns: How the screen is, to be taken up again; it goes on to be told of what happens.
    public func stop() -> LeftScreen {
        defer { interpreter.stop() }
        return LeftScreen(of: model, missed: session.events())
    }

    private mutating func take(_ message: TidelineUI.Message, on terminal: Terminal) {
        var messages = [message]
        while let next = messages.first {
            messages.removeFirst()
            for request in interpreter.run(update(&model, next)) {
                if let answer = perform(request, on: terminal) { messages.append(answer) }
            }
        }
    }

    /// - Returns: The messages for the model.
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
                    Notice(.warning, "\(name): more than the \(limit) bytes that terminals take"))
            case .unsupported:
                return .notice(Notice(.warning, "this terminal has no clipboard"))
            }
        case .edit(let id, let text, let fileExtension):
            do throws(RequestFailure) {
                let saved = try editor.edit(text, fileExtension: fileExtension) { command, path in
                    terminal.run(command, arguments: [path])
                }
                model.now = now()
                return .edited(id, .success(saved))
            } catch {
                return .edited(id, .failure(error))
            }
        case .captureMouse(let isOn): terminal.isMouseOn = isOn
        case .suspend: terminal.stop()
        case .redraw: terminal.redraw()
        case .ring: terminal.ring()
        case .theme(let name):
            chosenTheme = name
            return setTheme(name, on: terminal)
        case .previewTheme(let name?): showTheme(name, on: terminal)
        case .previewTheme(nil):
            showTheme(
                chosenTheme ?? ThemeLibrary.standard(for: terminal.appearance ?? .dark),
                on: terminal)
        case .leave(let outcome): self.outcome = outcome
        }
        return nil
    }

    /// Draws with a theme that nobody has chosen yet.
    private mutating func showTheme(_ name: String, on terminal: Terminal) {
        // One with mistakes is told of when it is chosen.
        guard
            let shown = try? themes.theme(
                named: name, depth: terminal.colorDepth, isASCII: terminal.isASCII)
        else { return }
        theme = shown
    }

    private mutating func setTheme(_ name: String, on terminal: Terminal) -> TidelineUI.Message {
        do {
            theme = try themes.theme(
                named: name, depth: terminal.colorDepth, isASCII: terminal.isASCII)
            return .theme(theme.name)
        } catch {
            return .notice(Notice(.error, "\(error)"))
        }
    }
}
