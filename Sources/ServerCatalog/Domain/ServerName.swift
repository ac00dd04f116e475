/// A server's name taken apart, so that `DE#9` sorts before `DE#10`.
public struct ServerName: Hashable, Sendable {
    /// What stands before the number sign, or the whole name.
    public let prefix: String
    /// The number behind it; `nil` where there is none.
    public let sequenceNumber: Int?

    /// Splits at `#`: two parts that are not empty are a prefix and a number.
    ///
    /// The number ends at the first `-`: `US-NY#61-TOR` is (`US-NY`, 61). A second part that is not
    /// a number leaves the sequence number out; any other shape is one prefix.
    public init(_ name: String) {
        let parts = name.split(separator: "#")
        guard parts.count == 2 else {
            prefix = name
            sequenceNumber = nil
            return
        }
        prefix = String(parts[0])
        sequenceNumber = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            .first.flatMap { Int($0) }
    }
}
