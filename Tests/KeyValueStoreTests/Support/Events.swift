import KeyValueStore

/// Returns the first result of `pick` that is not `nil`, for the next events; `nil` at the end.
func next<Value>(
    _ events: inout AsyncStream<KeyValueStore.Event>.Iterator,
    _ pick: (KeyValueStore.Event.Kind) -> Value?
) async -> Value? {
    while let event = await events.next() {
        if let value = pick(event.kind) { return value }
    }
    return nil
}
