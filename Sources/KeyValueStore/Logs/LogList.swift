/// The logs of a load, as a linked list, because an array can't contain noncopyable values.
struct LogList: ~Copyable {
    private final class Node {
        let log: StoreLoader.Log
        init(_ log: consuming StoreLoader.Log) { self.log = log }
    }

    private var nodes: [Node] = []

    mutating func append(_ log: consuming StoreLoader.Log) { nodes.append(Node(log)) }

    func forEach(_ body: (borrowing StoreLoader.Log) throws -> Void) rethrows {
        for node in nodes { try body(node.log) }
    }
}
