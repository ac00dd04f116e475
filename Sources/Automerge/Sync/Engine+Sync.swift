extension Engine {
    // MARK: Sending

    /// The next message to the peer; `nil` where there is nothing to say, or an answer is due.
    mutating func nextMessage(_ session: inout SyncSession) -> SyncMessage? {
        commit()
        if session.startsOver {
            // A peer that is told of an empty document forgets what it took for sent.
            session.startsOver = false
            session.hasSpoken = true
            return SyncMessage(heads: [], need: [], have: [SyncMessage.Have()], changes: [])
        }
        let heads = graph.headHashes
        let need = missingHashes(theirHeads: session.theirHeads ?? [])
        let theirHeads = Set(session.theirHeads ?? [])
        var have: [SyncMessage.Have] = []
        if need.allSatisfy({ theirHeads.contains($0) }) {
            // Heads that are no longer here count for nothing: the peer would take them, and what
            // they build on, to be here.
            have = [summary(since: session.sharedHeads.filter { graph.index(of: $0) != nil })]
        }
        if let first = session.theirHave?.first,
            !first.lastSync.allSatisfy({ graph.index(of: $0) != nil })
        {
            // The peer counts on changes that are not here any more: begin anew.
            return SyncMessage(heads: heads, need: [], have: [SyncMessage.Have()], changes: [])
        }
        var changes: [UInt32] = []
        if let theirHave = session.theirHave, let theirNeed = session.theirNeed {
            changes = changesToSend(have: theirHave, need: theirNeed)
                .filter { !session.sentHashes.contains(graph.hashes[$0]) }
        }
        if session.hasSpoken, session.lastSentHeads == heads {
            if changes.isEmpty, session.theirHeads == heads { return nil }
            // Only a message that says nothing new waits for the answer to the last one. What a
            // filter held by mistake is asked for while messages cross, else both sides would wait.
            if session.isInFlight, changes.isEmpty, session.lastSentNeed == need { return nil }
        }
        session.hasSpoken = true
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

    /// The next message to the peer, as ``nextMessage(_:)``, and if an answer is due but changes are
    /// missing, a message that asks for them again: the answer may have been lost.
    mutating func nextMessageAskingAgain(_ session: inout SyncSession) -> SyncMessage? {
        if let message = nextMessage(&session) { return message }
        guard session.isInFlight, !missingHashes(theirHeads: session.theirHeads ?? []).isEmpty
        else { return nil }
        session.isInFlight = false
        return nextMessage(&session)
    }

    /// The hashes that waiting changes, or the peer's heads, lead to and that are not here.
    private func missingHashes(theirHeads: [ChangeHash]) -> [ChangeHash] {
        var missing = queue.missing().filter { graph.index(of: $0) == nil }
        for head in theirHeads where graph.index(of: head) == nil && !queue.contains(head) {
            missing.insert(head)
        }
        return missing.sorted()
    }

    /// A filter of the changes since the last sync.
    private func summary(since shared: [ChangeHash]) -> SyncMessage.Have {
        let isShared = graph.ancestors(of: shared.compactMap { graph.index(of: $0) })
        var hashes: [ChangeHash] = []
        for change in 0..<graph.count where !isShared[change] {
            hashes.append(graph.hashes[change])
        }
        return SyncMessage.Have(lastSync: shared, filter: BloomFilter(hashes))
    }

    private func changesToSend(have: [SyncMessage.Have], need: [ChangeHash]) -> [UInt32] {
        // A peer may ask for one change any number of times.
        var known: Set<UInt32> = []
        let needed = need.compactMap { graph.index(of: $0) }.filter { known.insert($0).inserted }
        if have.isEmpty { return needed }
        let starts = Set(have.flatMap(\.lastSync)).compactMap { graph.index(of: $0) }
        let isShared = graph.ancestors(of: starts)
        // What no filter holds is missing there, and so is all that depends on it.
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

    // MARK: Receiving

    mutating func receive(
        _ message: SyncMessage, _ session: inout SyncSession
    ) throws(FormatError) {
        commit()
        let before = graph.headHashes
        for chunk in message.changes {
            // What one peer sends in vain must not take from what others may send.
            try chunk.withBytes { (bytes) throws(FormatError) in
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
        // A peer with the same heads needs no answer, but one that does not know yet that they are
        // the same here is told: else it would take this side to be behind for ever.
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
                // The peer has lost everything, and gets everything again.
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
