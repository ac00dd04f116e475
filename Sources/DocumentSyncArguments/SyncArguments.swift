public import ArgumentParser

// The arguments of `docs sync` and `docs serve`, in a target of their own: `tideline` names them in
// its help, and `tideline-sync`, which it runs, reads them.

/// The arguments of `docs sync`.
public struct SyncArguments: ParsableArguments {
    @Argument(
        help: "The store: a package, or a storage folder of automerge-repo.", completion: .file())
    public var path: String
    @Argument(
        help:
            "The server: ws://HOST:PORT, wss://HOST; unix:PATH or tcp:HOST:PORT for another store.")
    public var url: String
    @Argument(help: "Documents to keep alike, those to fetch too (all of the store by default).")
    public var documents: [String] = []
    @Flag(help: "End when all are alike (0), or cannot be (1).")
    public var once = false
    @Flag(help: "Print JSON, one object an event.")
    public var json = false
    @Option(
        help: "The device to write as (else $TIDELINE_DEVICE, else this user's own).")
    public var device: String?

    public init() {}

    /// What `docs sync --help` says.
    public static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Keep documents alike with a server of automerge-repo's protocol.",
        discussion: """
            Example: tideline docs sync Notes.store wss://sync.example.org --once
            Goes on until interrupted, through lost connections too.
            """)
}

/// The arguments of `docs serve`.
public struct ServeArguments: ParsableArguments {
    @Argument(
        help: "The store: a package, or a storage folder of automerge-repo.", completion: .file())
    public var path: String
    @Option(help: "The port; 0 for one that is free.")
    public var port = 3030
    @Option(help: "The address to listen at; 0.0.0.0 or :: for all of this machine's.")
    public var host = "127.0.0.1"
    @Flag(help: "Give documents and take nothing in.")
    public var readOnly = false
    @Option(
        help: "A Unix-domain socket for other stores of this user, beside the port.",
        completion: .file())
    public var socket: String?
    @Flag(help: "Print JSON, one object an event.")
    public var json = false
    @Option(
        help: "The device to write as (else $TIDELINE_DEVICE, else this user's own).")
    public var device: String?

    public init() {}

    public mutating func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("A port is a number from 0 to 65535.")
        }
    }

    /// What `docs serve --help` says.
    public static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Be a server of automerge-repo's protocol for the documents of a store.",
        discussion: """
            Example: tideline docs serve Notes.store --port 3030
            Nothing is offered: whoever knows the identifier of a document gets it, and sends \
            changes unless --read-only. Nothing is encrypted: beyond this machine, put a proxy \
            before it.
            """)
}
