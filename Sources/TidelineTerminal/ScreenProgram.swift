public import TidelineUI

/// A program that is shown on the terminal: what ``ScreenLoop`` runs.
///
/// All of it is called on the loop's thread, one call at a time.
public protocol ScreenProgram<Message> {
    /// What arrives from elsewhere, through a ``Mailbox``.
    associatedtype Message: Sendable

    /// Takes something that has happened.
    mutating func receive(_ event: ScreenEvent<Message>, on terminal: Terminal)

    /// What the screen should show now. Called when something has been received, at most once a
    /// batch.
    mutating func draw(size: Size) -> Surface

    /// When it wants ``ScreenEvent/wake``, if nothing else happens before; `nil`: never.
    var nextWake: ContinuousClock.Instant? { get }

    /// The code to end with, as soon as it wants to end; `nil` until then.
    var exitCode: Int32? { get }
}

/// Something that has happened.
public enum ScreenEvent<Message: Sendable>: Sendable {
    /// Keys, pastes, the mouse; the size, first of all and whenever it changes.
    case input(Input)
    case message(Message)
    /// The instant asked for by ``ScreenProgram/nextWake`` has come.
    case wake
    /// The terminal has told its background.
    case appearance(ThemeFile.Appearance)
    /// ^C, or SIGINT from elsewhere. A program that does not want to end because of it sets no
    /// exit code.
    case interrupt
    /// The terminal was given back for a while (^Z, an editor) and is taken again: time has passed.
    case resumed
}

/// Why a screen ended.
public enum Ending: Hashable, Sendable {
    /// The program wanted to, with this exit code.
    case finished(Int32)
    /// A signal asked for it.
    case signal(Int32)
    /// The terminal is gone.
    case hangUp
}
