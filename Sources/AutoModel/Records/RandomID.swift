/// Random identifiers of rows: 63 bits, never 0.
public enum RandomID {
    /// Returns a new identifier.
    public static func next() -> Int64 { Int64.random(in: 1 ... .max) }
}
