/// A made-up catalog that looks like a real one, for demonstrations, tests and measurements.
///
/// The same values make the same servers, on every machine. Every kind of server occurs once
/// there are a few hundred: free ones, secure core, Tor, gateways, servers in maintenance,
/// machines that stand in another country, and endpoints with overrides. Addresses are from
/// the ranges that are set aside for documentation.
public struct SampleServers: Sendable {
    /// How many servers to make; a negative number counts as 0.
    public var count: Int
    /// In how many countries they stand, 1 to 70; numbers beyond are brought to the nearest.
    public var countryCount: Int
    /// How many endpoints a server has.
    public var endpointCounts: ClosedRange<Int>
    /// Decides everything that looks random.
    public var seed: UInt64

    /// A catalog of `count` servers.
    ///
    /// - Parameters:
    ///   - countryCount: In how many countries they stand, at most 70.
    ///   - endpointCounts: How many endpoints a server has, none at the least.
    public init(
        count: Int = 2000, countryCount: Int = 60, endpointCounts: ClosedRange<Int> = 1...3,
        seed: UInt64 = 1
    ) {
        self.count = count
        self.countryCount = countryCount
        self.endpointCounts = endpointCounts
        self.seed = seed
    }

    /// The servers, in the order of a service's list: by country.
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

    /// How many servers each country has: the first ones the most, each at least one where
    /// there are enough.
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

/// A repeatable source of random numbers (SplitMix64).
struct SampleGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether something happens that does in `percent` of a hundred cases.
    mutating func happens(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    mutating func pick<Element>(_ elements: [Element], else other: Element) -> Element {
        elements.randomElement(using: &self) ?? other
    }
}
