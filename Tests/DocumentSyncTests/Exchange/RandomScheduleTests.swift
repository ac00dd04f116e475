import Automerge
import DocumentSync
import Foundation
import TestSupport
import Testing

/// Nodes that edit the same documents while their connections break and return.
@Suite struct RandomScheduleTests {
    private struct Line {
        let first: Int
        let second: Int
        var task: Task<Void, Never>?
    }

    @Test(.timeLimit(.minutes(30)))
    func nodesAgreeThroughBrokenConnections() async throws {
        for run in 0..<runCount(40) {
            var random = SeededRandom(seed: UInt64(run))
            try await play(&random, seed: run)
        }
    }

    private func play(_ random: inout SeededRandom, seed: Int) async throws {
        let count = Int.random(in: 2...4, using: &random)
        // Either a server with clients, or a ring of stores that offer all their documents.
        let isStar = Bool.random(using: &random)
        let nodes = (0..<count).map { index in
            Node(
                "node-\(index)", isStar && index == 0 ? .onRequest : .everything,
                storageID: "s\(index)")
        }
        var lines = (1..<count).map { Line(first: isStar ? 0 : $0 - 1, second: $0) }
        if !isStar, count > 2 { lines.append(Line(first: 0, second: count - 1)) }
        let documents = (0..<Int.random(in: 1...3, using: &random)).map { _ in DocumentID() }
        if isStar {
            // The server offers nothing, so each client requests the documents.
            for node in nodes.dropFirst() { await node.exchange.request(documents) }
        }
        for step in 0..<Int.random(in: 5...40, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                let node = nodes.randomElement(using: &random) ?? nodes[0]
                let id = documents.randomElement(using: &random) ?? documents[0]
                if node.repository[id] == nil {
                    try node.make("first", "\(step)", id)
                } else {
                    try node.put(id, "key\(Int.random(in: 0..<5, using: &random))", "\(step)")
                }
            case 5...7:
                let index = lines.indices.randomElement(using: &random) ?? 0
                lines[index].task?.cancel()
                lines[index].task = connect(
                    nodes[lines[index].second], nodes[lines[index].first],
                    capacity: Int.random(in: 1...4, using: &random))
            case 8:
                let index = lines.indices.randomElement(using: &random) ?? 0
                lines[index].task?.cancel()
            default:
                for _ in 0..<Int.random(in: 0..<50, using: &random) { await Task.yield() }
            }
        }
        for index in lines.indices {
            lines[index].task?.cancel()
            lines[index].task = connect(nodes[lines[index].second], nodes[lines[index].first])
        }
        for id in documents {
            let whole = Document()
            for node in nodes {
                if let document = node.repository[id] { try whole.merge(other: document) }
            }
            let heads = whole.heads()
            for (index, node) in nodes.enumerated() {
                let events = node.exchange.events()
                if node.heads(id) == heads { continue }
                _ = await first(events) { _ in node.heads(id) == heads }
                #expect(node.heads(id) == heads, "node \(index) of seed \(seed)")
            }
        }
        for line in lines {
            line.task?.cancel()
            await line.task?.value
        }
    }
}
