import Automerge
import DocumentStore
import DocumentSync
import DocumentSyncNIO
import Foundation
import Replication
import TestSupport
import Testing

/// Two stores that share a folder, a socket and a WebSocket, or some of these, each of which comes
/// and goes. Both stores reach the same state, and each edit counts once.
///
/// Set `TIDELINE_RUNS=2000` for the full number of schedules.
@Suite struct AllWaysTests {
    private static let names = ["anna", "ben"]

    /// A transport between the two stores.
    private enum Way: CaseIterable { case folder, socket, webSocket }

    @Test(.timeLimit(.minutes(30)))
    func storesAgreeOverAllTransportsAtOnce() async throws {
        for run in 0..<runCount(12) { try await play(seed: UInt64(run) &* 104_729 &+ 7) }
    }

    /// The two stores and their connections.
    private struct Pair {
        let folder: TemporaryFolder
        let stores: [AutomergeStore]
        /// One exchange per transport and store, because two peers with the same names replace each
        /// other's connection.
        let exchanges: [Way: [DocumentExchange]]
        var lines: [Way: Task<Void, Never>] = [:]

        init() throws {
            let folder = try TemporaryFolder()
            var configuration = AutomergeStore.Configuration()
            configuration.watchesFolder = false
            configuration.autosaveDelay = .milliseconds(5)
            stores = try names.map { name in
                try AutomergeStore(
                    StorePackage(creating: folder.appending("\(name).store")),
                    device: DeviceID(name), configuration: configuration)
            }
            var limits = SyncLimits()
            limits.joinTime = .seconds(3_600)
            limits.silence = .seconds(3_600)
            let stores = stores
            exchanges = Dictionary(
                uniqueKeysWithValues: [Way.socket, .webSocket].map { way in
                    let both = zip(names, stores).map { name, store in
                        DocumentExchange(
                            of: StoreRepository(store), policy: .everything,
                            peerID: PeerID("\(name)-\(way)"), limits: limits)
                    }
                    return (way, both)
                })
            self.folder = folder
        }

        /// Copies a device's files to the other package, as a sync service does.
        func carry(from source: Int) throws {
            let target = 1 - source
            let path = "Devices/\(names[source])/Documents.db"
            let files = [source, target].map {
                URL(filePath: folder.appending("\(names[$0]).store/\(path)"))
            }
            guard let bytes = try? Data(contentsOf: files[0]) else { return }
            try FileManager.default.createDirectory(
                at: files[1].deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: files[1], options: .atomic)
            try stores[target].sync()
        }

        mutating func connect(_ way: Way) async throws {
            await cut(way)
            guard let both = exchanges[way] else { return }
            let (near, far) = (both[0], both[1])
            switch way {
            case .folder: return
            case .socket:
                let address = StreamAddress.unix(path: folder.appending("socket"))
                let listener = try StreamListener(at: address)
                lines[way] = Self.line {
                    await listener.run(far)
                } client: {
                    try? await SyncClient(near, to: StreamConnector(address)).run()
                } end: {
                    listener.close()
                }
            case .webSocket:
                let server = try await WebSocketServer(port: 0)
                let connector = try WebSocketConnector(server.address)
                lines[way] = Self.line {
                    try? await server.run(far)
                } client: {
                    try? await SyncClient(near, to: connector).run()
                }
            }
        }

        private static func line(
            server: @escaping @Sendable () async -> Void,
            client: @escaping @Sendable () async -> Void,
            end: @escaping @Sendable () -> Void = {}
        ) -> Task<Void, Never> {
            Task {
                let serving = Task { await server() }
                let calling = Task { await client() }
                await withTaskCancellationHandler {
                    await calling.value
                    serving.cancel()
                    end()
                    await serving.value
                } onCancel: {
                    calling.cancel()
                }
            }
        }

        mutating func cut(_ way: Way) async {
            guard let line = lines.removeValue(forKey: way) else { return }
            line.cancel()
            await line.value
        }

