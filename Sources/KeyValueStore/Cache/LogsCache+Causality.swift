import Replication

extension LogsCache {
    /// Marks the rows that a device's newest row knew, and remembers what it knew of rows that are
    /// not here.
    ///
    /// Only a row that wins over another supersedes it. An honest writer's rows are always later
    /// than what they knew; for others (PARStore 1 rows written by a clock that was behind) the
    /// newest timestamp still wins, and both are shown.
    mutating func judge(_ entry: UInt32, of device: DeviceNumber, knows knowledge: Knowledge) {
        switch knowledge {
        case .vector(let stamps):
            for stamp in stamps where stamp.device != device {
                judge(entry, of: device, knows: stamp)
            }
        case .parents(let timestamps):
            for timestamp in timestamps {
                judge(entry, of: device, namesParent: timestamp)
            }
        }
    }

    mutating func judge(_ entry: UInt32, of device: DeviceNumber, knows stamp: RowStamp) {
        guard let knower = row(of: device, in: entry) else { return }
        if let known = row(of: stamp.device, in: entry) {
            let timestamp = rows[Int(known)].timestamp
            if timestamp <= stamp.timestamp, wins(rows[Int(knower)], over: rows[Int(known)]) {
                rows[Int(known)].isSuperseded = true
            }
            if timestamp >= stamp.timestamp { return }
        }
        remember(Ghost(entry: entry, device: stamp.device), device, stamp.timestamp)
    }

    private mutating func judge(
        _ entry: UInt32, of device: DeviceNumber, namesParent timestamp: Int64
    ) {
        guard let knower = row(of: device, in: entry) else { return }
        var isHere = false
        var row = entries[Int(entry)].firstRow
        while row != Self.none {
            if row != knower, rows[Int(row)].timestamp == timestamp {
                isHere = true
                if wins(rows[Int(knower)], over: rows[Int(row)]) {
                    rows[Int(row)].isSuperseded = true
                }
            }
            row = rows[Int(row)].next
        }
        if !isHere {
            remember(Ghost(entry: entry, device: Self.anyDevice), device, timestamp)
        }
    }

    /// Remembers that there is a row which cannot be shown: what is written from now on knows it.
    mutating func judgeSeen(_ entry: UInt32, _ row: Row) {
        remember(Ghost(entry: entry, device: row.device), row.device, row.timestamp)
    }

    private mutating func remember(_ ghost: Ghost, _ knower: DeviceNumber, _ timestamp: Int64) {
        let isNamedOnly = ghost.device == Self.anyDevice
        var known = ghosts[ghost] ?? []
        if let index = known.firstIndex(where: {
            $0.knower == knower && (!isNamedOnly || $0.timestamp == timestamp)
        }) {
            known[index].timestamp = max(known[index].timestamp, timestamp)
        } else {
            known.append(Foreknowledge(knower: knower, timestamp: timestamp))
        }
        ghosts[ghost] = known
    }

    /// Judges a device's new newest row by what others knew before it came.
    mutating func judgeForeknown(_ entry: UInt32, device: DeviceNumber) {
        guard !ghosts.isEmpty, let index = row(of: device, in: entry) else { return }
        let arrived = rows[Int(index)]
        func isSuperseded(by knower: DeviceNumber) -> Bool {
            guard knower != device, let row = row(of: knower, in: entry) else { return false }
            return wins(rows[Int(row)], over: arrived)
        }
        let own = Ghost(entry: entry, device: device)
        if let known = ghosts[own] {
            if known.contains(where: {
                $0.timestamp >= arrived.timestamp && isSuperseded(by: $0.knower)
            }) {
                rows[Int(index)].isSuperseded = true
            }
            let rest = known.filter { $0.timestamp > arrived.timestamp }
            ghosts[own] = rest.isEmpty ? nil : rest
        }
        // A name without a device stays: several devices may have a row with that timestamp.
        if let known = ghosts[Ghost(entry: entry, device: Self.anyDevice)],
            known.contains(where: {
                $0.timestamp == arrived.timestamp && isSuperseded(by: $0.knower)
            })
        {
            rows[Int(index)].isSuperseded = true
        }
    }

    /// What a row written now knows: the newest timestamp of each other device, those included of
    /// which others told and which are not here.
    func knowledge(_ entry: UInt32, besides device: DeviceNumber) -> [RowStamp] {
        var stamps: [RowStamp] = []
        var row = entries[Int(entry)].firstRow
        while row != Self.none {
            let known = rows[Int(row)]
            if known.device != device {
                stamps.append(RowStamp(device: known.device, timestamp: known.timestamp))
            }
            row = known.next
        }
        guard !ghosts.isEmpty else { return stamps }
        for number in devices.indices where number != Int(device) {
            let ghost = Ghost(entry: entry, device: DeviceNumber(number))
            guard let newest = ghosts[ghost]?.map(\.timestamp).max() else { continue }
            stamps.removeAll { $0.device == ghost.device }
            stamps.append(RowStamp(device: ghost.device, timestamp: newest))
        }
        return stamps
    }

