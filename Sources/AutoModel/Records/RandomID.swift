/// Random identifiers of rows: 63 bits, never 0.
enum RandomID {
    /// Returns a new identifier.
    static func next() -> Int64 { Int64.random(in: 1 ... .max) }
}

/// Returns a new random identifier. For code that the macro generates.
public func _autoRandomID() -> Int64 { RandomID.next() }
