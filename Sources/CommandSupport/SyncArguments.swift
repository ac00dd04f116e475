package import ArgumentParser

// The arguments of `docs sync` and `docs serve`: `tideline` shows them in its help and starts
// `tideline-sync`, which parses them.

/// The arguments for finding out why a sync is stuck.
package struct ReportArguments: ParsableArguments {
    @Flag(help: "Print to standard error each message that is sent or received.")
    package var trace = false
    @Flag(help: "Print the status of all documents and peers at the end, and on SIGUSR1.")
    package var status = false

    package init() {}
}

/// The arguments of `docs sync`.
package struct SyncArguments: ParsableArguments {
    @Argument(
        help: "The store: a package, or a storage folder of automerge-repo.", completion: .file(),
        transform: PathWord.path)
    package var path: String
    @Argument(
        help:
            "A server (ws://HOST:PORT or wss://HOST) or store (unix:PATH or tcp:HOST:PORT).")
    package var url: String
    @Argument(help: "The documents to sync or to fetch (default: all documents of the store).")
    package var documents: [String] = []
    @Flag(help: "Exit when all documents are in sync (code 0), or if this is impossible (code 1).")
    package var once = false
    @Flag(help: "Print JSON, one object per event.")
    package var json = false
    @OptionGroup package var reports: ReportArguments
    @OptionGroup package var device: DeviceOption

    package init() {}

    /// The help of `docs sync`.
    package static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Sync documents with a server of automerge-repo's protocol.",
        discussion: """
            Runs until interrupted and reconnects automatically. Certificates of wss servers are \
            checked against the system's certificates, or against the file $SSL_CERT_FILE. In a \
            storage folder of automerge-repo, stores the sync state of each server as \
            automerge-repo does.

            Example: tideline docs sync Notes.store wss://sync.example.org --once
            """)
}

/// The arguments of `docs serve`.
package struct ServeArguments: ParsableArguments {
    @Argument(
        help: "The store: a package, or a storage folder of automerge-repo.", completion: .file(),
        transform: PathWord.path)
    package var path: String
    @Option(help: "The port; 0 chooses a free one.")
    package var port = 3030
    @Option(help: "The address to listen on; 0.0.0.0 or :: for all addresses of this machine.")
    package var host = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "The origin of web pages that may connect, such as https://example.org.",
            valueName: "url"))
    package var allowOrigin: [String] = []
    @Option(
        help: ArgumentHelp(
            "The token that peers on other machines must send: ?token=TEXT, or as a bearer token.",
            valueName: "text"))
    package var token: String?
    @Flag(help: "Send documents, but reject changes.")
    package var readOnly = false
    @Option(
        help: "A Unix-domain socket, in addition to the port. Only this user can connect to it.",
        completion: .file(), transform: PathWord.path)
    package var socket: String?
    @Flag(help: "Print JSON, one object per event.")
    package var json = false
    @OptionGroup package var reports: ReportArguments
    @OptionGroup package var device: DeviceOption

    package init() {}

    package mutating func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be a number from 0 to 65535")
        }
        guard token?.isEmpty != true else {
            throw ValidationError("--token must not be empty")
        }
    }

    /// The help of `docs serve`.
    package static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the documents of a store with automerge-repo's protocol.",
        discussion: """
            Documents are not announced: a peer that knows a document's identifier can read it, \
            and change it unless --read-only is given. Web pages are refused unless their origin \
            is allowed. Connections are not encrypted; use a proxy for peers on other machines, \
            and set a token. Peers behind a proxy on this machine count as local: let the proxy \
            ask for the token.

            Example: tideline docs serve Notes.store --port 3030
            """)
}
