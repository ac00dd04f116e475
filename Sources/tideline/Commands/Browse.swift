import ArgumentParser
import CommandSupport
import Foundation
import Glibc
import Replication
import Tables
import TidelineCore
import TidelineTerminal
import TidelineUI

struct BrowseOptions: ParsableArguments {
    @Option(help: "The pane to open, if the store has it: \(BrowseOptions.paneNames).")
    var pane: String?
    @Option(
        help: """
            The theme's name, or the path of a theme file (default: light or dark, depending on the \
            terminal's background).
            """)
    var theme: String?
    @Flag(help: "Open read-only; writing can't be unlocked.") var readOnly = false
    @Flag(
        name: [.customShort("w"), .customLong("write")],
        help: "Start with writing unlocked in this store or folder.")
    var write = false
    @Flag(help: "Draw with ASCII characters only.") var ascii = false
    @Flag(help: "Print the pane as plain numbered lines and exit, for screen readers.")
    var linear = false
    @Option(
        help:
            "A compiled Core Data model (.momd or .mom) with the names of entities and attributes.",
        completion: .file(), transform: PathWord.path)
    var model: String?
    @OptionGroup var device: DeviceOption

    /// The names of all panes. Panes of different data models that share a name are listed once.
    private static var paneNames: String {
        var names: [String] = []
        for name in PaneID.standard.map(\.name) + ["events"] where !names.contains(name) {
            names.append(name)
        }
        return names.joined(separator: ", ")
    }
}

/// `tideline PATH`: the browser.
struct Browse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open a store in the terminal browser (the default).",
        discussion: "Example: tideline Notes.store --pane conflicts")
    @Argument(
        help:
            "The store, or a folder that contains stores (default: the store opened last).",
        completion: .file(), transform: PathWord.path)
    var path: String?
    @OptionGroup var options: BrowseOptions

    func run() async throws {
        guard let path = path ?? UserState().lastStore else {
            throw Failure(
                .invalidRequest, "open", "no store has been opened before",
                suggestion: "open one with: tideline PATH; to explore an example: tideline demo")
        }
        try await BrowserScreen.run(path, options)
    }
}

/// The browser on this terminal, which runs until the user quits.
enum BrowserScreen {
    private typealias OpenStore = @Sendable (String) throws -> any StoreSession

    /// Runs the browser until the user quits.
    ///
    /// - Parameter hasTour: Whether to start the guided tour.
    static func run(
        _ path: String, _ options: BrowseOptions, hasTour: Bool = false
    ) async throws {
        guard let (session, path) = try await first(path, options) else { return }
        let terminal = HeldTerminal()
        do {
            try await show(session, path, options, hasTour: hasTour, on: terminal)
        } catch {
            await terminal.release()
            throw error
        }
    }

    private static func show(
        _ session: any StoreSession, _ path: String, _ options: BrowseOptions, hasTour: Bool,
        on terminal: HeldTerminal
    ) async throws {
        var (options, hasTour) = (options, hasTour)
        var stores = OpenStores(OpenStores.Store(session: session, path: path))
        // Problems of the settings are shown with the first store. Later stores show them only if
        // they have changed.
        var reported: [String] = []
        while let shown = stores.shown {
            UserState().rememberStore(shown.path)
            let opener = try opener(options)
            // `-w` is for the store on the command line, not for others that the user opens later.
            let open: OpenStore = { other in
                var shared = opener
                shared.isWritable = opener.isWritable && Self.isPath(other, in: path)
                return try shared.open(other)
            }
            let shownStores = stores
            let file = ConfigurationFile(environment: ProcessInfo.processInfo.environment)
            let settings = file.configuration()
            let notice =
                lockIfNeeded(shown)
                ?? (settings.problems == reported ? nil : notice(of: settings))
            reported = settings.problems
            let (shownOptions, startsTour) = (options, hasTour)
            hasTour = false
            let (ending, reason, left, next) = try await MainThread.run {
                try show(
                    shownStores, shown, shownOptions, open, settings, notice, hasTour: startsTour,
                    on: terminal)
            }
            // The command line names a pane of the first store.
            options.pane = nil
            stores.shown?.left = left
            guard case .finished(0) = ending else {
                // When the terminal is closed, SIGHUP can arrive more than once.
                signal(SIGHUP, SIG_IGN)
                await terminal.release()
                if let path = left.view.keptTextPath {
                    Output.note("tideline: the text that you were editing is in \(path)")
                }
                let closed = stores.removeAll()
                do {
                    try await close(closed)
                } catch {
                    for store in closed { keepUnsavedText(of: store) }
                    throw error
                }
                ending.exit()
            }
            switch (reason, next) {
            case (.open(let path), let next?):
                stores.replace(by: OpenStores.Store(session: next, path: path))
                try await close([shown])
            case (.add(let path), let next?):
                stores.add(OpenStores.Store(session: next, path: path))
            case (.show(let count), _): stores.step(by: count)
            case (.close, _):
                stores.removeShown()
                if stores.shown == nil { await terminal.release() }
                try await close([shown])
            default:
                await terminal.release()
                await next?.close()
                try await close(stores.removeAll())
            }
        }
    }