        /// The heads of a document and the value of its counter in one store.
        func state(_ id: UUID, in store: Int) throws -> (heads: Set<ChangeHash>, count: Int64?) {
            guard let document = try? stores[store].openDocument(id) else { return ([], nil) }
            var count: Int64?
            if case .Scalar(.Counter(let value))? = try document.automerge.get(
                obj: .ROOT, key: "count")
            {
                count = value
            }
            return (document.automerge.heads(), count)
        }
    }

    private func play(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var pair = try Pair()
        let ways = Way.allCases.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
        var ids: [UUID] = []
        var counts: [UUID: Int64] = [:]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let document = Document()
            try document.put(obj: .ROOT, key: "count", value: .Counter(0))
            let store = pair.stores[Int.random(in: 0...1, using: &random)]
            ids.append(try store.newWorkspace(index: document).id)
        }
        var made: [UUID: Set<ChangeHash>] = [:]
        for _ in 0..<Int.random(in: 5...30, using: &random) {
            let place = Int.random(in: 0...1, using: &random)
            let store = pair.stores[place]
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                let id = ids.randomElement(using: &random) ?? ids[0]
                guard let document = try? store.openDocument(id) else { continue }
                try document.automerge.increment(obj: .ROOT, key: "count", by: 1)
                counts[id, default: 0] += 1
                document.automerge.commitWith(
                    message: nil, timestamp: Date(timeIntervalSince1970: 0))
                try document.save()
                made[id, default: []].formUnion(document.automerge.heads())
            case 5: _ = try? store.compact(ids.randomElement(using: &random) ?? ids[0])
            case 6, 7:
                guard let way = ways.randomElement(using: &random) else { continue }
                way == .folder ? try pair.carry(from: place) : try await pair.connect(way)
            case 8: if let way = ways.randomElement(using: &random) { await pair.cut(way) }
            default: try await Task.sleep(for: .milliseconds(.random(in: 0...3, using: &random)))
            }
        }
        try await agree(&pair, ids, ways, counts, made, seed: seed)
        for way in Way.allCases { await pair.cut(way) }
        for exchange in pair.exchanges.values.joined() { await exchange.stop() }
        for (name, store) in zip(Self.names, pair.stores) {
            let heads = try ids.map { try store.openDocument($0)?.automerge.heads() }
            try store.close()
            // The stored state equals the state in memory.
            let again = try AutomergeStore(package: pair.folder.appending("\(name).store"))
            for (id, heads) in zip(ids, heads) {
                #expect(try again.openDocument(id)?.automerge.heads() == heads, "seed \(seed)")
            }
        }
    }

    /// Connects the given transports, or one if there are none, and waits until both stores are in
    /// sync.
    private func agree(
        _ pair: inout Pair, _ ids: [UUID], _ ways: [Way], _ counts: [UUID: Int64],
        _ made: [UUID: Set<ChangeHash>], seed: UInt64
    ) async throws {
        let ways = ways.isEmpty ? [Way.allCases[Int(seed % 3)]] : ways
        for way in ways where way != .folder && pair.lines[way] == nil {
            try await pair.connect(way)
        }
        for id in ids {
            while true {
                if ways.contains(.folder) {
                    for source in 0...1 { try pair.carry(from: source) }
                }
                let states = try (0...1).map { try pair.state(id, in: $0) }
                let isWhole = states.allSatisfy { $0.count == counts[id] ?? 0 }
                if isWhole, states[0].heads == states[1].heads { break }
                // An edit that was counted twice stays wrong; stop waiting.
                if let most = states.compactMap(\.count).max(), most > counts[id] ?? 0 { break }
                try await Task.sleep(for: .milliseconds(2))
            }
            for place in 0...1 {
                let state = try pair.state(id, in: place)
                #expect(state.count == counts[id] ?? 0, "seed \(seed), \(Self.names[place])")
                let document = try #require(try pair.stores[place].openDocument(id)?.automerge)
                let history = document.getHistory()
                #expect(Set(history).count == history.count, "seed \(seed)")
                #expect(made[id, default: []].isSubset(of: history), "seed \(seed)")
            }
        }
    }
}
