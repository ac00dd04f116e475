import Foundation
import Replication
import ServerCatalog
import ServerCatalogGRDB

/// Servers with known groups, filter matches and orders:
///
///     gw-1   gateway Acme in DE       p2p  restricted   tier 2
///     de-1   DE#10 Köln               p2p               tier 2  load 80  IKEv2
///     de-2   DE#9  Berlin             p2p streaming     tier 1  load 9   WireGuardTLS
///     de-3   DE#2  Berlin  in maintenance               tier 2  load 0
///     ch-1   CH#1  Zürich             tor               tier 2  load 12
///     ca-1   CH-CA#1  enters in CH    secure core       tier 2  load 50
///     us-1   US-FREE#1 New York (Nowy Jork)             tier 0  load 100 hosted in CA
enum CatalogSamples {
    static let servers: [VPNServer] = [
        server("gw-1", "ACME-DE#1", "DE", [.p2p, .restricted], gateway: "Acme"),
        server(
            "de-1", "DE#10", "DE", .p2p, load: 80, score: 3, city: "Köln",
            overrides: ["IKEv2": .init()]),
        server(
            "de-2", "DE#9", "DE", [.p2p, .streaming], tier: 1, load: 9, score: 1, city: "Berlin",
            overrides: ["WireGuardTLS": .init(ports: [443, 8443])]),
        server("de-3", "DE#2", "DE", [], status: 0, city: "Berlin"),
        server("ch-1", "CH#1", "CH", .tor, load: 12, score: 2, city: "Zürich"),
        server("ca-1", "CH-CA#1", "CA", .secureCore, load: 50, score: 4, entry: "CH"),
        server(
            "us-1", "US-FREE#1", "US", [], tier: 0, load: 100, score: 9, city: "New York",
            translated: "Nowy Jork", host: "CA"),
    ]

    static func server(
        _ id: String, _ name: String, _ exit: String, _ features: ServerFeature, tier: Int = 2,
        load: Int = 0, score: Double = 5, status: Int = 1, city: String? = nil,
        translated: String? = nil, gateway: String? = nil, entry: String? = nil,
        host: String? = nil, overrides: [String: ProtocolOverrides.Entry]? = nil
    ) -> VPNServer {
        VPNServer(
            logical: Logical(
                id: id, name: name, domain: "\(id).example.net", entryCountryCode: entry,
                exitCountryCode: exit, hostCountry: host, city: city, translatedCity: translated,
                gatewayName: gateway, tier: tier, features: features, latitude: 1, longitude: 2,
                status: LogicalStatus(load: load, score: score, status: status)),
            endpoints: [
                ServerEndpoint(
                    id: "end-\(id)", entryIP: "192.0.2.1", exitIP: "192.0.2.2",
                    domain: "node-\(id).example.net", label: "1", x25519PublicKey: "key",
                    overrides: overrides.map { ProtocolOverrides($0) })
            ])
    }

    static func write(to path: String) throws {
        let catalog = try CatalogDatabase.open(path: path)
        try catalog.upsert(servers: servers)
    }

    /// Creates a package in which devices have catalogs.
    static func package(at path: String, of devices: [String]) throws -> StorePackage {
        let package = try StorePackage(creating: path)
        for device in devices {
            let folder = try package.makeDeviceFolder(try DeviceID(device))
            try write(to: folder.path(of: .catalog))
        }
        return package
    }
}
