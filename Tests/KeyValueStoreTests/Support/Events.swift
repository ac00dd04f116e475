import KeyValueStore

/// The next event of which `pick` makes something; `nil` when there are no more.
func next<Value>(
    _ events: inout AsyncStream<KeyValueStore.Event>.Iterator,
    _ pick: (KeyValueStore.Event.Kind) -> Value?
) async -> Value? {
    while let event = await events.next() {
        if let value = pick(event.kind) { return value }
    }
    return nil
}
