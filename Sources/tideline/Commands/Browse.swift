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
    @Option(
        help: """
            A theme by name, or the path of a theme's file; without one, the terminal's background \
            chooses a light or a dark one.
            """)
    var theme: String?
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
        guard let (session, path) = try await first(path, options) else { return }
        let terminal = HeldTerminal()
        do {
            try await show(session, path, options, on: terminal)
        } catch {
            await terminal.giveBack()
            throw error
        }
    }

    private static func show(
        _ session: any StoreSession, _ path: String, _ options: BrowseOptions,
        on terminal: HeldTerminal
    ) async throws {
        var stores = OpenStores(OpenStores.Store(session: session, path: path))
        // What is wrong with the settings is told with the first store, and what is new with others.
        var told: [String] = []
        while let shown = stores.shown {
            UserState().rememberStore(shown.path)
            let opener = try opener(options)
            let shownStores = stores
            let file = ConfigurationFile(environment: ProcessInfo.processInfo.environment)
            let settings = file.configuration()
            let notice = settings.problems == told ? nil : notice(of: settings.problems, in: file)
            told = settings.problems
            let (ending, outcome, left, next) = try await MainThread.run {
                try show(shownStores, shown, options, opener, settings, notice, on: terminal)
            }
            stores.shown?.left = left
            guard case .finished(0) = ending else {
                await terminal.giveBack()
                try await close(stores.removeAll())
                ending.exit()
            }
            switch (outcome, next) {
            case (.open(let path), let next?):
                stores.replace(by: OpenStores.Store(session: next, path: path))
                try await close([shown])
            case (.add(let path), let next?):
                stores.add(OpenStores.Store(session: next, path: path))
            case (.show(let count), _): stores.step(by: count)
            case (.close, _):
                stores.removeShown()
                if stores.shown == nil { await terminal.giveBack() }
                try await close([shown])
            default:
                await terminal.giveBack()
                await next?.close()
                try await close(stores.removeAll())
            }
        }
    }

    /// Closes stores; the first that could not be written to the end is told.
    private static func close(_ stores: [OpenStores.Store]) async throws {
        var failure: Failure?
        for store in stores {
            await store.session.close()
            guard let lost = store.session.status.unsaved else { continue }
            failure =
                failure
                ?? Failure(
                    .inputOutput, "write \(lost.subjects.joined(separator: ", "))", lost.reason,
                    wayOut: "These changes were not written and are lost.")
        }
        if let failure { throw failure }
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
        let session: any StoreSession
        do {
            session = try opener.open(path)
        } catch let error as ReplicationError where error.code == .notAPackage {
            throw Failure(
                error.kind, path, error.reason,
                wayOut: "A store is made by tideline kv create PATH, one to look around in by "
                    + "tideline demo.")
        } catch {
            throw Failure(error, while: path)
        }
        if let pane = options.pane { try await require(pane, in: session, options) }
        if options.linear {
            try await Linear.print(session, pane: options.pane)
            await session.close()
            return nil
        }
        return (session, path)
    }

    private static func opener(_ options: BrowseOptions) throws -> StoreOpener {
        let device = try options.device.forBrowser(isReadOnly: options.readOnly)
        return StoreOpener(
            device: device, isWritable: options.write && !options.readOnly, listsFolders: true,
            state: UserState())
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
            case .failed(let failure): throw Failure(failure, of: session.path)
            case .loading, .gone: break
            }
        }
    }

    /// Owns the terminal until a person leaves this store.
    private static func show(
        _ stores: OpenStores, _ store: OpenStores.Store, _ options: BrowseOptions,
        _ opener: StoreOpener, _ settings: Configuration, _ notice: Notice?,
        on held: HeldTerminal
    ) throws -> (Ending, Outcome?, LeftScreen, (any StoreSession)?) {
        let path = store.path
        let environment = ProcessInfo.processInfo.environment
        let terminal = try held.taken(options, environment, settings)
        let mailbox = try Mailbox<TidelineUI.Message>()
        let state = UserState(environment: environment)
        let themes = ThemeLibrary(environment: environment)
        let shownTheme =
            options.theme ?? settings.theme
            ?? ThemeLibrary.standard(for: terminal.appearance ?? .dark)
        let model = Model(
            path: path, size: terminal.size, now: Timestamp(Date()),
            pane: store.left == nil ? options.pane : nil,
            lockedBecause: options.readOnly ? "opened with --read-only" : nil,
            isWritable: store.session.status.isWritable, configuration: settings,
            view: store.left?.view ?? state.view(ofStoreAt: path).view, themeName: shownTheme,
            themes: themes.names, utcOffset: .local,
            listing: store.isListing ? nil : store.listing,
            stores: Model.Stores(stores.paths, shown: stores.place),
            recentStores: state.recentStores,
            selecting: store.isListing ? store.before.map { RowID($0) } : nil,
            left: store.left, notice: notice)
        let browser = try Browser(
            model, session: store.session, opener: { try opener.open($0) },
            journal: state.journal(ofStoreAt: path),
            benign: state.benignConflicts(ofStoreAt: path), view: state.view(ofStoreAt: path),
            left: store.left, on: terminal, mailbox: mailbox, themes: themes,
            theme: options.theme ?? settings.theme, environment: environment)
        let alerting = stores.hidden.compactMap { Self.alerting(of: $0, mailbox) }
        defer { for task in alerting { task.cancel() } }
        var loop = ScreenLoop(browser, on: terminal, mailbox: mailbox)
        let ending = loop.run()
        loop.program.keepView()
        let left = loop.program.stop()
        terminal.keep(loop.program.untaken)
        return (ending, loop.program.outcome, left, loop.program.takeNext())
    }

    /// Goes on to tell what a person wants to be told of a store that is not shown.
    private static func alerting(
        of store: OpenStores.Store, _ mailbox: Mailbox<TidelineUI.Message>
    ) -> Task<Void, Never>? {
        guard let left = store.left else { return nil }
        let events = store.session.events()
        return Task {
            for await event in events {
                if let text = left.alert(of: event) { mailbox.send(.alert(text)) }
            }
        }
    }

    /// The first problem of the settings, and how many more there are.
    private static func notice(of problems: [String], in file: ConfigurationFile) -> Notice? {
        guard let first = problems.first else { return nil }
        let more = problems.count > 1 ? " (tideline config tells \(problems.count - 1) more)" : ""
        return Notice(.warning, shortened(first, file) + more)
    }

    /// A problem of the settings with the name of their file alone: a line of the screen is short.
    private static func shortened(_ problem: String, _ file: ConfigurationFile) -> String {
        guard let path = file.path, let slash = path.lastIndex(of: "/") else { return problem }
        return String(problem.trimmingPrefix(path[...slash]))
    }
}