    /// Locks writing to a store opened with `-w` if its files can't be written. Unlocking it in the
    /// browser makes the same check.
    ///
    /// - Returns: A notice with the reason; `nil` if writing isn't locked, or already was.
    private static func lockIfNeeded(_ store: OpenStores.Store) -> Notice? {
        guard store.left == nil, !store.isListing, store.session.status.isWritable,
            let reason = store.session.writeObstacle()
        else { return nil }
        store.session.setWritable(false)
        return Notice(
            .error, "writing stays locked: \(reason.withRelativePaths(inStoreAt: store.path))")
    }

    /// Keeps the texts of a closed store's edits that couldn't be saved.
    private static func keepUnsavedText(of store: OpenStores.Store) {
        guard store.session.status.unsaved != nil, let left = store.left,
            let text = left.unsavedText
        else { return }
        let state = UserState()
        guard let path = try? state.keepText(text) else { return }
        Output.note("tideline: the text that isn't saved is in \(path)")
        var view = left.view
        view.keptTextPath = view.keptTextPath ?? path
        try? state.view(ofStoreAt: store.path).keep(view)
    }

    /// Closes stores. Throws the first failure to save.
    private static func close(_ stores: [OpenStores.Store]) async throws {
        var failure: Failure?
        for store in stores {
            await store.session.close()
            guard let lost = store.session.status.unsaved else { continue }
            failure =
                failure
                ?? Failure(
                    .inputOutput, "write \(lost.subjects.joined(separator: ", "))", lost.reason,
                    suggestion: "these changes are lost")
        }
        if let failure { throw failure }
    }

