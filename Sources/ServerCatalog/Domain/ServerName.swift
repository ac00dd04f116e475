/// A server's name split into parts, so that `DE#9` sorts before `DE#10`.
public struct ServerName: Hashable, Sendable {
    /// The part before the number sign, or the whole name.
    public let prefix: String
    /// The number after the number sign, if any.
    public let sequenceNumber: Int?

    /// Splits a name at `#` into a prefix and a number.
    ///
    /// The number ends at the first `-`: `US-NY#61-TOR` is (`US-NY`, 61). If the second part isn't
    /// a number, the sequence number is `nil`. If `#` doesn't split the name into exactly two
    /// parts, the prefix is the whole name.
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