    /// The newest timestamp of the key that any device is known to have written, arrived or not.
    func newestSeen(_ entry: UInt32) -> Int64? {
        let first = entries[Int(entry)].firstRow
        var newest = first == Self.none ? nil : rows[Int(first)].timestamp
        guard !ghosts.isEmpty else { return newest }
        for number in devices.indices.map(DeviceNumber.init) + [Self.anyDevice] {
            for known in ghosts[Ghost(entry: entry, device: number)] ?? [] {
                newest = max(newest ?? .min, known.timestamp)
            }
        }
        return newest
    }

    /// The device that wrote, or is the source of, the newest timestamp that was seen of the key.
    func newestWriter(_ entry: UInt32) -> DeviceNumber? {
        let first = entries[Int(entry)].firstRow
        var newest = first == Self.none ? nil : rows[Int(first)]
        for number in devices.indices.map(DeviceNumber.init) + [Self.anyDevice] {
            for known in ghosts[Ghost(entry: entry, device: number)] ?? []
            where newest.map({ $0.timestamp < known.timestamp }) ?? true {
                newest = Row(
                    timestamp: known.timestamp, next: Self.none,
                    device: number == Self.anyDevice ? known.knower : number,
                    isSuperseded: false)
            }
        }
        return newest?.device
    }

    /// The rows that no other row supersedes, the winner first.
    func heads(_ entry: UInt32) -> [Row] {
        if let fork = forks[entry] { return heads(entry, fork) }
        var heads: [Row] = []
        var row = entries[Int(entry)].firstRow
        while row != Self.none {
            let known = rows[Int(row)]
            if heads.isEmpty || !known.isSuperseded { heads.append(known) }
            row = known.next
        }
        return heads.isEmpty
            ? [] : [heads[0]] + heads.dropFirst().sorted { wins($0, over: $1) }
    }

    private func heads(_ entry: UInt32, _ fork: [ForkHead]) -> [Row] {
        let first = entries[Int(entry)].firstRow
        guard first != Self.none else { return [] }
        let winner = rows[Int(first)]
        let others = fork.filter {
            $0.device != winner.device || $0.timestamp != winner.timestamp
        }
        return [winner]
            + others.map {
                Row(
                    timestamp: $0.timestamp, next: Self.none, device: $0.device,
                    isSuperseded: false)
            }.sorted { wins($0, over: $1) }
    }

    /// Brings the conflict state of an entry up to date with its rows.
    mutating func settle(_ entry: UInt32) {
        if let fork = forks[entry] {
            contested[entry] = nil
            let winner = winnerDigest(entry)
            if fork.contains(where: { $0.digest != winner }) {
                conflicts.insert(entry)
            } else {
                conflicts.remove(entry)
            }
            return
        }
        guard var digests = contested[entry] else { return }
        for device in digests.keys {
            let row = row(of: device, in: entry)
            let isHead = row.map { !rows[Int($0)].isSuperseded } ?? false
            if !isHead || row == entries[Int(entry)].firstRow { digests[device] = nil }
        }
        guard !digests.isEmpty else {
            contested[entry] = nil
            conflicts.remove(entry)
            return
        }
        contested[entry] = digests
        let winner = winnerDigest(entry)
        if digests.values.contains(where: { $0 != winner }) {
            conflicts.insert(entry)
        } else {
            conflicts.remove(entry)
        }
    }

    func winnerDigest(_ entry: UInt32) -> Int {
        digest(ofWinnerOf: entry, at: winner(entry)?.timestamp ?? 0)
    }

    /// The digest of the value that is here for an entry, its row being of `timestamp`.
    func digest(ofWinnerOf entry: UInt32, at timestamp: Int64) -> Int {
        if let byteCount = longValue(entry) {
            return LoadedValue.long(byteCount).digest(ofRowAt: timestamp)
        }
        return withValue(entry) { Self.digest(bytes: UnsafeRawBufferPointer($0)) }
            ?? Self.digest(nil)
    }

    static func digest(_ value: [UInt8]?) -> Int {
        guard let value else { return 0 }
        return value.withUnsafeBytes { digest(bytes: $0) }
    }

    /// Equal for equal values, whoever encoded them.
    private static func digest(bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        if let value = try? BinaryPlistReader.decode(bytes) {
            hasher.combine(value)
        } else {
            hasher.combine(bytes: bytes)
        }
        return hasher.finalize()
    }
}
