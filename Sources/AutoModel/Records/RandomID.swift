/// Identifiers that no two rows share: 63 random bits, never 0.
public enum RandomID {
    /// The next one.
    public static func next() -> Int64 { Int64.random(in: 1 ... .max) }
}
