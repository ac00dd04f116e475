import ArgumentParser

struct ServersCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "servers",
        abstract: "Search and fill a catalog of VPN servers.",
        discussion: """
            PATH is a catalog database, or a package, in which each device has its own catalog.

            Example: tideline servers first Catalog.db --country CH --online --order fastest
            """,
        subcommands: [
            ListServers.self, ServerGroups.self, ShowServer.self, FirstServer.self,
            ImportServers.self, ImportLoads.self, PruneServers.self, CreateCatalog.self,
        ])
}
