/// A generated catalog that looks like a real one, for demonstrations, tests and benchmarks.
///
/// The same parameters generate the same servers on every machine. A few hundred servers include
/// every kind: free, secure core, Tor, gateways, servers in maintenance, machines located in
/// another country, and endpoints with overrides. Addresses are from ranges reserved for
/// documentation.
public struct SampleServers: Sendable {
    /// The number of servers. A negative number counts as 0.
    public var count: Int
    /// The number of countries. Values outside 1 to 70 are clamped.
    public var countryCount: Int
    /// The number of endpoints per server.
    public var endpointCounts: ClosedRange<Int>
    /// The seed of all random choices.
    public var seed: UInt64

    /// Creates a catalog of `count` servers.
    ///
    /// - Parameters:
    ///   - countryCount: The number of countries, at most 70.
    ///   - endpointCounts: The number of endpoints per server, zero or more.
    public init(
        count: Int = 2000, countryCount: Int = 60, endpointCounts: ClosedRange<Int> = 1...3,
        seed: UInt64 = 1
    ) {
        self.count = count
        self.countryCount = countryCount
        self.endpointCounts = endpointCounts
        self.seed = seed
    }

    /// Returns the servers in the order of the service's list, by country.
    ///
    /// - Complexity: O(*n*) in the number of servers and endpoints.
    public func servers() -> [VPNServer] {
        let countries = SampleCountry.all.prefix(max(1, countryCount))
        var generator = SampleGenerator(seed: seed)
        var servers: [VPNServer] = []
        servers.reserveCapacity(max(0, count))
        for (country, share) in zip(countries, shares(of: countries.count)) {
            var maker = SampleServerMaker(country, among: Array(countries))
            for _ in 0..<share {
                servers.append(maker.make(endpointCounts, using: &generator))
            }
        }
        return servers
    }

    /// Returns the number of servers per country. The first countries get the most servers. Each
    /// country gets at least one server if there are enough servers.
    private func shares(of countryCount: Int) -> [Int] {
        let count = max(0, count)
        let weights = (0..<countryCount).map { 1 / Double($0 + 3) }
        let sum = weights.reduce(0, +)
        let spare = max(0, count - countryCount)
        var shares = weights.enumerated().map { index, weight in
            (index < count ? 1 : 0) + Int(Double(spare) * weight / sum)
        }
        shares[0] += count - shares.reduce(0, +)
        return shares
    }
}

/// A repeatable random number generator (SplitMix64), for samples and demo stores.
package struct SampleGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns `true` with a probability of `percent` percent.
    mutating func happens(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    mutating func pick<Element>(_ elements: [Element], else other: Element) -> Element {
        elements.randomElement(using: &self) ?? other
    }
}
