import ArgumentParser
import CommandSupport
import Foundation
import Glibc
import Replication
import TidelineCore
import TidelineTerminal
import TidelineUI

/// What the browser takes beside the store's path.
struct BrowseOptions: ParsableArguments {
    @Option(help: "The pane to begin with: keys, log, conflicts, devices, blobs, …")
    var pane: String?
    @Option(help: "A theme by name, or the path of a theme's file.") var theme: String?
    @Flag(help: "Never write, whatever keys are pressed.") var readOnly = false
    @Flag(name: [.customShort("w"), .customLong("write")], help: "Begin with writing unlocked.")
    var write = false
    @Flag(help: "Draw with ASCII characters only.") var ascii = false
    @Flag(help: "Print the pane as plain numbered lines and end, for screen readers.")
    var linear = false
    @OptionGroup var device: DeviceOption
}

/// `tideline PATH`: the browser.
struct Browse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open a store in the terminal browser (the default).",
        discussion: "Example: tideline Notes.store --pane conflicts")
    @Argument(
        help:
            "The store, or a folder with stores in it; without one, the store that was open last.",
        completion: .file())
    var path: String?
    @OptionGroup var options: BrowseOptions

    func run() async throws {
        guard let path = path ?? UserState().lastStore else {
            throw Failure(
                .usage, "open", "no store was open before",
                wayOut: "Name one: tideline PATH. To look around: tideline demo")
        }
        try await Screen.run(path, options)
    }
}

/// The browser on this terminal, from opening a store to leaving it.
enum Screen {
    static func run(_ path: String, _ options: BrowseOptions) async throws {
        var next = try await first(path, options)
        var place = Place()
        while let (session, path) = next {
            let isListing = session.panes.contains { $0.id == .stores }
            if isListing { place.listing = path }
            next = try await browse(session, path, options, from: place, isListing: isListing)
            place.left = path
        }
    }

    /// Where a person comes from.
    private struct Place {
        /// The folder in whose list a store was chosen.
        var listing: String?
        /// The store that was shown before.
        var left: String?
    }

    /// The store that was named on the command line; `nil` where it was printed and all is done.
    private static func first(
        _ path: String, _ options: BrowseOptions
    ) async throws -> (any StoreSession, String)? {
        if !options.linear, isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 {
            throw Failure(
                .usage, "open \(path)", "the browser needs a terminal",
                wayOut: "In scripts use the subcommands: info, kv, log, conflicts, watch, … "
                    + "(tideline --help)")
        }
        let opener = try opener(options)
        let session = try Failure.of(path) { try opener.open(path) }
        if let pane = options.pane { try await require(pane, in: session, options) }
        if options.linear {
            try await Linear.print(session, pane: options.pane)
            await session.close()
            return nil
        }
        return (session, path)
    }

    private static func opener(_ options: BrowseOptions) throws -> StoreOpener {
        let device =
            options.readOnly
            ? try options.device.ifKnown() : try options.device.forWriting()
        return StoreOpener(
            device: device, isWritable: options.write && !options.readOnly, listsFolders: true)
    }

    /// Refuses a pane that the store does not have. Some are known only when all is read; for
    /// those that are there at once nothing is waited for.
    private static func require(
        _ pane: String, in session: any StoreSession, _ options: BrowseOptions
    ) async throws {
        func isThere() -> Bool {
            session.panes.map(\.id).index(ofPaneNamed: pane) != nil
                || pane == "events" && !options.linear
        }
        if isThere() { return }
        try await waitUntilLoaded(session)
        if isThere() { return }
        let names = session.panes.map(\.id.name) + (options.linear ? [] : ["events"])
        await session.close()
        throw Failure(
            .usage, "--pane \(pane)", "no such pane",
            wayOut: "There are: \(names.joined(separator: ", ")).")
    }

    static func waitUntilLoaded(_ session: any StoreSession) async throws {
        let events = session.events()
        if case .live = session.status.phase { return }
        for await _ in events {
            switch session.status.phase {
            case .live: return
            case .failed(let problem): throw Failure(.badData, session.path, problem)
            case .loading, .gone: break
            }
        }
    }