    /// Returns the session of the store named on the command line; `nil` if it was printed instead.
    private static func first(
        _ path: String, _ options: BrowseOptions
    ) async throws -> (any StoreSession, String)? {
        // If the store doesn't exist, opening it reports the error.
        if !options.linear, FileManager.default.fileExists(atPath: path),
            isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0
        {
            throw Failure(
                .invalidRequest, "open \(path)", "the browser needs a terminal",
                suggestion: "in scripts, use the subcommands: info, kv, log, conflicts, watch, … "
                    + "(tideline --help)")
        }
        let opener = try opener(options, path)
        let session: any StoreSession
        do {
            session = try opener.open(path)
        } catch let error as ReplicationError where error.code == .notAPackage {
            throw Failure(
                error.category, path, error.reason,
                suggestion: "to create a store: tideline kv create PATH; to explore an example: "
                    + "tideline demo")
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

    private static func opener(
        _ options: BrowseOptions, _ path: String? = nil
    ) throws -> StoreOpener {
        let device = try options.device.forBrowser(of: path, isReadOnly: options.readOnly)
        var opener = StoreOpener(
            device: device, isWritable: options.write && !options.readOnly, listsFolders: true,
            state: UserState())
        opener.coreDataModel = try options.model.map {
            try DatabaseArgument.coreDataModel(at: $0)
        }
        return opener
    }

    /// Whether a path is the same as another path, or leads into the folder at that path.
    private static func isPath(_ path: String, in other: String) -> Bool {
        func components(_ path: String) -> [String] {
            URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().pathComponents
        }
        return components(path).starts(with: components(other))
    }

    /// Throws an error if the store doesn't have the pane. Some panes are known only after loading,
    /// so this waits for the store to load if necessary.
    private static func require(
        _ pane: String, in session: any StoreSession, _ options: BrowseOptions
    ) async throws {
        func exists() -> Bool {
            session.panes.map(\.id).index(ofPaneNamed: pane) != nil
                || pane == "events" && !options.linear
        }
        if exists() { return }
        try await waitUntilLoaded(session)
        if exists() { return }
        let names = session.panes.map(\.id.name) + (options.linear ? [] : ["events"])
        await session.close()
        throw Failure(
            .invalidRequest, "--pane \(pane)", "no such pane",
            suggestion: "choose one of \(names.joined(separator: ", "))")
    }

    static func waitUntilLoaded(_ session: any StoreSession) async throws {
        try await Failure.of(session.path) { try await session.waitUntilLoaded() }
    }

    /// Shows a store until the user leaves it.
    private static func show(
        _ stores: OpenStores, _ store: OpenStores.Store, _ options: BrowseOptions,
        _ open: @escaping OpenStore, _ settings: Configuration, _ notice: Notice?, hasTour: Bool,
        on held: HeldTerminal
    ) throws -> (Ending, ExitReason?, BackgroundScreen, (any StoreSession)?) {
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
            hostName: store.session.status.ownDevice.map(state.isGenerated) == true
                ? ProcessInfo.processInfo.hostName : nil,
            listing: store.isListing ? nil : store.listing,
            stores: Model.Stores(stores.paths, shown: stores.place),
            recentStores: state.recentStores,
            selecting: store.isListing ? store.before.map { RowID($0) } : nil,
            left: store.left, notice: notice, hasTour: hasTour)
        let browser = try Browser(
            model, session: store.session, opener: open,
            journal: state.journal(ofStoreAt: path, by: store.session.status.ownDevice),
            ignored: state.ignoredConflicts(ofStoreAt: path), view: state.view(ofStoreAt: path),
            left: store.left, on: terminal, mailbox: mailbox, themes: themes,
            theme: options.theme ?? settings.theme, environment: environment)
        let alerting = stores.hidden.compactMap { Self.alerting(of: $0, mailbox) }
        defer { for task in alerting { task.cancel() } }
        var loop = ScreenLoop(browser, on: terminal, mailbox: mailbox)
        let ending = loop.run()
        var ended = loop.program
        ended.keepState { try? state.keepText($0) }
        let left = ended.stop()
        terminal.keep(ended.untaken)
        return (ending, ended.exitReason, left, ended.takeNext())
    }

    /// Keeps sending alerts of a store that isn't shown.
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

    /// Returns a notice with the first problem of the settings, and the number of further problems.
    /// The Events panel lists all of them.
    private static func notice(of settings: Configuration) -> Notice? {
        guard let first = settings.shortProblems.first else { return nil }
        let count = settings.problems.count - 1
        let key = settings.keymap.hint(for: "events")
        let place = key.isEmpty ? "tideline config" : "press \(key)"
        return Notice(
            .warning, count > 0 ? "\(first) (and \(Counted.grouped(count)) more: \(place))" : first)
    }
}

/// The terminal, which stays open from the first store to the last, so that keys typed between two
/// stores aren't lost.
///
/// Unchecked: only jobs of ``MainThread`` use it, one at a time. That thread runs no actor, so the
/// compiler can't check this.
private final class HeldTerminal: @unchecked Sendable {
    private var terminal: Terminal?
    /// Whether the terminal draws only ASCII.
    private var isASCII = false

    /// Returns the terminal, and opens it on first use or if the ASCII setting has changed.
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
                error.code == .failed ? .inputOutput : .invalidRequest, "open the terminal",
                error.message)
        }
    }

    /// Closes the terminal, which restores its previous state.
    func release() async {
        try? await MainThread.run {
            self.terminal?.close()
            self.terminal = nil
        }
    }
}

/// A printer of a pane as plain lines, without a cursor, colors or animation.
private enum Linear {
    static func print(_ session: any StoreSession, pane: String?) async throws {
        try await BrowserScreen.waitUntilLoaded(session)
        let events = session.events()
        if !session.status.hasCountedConflicts {
            for await _ in events where session.status.hasCountedConflicts { break }
        }
        for problem in session.status.problems { Output.note("tideline: \(problem)") }
        let panes = session.panes
        let place = pane.map { panes.map(\.id).index(ofPaneNamed: $0) } ?? panes.indices.first
        guard let place else { return }
        let pane = panes[place]
        var index = 0
        while true {
            let window = try await pane.source.window(
                WindowRequest(position: .index(index), count: 1000))
            if index == 0, window.rows.isEmpty {
                Output.line("\(Printable.line(pane.source.info.title)): no rows")
            }
            for (offset, row) in window.rows.enumerated() where window.start + offset >= index {
                let cells = zip(pane.source.columns, row.cells).filter { !$0.1.text.isEmpty }
                    .map { "\(label(of: $0.0)) \(Printable.line($0.1.text))" }
                let conflict = row.isConflict ? "in conflict, " : ""
                Output.line(
                    "\(window.start + offset + 1). \(conflict)\(cells.joined(separator: ", "))")
            }
            // A damaged log may have fewer rows than it declares.
            let end = window.start + window.rows.count
            if end <= index || end >= window.total { break }
            index = end
        }
        Output.flush()
    }

    /// Returns the label of a column. For ages, the corresponding times are printed.
    private static func label(of column: Column) -> String {
        column.id == "age" ? "date" : column.title.lowercased()
    }
}
