extension AutoObject {
    /// Returns all later changes of this object: edits, saves, reloads and deletion. The sequence
    /// ends with the deletion.
    ///
    /// The sequence keeps changes until you read them. It doesn't keep the object alive.
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

    /// Returns the changed rows of this model, one element per transaction, until the database is
    /// closed.
    ///
    /// After a write by another process or by SQL statements, `isUnknown` is set, and the element
    /// contains only the changed rows whose objects are in use.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the model.
    public static func changes() throws -> AsyncStream<TableChanges> {
        try AutoDatabase.table(of: Self.self).followers.stream()
    }
}

extension AutoValue {
    /// Returns the changed rows of this model, one element per transaction, until the database is
    /// closed.
    ///
    /// After a write by another process or by SQL statements, `isUnknown` is set, and the element
    /// contains no rows.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the model.
    public static func changes() throws -> AsyncStream<TableChanges> {
        try table().followers.stream()
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