    /// - Returns: The store to show next, if a person asked for one.
    private static func browse(
        _ session: any StoreSession, _ path: String, _ options: BrowseOptions,
        from place: Place, isListing: Bool
    ) async throws -> (any StoreSession, String)? {
        UserState().rememberStore(path)
        let opener = try opener(options)
        let (ending, outcome, next) = try await MainThread.run {
            try show(session, path, options, opener, place, isListing)
        }
        await session.close()
        if let lost = session.status.unsaved {
            throw Failure(
                .inputOutput, "write \(lost.subjects.joined(separator: ", "))", lost.reason,
                wayOut: "These changes were not written and are lost.")
        }
        if case .finished(0) = ending {
            if case .open(let path)? = outcome, let next { return (next, path) }
            await next?.close()
            return nil
        }
        ending.exit()
    }

    /// Owns the terminal from here until a person leaves. The terminal is restored on every way
    /// out.
    private static func show(
        _ session: any StoreSession, _ path: String, _ options: BrowseOptions,
        _ opener: StoreOpener, _ place: Place, _ isListing: Bool
    ) throws -> (Ending, Outcome?, (any StoreSession)?) {
        let environment = ProcessInfo.processInfo.environment
        let settings = ConfigurationFile(environment: environment).configuration()
        let terminal = try terminal(options, environment, settings)
        defer { terminal.close() }
        _ = terminal.awaitAppearance()
        let mailbox = try Mailbox<TidelineUI.Message>()
        let state = UserState(environment: environment)
        let themes = ThemeLibrary(environment: environment)
        let shownTheme =
            options.theme ?? settings.theme
            ?? ThemeLibrary.standard(for: terminal.appearance ?? .dark)
        let model = Model(
            path: path, size: terminal.size, now: Timestamp(Date()),
            pane: options.pane,
            lockedBecause: options.readOnly ? "opened with --read-only" : nil,
            isWritable: options.write, configuration: settings,
            view: state.view(ofStoreAt: path).view, themeName: shownTheme,
            themes: themes.names, utcOffset: TimeZone.current.secondsFromGMT(),
            listing: isListing ? nil : place.listing,
            selecting: isListing ? place.left.map { RowID($0) } : nil,
            notice: settings.problems.first.map { Notice(.warning, $0) })
        let browser = try Browser(
            model, session: session, opener: { try opener.open($0) },
            journal: state.journal(ofStoreAt: path),
            benign: state.benignConflicts(ofStoreAt: path), view: state.view(ofStoreAt: path),
            on: terminal, mailbox: mailbox,
            themes: themes, theme: options.theme ?? settings.theme,
            environment: environment)
        var loop = ScreenLoop(browser, on: terminal, mailbox: mailbox)
        let ending = loop.run()
        loop.program.stop()
        return (ending, loop.program.outcome, loop.program.takeNext())
    }

    private static func terminal(
        _ options: BrowseOptions, _ environment: [String: String], _ settings: Configuration
    ) throws -> Terminal {
        do throws(TerminalError) {
            return try Terminal(
                options: Terminal.Options(isASCII: options.ascii || settings.isASCII == true),
                environment: environment)
        } catch {
            throw Failure(
                FailureKind(rawValue: error.exitCode) ?? .inputOutput, "open the terminal",
                error.message)
        }
    }
}

/// A pane as plain lines: no cursor, no colours, nothing that moves.
private enum Linear {
    static func print(_ session: any StoreSession, pane: String?) async throws {
        try await Screen.waitUntilLoaded(session)
        let panes = session.panes
        let place = pane.map { panes.map(\.id).index(ofPaneNamed: $0) } ?? panes.indices.first
        guard let place else { return }
        let pane = panes[place]
        var index = 0
        while true {
            let window = try await pane.source.window(
                WindowRequest(position: .index(index), count: 1000))
            for (offset, row) in window.rows.enumerated() where window.start + offset >= index {
                let cells = zip(pane.source.columns, row.cells).filter { !$0.1.text.isEmpty }
                    .map { "\($0.0.title.lowercased()) \(Printable.line($0.1.text))" }
                let conflict = row.isConflict ? "in conflict, " : ""
                Output.line(
                    "\(window.start + offset + 1). \(conflict)\(cells.joined(separator: ", "))")
            }
            // Of a damaged log fewer rows may be found than it is said to have.
            let end = window.start + window.rows.count
            if end <= index || end >= window.total { break }
            index = end
        }
        Output.flush()
    }
}
