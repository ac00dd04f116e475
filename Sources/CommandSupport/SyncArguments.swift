package import ArgumentParser

// The arguments of `docs sync` and `docs serve`: `tideline` names them in its help, and
// `tideline-sync`, which it runs, reads them.

/// The arguments of `docs sync`.
package struct SyncArguments: ParsableArguments {
    @Argument(
        help: "The store: a package, or a storage folder of automerge-repo.", completion: .file())
    package var path: String
    @Argument(
        help:
            "The server: ws://HOST:PORT, wss://HOST; unix:PATH or tcp:HOST:PORT for another store.")
    package var url: String
    @Argument(help: "Documents to keep alike, also ones to fetch (by default all of the store).")
    package var documents: [String] = []
    @Flag(help: "End when all are alike (0), or cannot be (1).")
    package var once = false
    @Flag(help: "Print JSON, one object an event.")
    package var json = false
    @OptionGroup package var device: DeviceOption

    package init() {}

    /// What `docs sync --help` says.
    package static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Keep documents alike with a server of automerge-repo's protocol.",
        discussion: """
            Example: tideline docs sync Notes.store wss://sync.example.org --once
            Goes on until interrupted, through lost connections too. Servers of wss are trusted by the
            system's certificates, or by those in the file that SSL_CERT_FILE names. A storage folder
            of automerge-repo keeps what it shares with each server, as its own programs do.
            """)
}

/// The arguments of `docs serve`.
package struct ServeArguments: ParsableArguments {
    @Argument(
        help: "The store: a package, or a storage folder of automerge-repo.", completion: .file())
    package var path: String
    @Option(help: "The port; 0 for one that is free.")
    package var port = 3030
    @Option(help: "The address to listen at; 0.0.0.0 or :: for all of this machine's.")
    package var host = "127.0.0.1"
    @Flag(help: "Give documents and take nothing in.")
    package var readOnly = false
    @Option(
        help: "A Unix-domain socket for other stores of this user, beside the port.",
        completion: .file())
    package var socket: String?
    @Flag(help: "Print JSON, one object an event.")
    package var json = false
    @OptionGroup package var device: DeviceOption

    package init() {}

    package mutating func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("A port is a number from 0 to 65535.")
        }
    }

    /// What `docs serve --help` says.
    package static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the documents of a store by automerge-repo's protocol.",
        discussion: """
            Example: tideline docs serve Notes.store --port 3030
            Nothing is offered: whoever knows the identifier of a document gets it, and sends \
            changes unless --read-only. Nothing is encrypted: beyond this machine, put a proxy \
            before it.
            """)
}