/// The terminal, from the first store that is shown on it to the last: what is typed while one makes
/// way for another is not lost.
///
/// Unchecked, because what keeps it safe is that jobs of ``MainThread`` alone use it, one after the
/// other: that thread runs no actor which the compiler could check, and a terminal belongs to one
/// thread.
private final class HeldTerminal: @unchecked Sendable {
    private var terminal: Terminal?
    /// Whether it was taken to be drawn on in ASCII.
    private var isASCII = false

    /// The terminal, taken over unless it is already.
    func taken(
        _ options: BrowseOptions, _ environment: [String: String], _ settings: Configuration
    ) throws -> Terminal {
        let wantsASCII = options.ascii || settings.isASCII == true
        if let terminal, wantsASCII == isASCII {
            terminal.isMouseOn = true
            return terminal
        }
        terminal?.close()
        do throws(TerminalError) {
            let taken = try Terminal(
                options: Terminal.Options(
                    isASCII: wantsASCII,
                    asksBackground: options.theme == nil && settings.theme == nil),
                environment: environment)
            (terminal, isASCII) = (taken, wantsASCII)
            _ = taken.awaitAppearance()
            return taken
        } catch {
            throw Failure(
                FailureKind(rawValue: error.exitCode) ?? .inputOutput, "open the terminal",
                error.message)
        }
    }

    /// Gives it back as it was found.
    func giveBack() async {
        try? await MainThread.run {
            self.terminal?.close()
            self.terminal = nil
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
