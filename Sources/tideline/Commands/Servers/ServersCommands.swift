import ArgumentParser

/// `tideline servers`: the catalog of VPN servers.
struct ServersCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "servers",
        abstract: "Look for VPN servers in a catalog, and fill it.",
        discussion: """
            Example: tideline servers first Catalog.db --country CH --online --order fastest
            PATH is a catalog database, or a package, where each device has a catalog of its own.
            """,
        subcommands: [
            ListServers.self, ServerGroups.self, ShowServer.self, FirstServer.self,
            ImportServers.self, ImportLoads.self, PruneServers.self, CreateCatalog.self,
        ])
}
