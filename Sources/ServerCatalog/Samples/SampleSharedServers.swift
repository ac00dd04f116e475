/// A generated list of 405 servers on 452 machines. Two or three servers share each of 78 machines.
///
/// The list has the same structure as the one that customers of the service receive:
///
///      59 machines   a plus and a free server, such as NL#7 and NL-FREE#2, without other endpoints
///       5 machines   a plus, a free and a Tor server, without other endpoints
///      14 machines   shared by a plain server and a gateway or secure core server, each of which
///                    also has a machine for itself
///     374 machines   used by a single server, which has one or two of these machines
///
/// Every fourth shared machine has overrides when listed by its second server. The same seed
/// generates the same servers on every machine.
public struct SampleSharedServers: Sendable {
    /// The seed of all random choices.
    public var seed: UInt64

    /// Creates the list that `seed` determines.
    public init(seed: UInt64 = 1) { self.seed = seed }

    /// Returns the servers, by country.
    public func servers() -> [VPNServer] {
        var list = SharedServerList(seed: seed)
        for index in 0..<59 { list.addMachine(named: [.plain, .free], inCountry: index % 12) }
        for index in 0..<5 { list.addMachine(named: [.plain, .free, .tor], inCountry: index) }
        for gateway in SampleServerMaker.gateways {
            for code in gateway.countries.sorted() {
                list.addPair(with: .gateway(gateway), inCountry: list.index(of: code))
            }
        }
        let entries = SampleServerMaker.secureCoreEntries
        for index in 0..<7 {
            let exits = list.countries.indices.filter {
                !entries.contains(list.countries[$0].code)
            }
            list.addPair(
                with: .secureCore(entry: entries[index % entries.count]), inCountry: exits[index])
        }
        for index in 0..<244 {
            list.addServer(endpointCount: index < 102 ? 2 : 1, inCountry: index % 30)
        }
        return list.servers
    }
}

/// The list under construction.
private struct SharedServerList {
    let countries = Array(SampleCountry.all.prefix(30))
    private var makers: [SampleServerMaker]
    private var byCountry: [[VPNServer]]
    private var generator: SampleGenerator
    private var sharedCount = 0

    init(seed: UInt64) {
        generator = SampleGenerator(seed: seed)
        makers = countries.map { [countries] in SampleServerMaker($0, among: countries) }
        byCountry = countries.map { _ in [] }
    }

    var servers: [VPNServer] { byCountry.flatMap(\.self) }

    func index(of code: String) -> Int { countries.firstIndex { $0.code == code } ?? 0 }

    /// Adds a server of any kind on its own machines.
    mutating func addServer(endpointCount: Int, inCountry country: Int) {
        byCountry[country].append(
            makers[country].make(endpointCount...endpointCount, using: &generator))
    }

    /// Adds a machine shared by several servers.
    mutating func addMachine(named kinds: [SampleServerMaker.Kind], inCountry country: Int) {
        let first = makers[country].make(kinds[0], 1...1, using: &generator)
        byCountry[country].append(first)
        for kind in kinds.dropFirst() {
            let other = makers[country].make(
                kind, beside: first.logical, endpoints: first.endpoints.map(offeredAgain),
                using: &generator)
            byCountry[country].append(other)
        }
        sharedCount += 1
    }

    /// Adds a plain server and another server, which share one machine. Each server also has
    /// another machine.
    mutating func addPair(with kind: SampleServerMaker.Kind, inCountry country: Int) {
        let first = makers[country].make(.plain, 2...2, using: &generator)
        let own = SampleServerMaker.endpoint(
            1, domain: first.logical.domain, isDown: false, using: &generator)
        let other = makers[country].make(
            kind, beside: first.logical,
            endpoints: first.endpoints.prefix(1).map(offeredAgain) + [own], using: &generator)
        byCountry[country] += [first, other]
        sharedCount += 1
    }

    /// Returns the entry of a shared machine in the list of its second server: every fourth machine
    /// has overrides.
    private func offeredAgain(_ endpoint: ServerEndpoint) -> ServerEndpoint {
        guard sharedCount.isMultiple(of: 4) else { return endpoint }
        return ServerEndpoint(
            id: endpoint.id, entryIP: endpoint.entryIP, exitIP: endpoint.exitIP,
            domain: endpoint.domain, status: endpoint.status, label: endpoint.label,
            x25519PublicKey: endpoint.x25519PublicKey,
            overrides: ProtocolOverrides(["WireGuardTLS": .init(ports: [443])]))
    }
}
