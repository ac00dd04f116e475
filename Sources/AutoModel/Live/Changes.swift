extension AutoObject {
    /// What happens to this object from now on: what is set, saved, read anew, deleted. Ends with its
    /// deletion.
    ///
    /// What is not taken for long is kept; the object is not kept alive.
    public func changes() -> AsyncStream<ObjectChange> {
        AsyncStream { continuation in
            let key = RandomID.next()
            withExtras { extras in
                extras.followers[UInt64(key)] = { change in
                    continuation.yield(change)
                    if change.kind == .deleted { continuation.finish() }
                }
            }
            continuation.onTermination = { [weak self] _ in
                self?.locked {
                    _ = self?._$state.extras?.followers.removeValue(forKey: UInt64(key))
                }
            }
        }
    }

    /// The rows of this model that transactions change from now on, until the database is closed.
    ///
    /// Where another process, or SQL of one's own, has written, only those are named that somebody
    /// holds, and `isUnknown` is set.
    ///
    /// - Throws: ``AutoModelError`` where no open database has the model.
    public static func changes() throws -> AsyncStream<TableChanges> {
        try AutoDatabase.table(of: Self.self).followers.stream()
    }
}

extension AutoValue {
    /// The rows of this model that transactions change from now on, until the database is closed.
    ///
    /// Where another process, or SQL of one's own, has written, none is named and `isUnknown` is set.
    ///
    /// - Throws: ``AutoModelError`` where no open database has the model.
    public static func changes() throws -> AsyncStream<TableChanges> {
        try AutoDatabase.having(self).valueTable(of: self).followers.stream()
    }
}

extension FollowerList {
    func stream() -> AsyncStream<Event> {
        AsyncStream { continuation in
            let number = add {
                continuation.yield($0)
            } end: {
                continuation.finish()
            }
            continuation.onTermination = { [weak self] _ in self?.remove(number) }
        }
    }
}
