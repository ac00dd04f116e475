public import TidelineUI

/// A program that runs on the terminal in a ``ScreenLoop``.
///
/// All methods are called on the loop's thread, one at a time.
public protocol ScreenProgram<Message> {
    /// The type of messages sent through a ``Mailbox``.
    associatedtype Message: Sendable

    /// Handles an event.
    mutating func receive(_ event: ScreenEvent<Message>, on terminal: Terminal)

    /// Returns the content of the screen. Called at most once after each batch of events.
    mutating func draw(size: Size) -> Surface

    /// The exit code once the program wants to end; `nil` until then.
    var exitCode: Int32? { get }
}

/// An event for a program.
public enum ScreenEvent<Message: Sendable>: Sendable {
    /// Keys, pastes, the mouse, and the size, which is sent first and whenever it changes.
    case input(Input)
    case message(Message)
    /// The terminal reported its background.
    case appearance(ThemeFile.Appearance)
    /// ^C, or SIGINT from another process. A program that doesn't want to end sets no exit code.
    case interrupt
    /// The program regained the terminal after ^Z or another program, such as an editor.
    case resumed
}

/// The reason why a screen ended.
public enum Ending: Hashable, Sendable {
    /// The program ended with this exit code.
    case finished(Int32)
    /// A signal ended the program.
    case signal(Int32)
    /// The terminal was closed.
    case hangUp
}
