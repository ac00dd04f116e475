extension Engine {
    // MARK: Sending

    /// Returns the next message to the peer, or `nil` if there is nothing to send or an answer is
    /// pending.
    mutating func nextMessage(_ session: inout SyncSession) -> SyncMessage? {
        commit()
        if session.startsOver {
            // The heads of an empty document make the peer reset its record of sent changes.
            session.startsOver = false
            session.hasSentMessage = true
            return SyncMessage(heads: [], need: [], have: [SyncMessage.Have()], changes: [])
        }
        let heads = graph.headHashes
        let need = missingHashes(theirHeads: session.theirHeads ?? [])
        let theirHeads = Set(session.theirHeads ?? [])
        var have: [SyncMessage.Have] = []
        if need.allSatisfy({ theirHeads.contains($0) }) {
            // Omit heads that this document no longer has. For each sent head, the peer assumes
            // that this side has the change and its ancestors.
            have = [summary(since: session.sharedHeads.filter { graph.index(of: $0) != nil })]
        }
        if let first = session.theirHave?.first,
            !first.lastSync.allSatisfy({ graph.index(of: $0) != nil })
        {
            // The last sync included changes that this document no longer has, so both sides start
            // over.
            return SyncMessage(heads: heads, need: [], have: [SyncMessage.Have()], changes: [])
        }
        var changes: [UInt32] = []
        if let theirHave = session.theirHave, let theirNeed = session.theirNeed {
            changes = changesToSend(have: theirHave, need: theirNeed)
                .filter { !session.sentHashes.contains(graph.hashes[$0]) }
        }
        if session.hasSentMessage, session.lastSentHeads == heads {
            if changes.isEmpty, session.theirHeads == heads { return nil }
            // A message without changes and new requests isn't sent before the answer to the
            // previous message. But a change that a filter contained by mistake must be requested
            // even if messages cross. Otherwise, both sides would wait.
            if session.isInFlight, changes.isEmpty, session.lastSentNeed == need { return nil }
        }
        session.hasSentMessage = true
        session.lastSentHeads = heads
        session.lastSentNeed = need
        for change in changes { session.sentHashes.insert(graph.hashes[change]) }
        session.isInFlight = true
        var chunks: [[UInt8]] = []
        for change in changes {
            var out = ByteWriter()
            append(change, to: &out)
            chunks.append(out.array())
        }
        return SyncMessage(heads: heads, need: need, have: have, changes: chunks)
    }

    /// Returns the next message to the peer, as ``nextMessage(_:)`` does. If an answer is pending
    /// but changes are missing, returns a message that requests them again, because the answer may
    /// have been lost.
    mutating func nextMessageAskingAgain(_ session: inout SyncSession) -> SyncMessage? {
        if let message = nextMessage(&session) { return message }
        guard session.isInFlight, !missingHashes(theirHeads: session.theirHeads ?? []).isEmpty
        else { return nil }
        session.isInFlight = false
        return nextMessage(&session)
    }

    /// Returns the hashes that queued changes or the peer's heads refer to and that this document
    /// doesn't have.
    private func missingHashes(theirHeads: [ChangeHash]) -> [ChangeHash] {
        var missing = queue.missing().filter { graph.index(of: $0) == nil }
        for head in theirHeads where graph.index(of: head) == nil && !queue.contains(head) {
            missing.insert(head)
        }
        return missing.sorted()
    }

    /// Returns a filter of the changes since the last sync.
    private func summary(since shared: [ChangeHash]) -> SyncMessage.Have {
        let isShared = graph.ancestors(of: shared.compactMap { graph.index(of: $0) })
        var hashes: [ChangeHash] = []
        for change in 0..<graph.count where !isShared[change] {
            hashes.append(graph.hashes[change])
        }
        return SyncMessage.Have(lastSync: shared, filter: BloomFilter(hashes))
    }

    private func changesToSend(have: [SyncMessage.Have], need: [ChangeHash]) -> [UInt32] {
        // A peer may request the same change any number of times.
        var known: Set<UInt32> = []
        let needed = need.compactMap { graph.index(of: $0) }.filter { known.insert($0).inserted }
        if have.isEmpty { return needed }
        let starts = Set(have.flatMap(\.lastSync)).compactMap { graph.index(of: $0) }
        let isShared = graph.ancestors(of: starts)
        // If no filter contains a change, the peer has neither it nor changes that depend on it.
        var isSent = [Bool](repeating: false, count: graph.count)
        for change in 0..<graph.count where !isShared[change] {
            let hash = graph.hashes[change]
            isSent[change] =
                have.allSatisfy { !$0.filter.contains(hash) }
                || (0..<Int(graph.records[change].dependencyCount)).contains {
                    isSent[Int(graph.dependency($0, of: UInt32(change)))]
                }
        }
        return needed.filter { !isSent[Int($0)] }
            + (0..<UInt32(graph.count)).filter { isSent[Int($0)] }
    }

    // MARK: Comparing

    /// Returns the number of changes that the peer is not known to have, and its heads that this
    /// document lacks.
    mutating func pendingChanges(
        _ session: SyncSession
    ) -> (unacknowledgedCount: Int, missingHeads: [ChangeHash]) {
        commit()
        let theirHeads = session.theirHeads ?? []
        let known = (session.sharedHeads + theirHeads).compactMap { graph.index(of: $0) }
        let isKnown = graph.ancestors(of: known)
        return (
            isKnown.count { !$0 },
            Set(theirHeads).filter { graph.index(of: $0) == nil }.sorted()
        )
    }

    // MARK: Receiving

    mutating func receive(
        _ message: SyncMessage, _ session: inout SyncSession
    ) throws(FormatError) {
        commit()
        let before = graph.headHashes
        for chunk in message.changes {
            // Invalid changes from one peer must not use up the allowance for changes from others.
            try chunk.withUnsafeBufferPointer { (bytes) throws(FormatError) in
                try apply(bytes, refundsFailures: true)
            }
        }
        if !message.changes.isEmpty {
            let before = Set(before)
            let after = Set(graph.headHashes)
            let fresh = after.filter { !before.contains($0) }
            let kept = session.sharedHeads.filter { after.contains($0) }
            session.sharedHeads = Set(fresh + kept).sorted()
        }
        let known = message.heads.filter { graph.index(of: $0) != nil }
        if !session.sentHashes.isEmpty {
            let isSeen = graph.ancestors(of: known.compactMap { graph.index(of: $0) })
            session.sentHashes = session.sentHashes.filter { hash in
                graph.index(of: hash).map { !isSeen[Int($0)] } ?? false
            }
        }
        // A peer with the same heads needs an answer only if it doesn't know yet that both sides
        // are in sync. Without an answer, the peer would consider this side behind forever.
        if message.changes.isEmpty, message.heads == before,
            message.have.first?.lastSync == message.heads
        {
            session.lastSentHeads = message.heads
        }
        if session.sentHashes.isEmpty { session.isInFlight = false }
        if known.count == message.heads.count {
            session.sharedHeads = message.heads
            session.isInFlight = false
            if message.heads.isEmpty {
                // The peer has lost everything, so send everything again.
                session.lastSentHeads = []
                session.sentHashes = []
            }
        } else {
            session.sharedHeads = Set(session.sharedHeads + known).sorted()
        }
        session.theirHave = message.have
        session.theirHeads = message.heads
        session.theirNeed = message.need
    }
}
