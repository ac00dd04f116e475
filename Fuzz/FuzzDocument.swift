import Automerge
import CLibcrypto
import Foundation

/// What libFuzzer calls with each input.
///
/// The first byte chooses what is given the rest:
///
///     0, 1  load, applyEncodedChanges: the bytes as they are
///     2, 3  the same: a chunk whose type is the next byte, its length and checksum made right, so
///           that damage is not found by its checksum alone
///     4     receiveSyncMessage: the bytes as they are
///     5     receiveSyncMessage: two messages; the next byte says where the first ends
///     6     SyncState(bytes:)
///     7, 8  receiveSyncMessage: one change chunk, whose type is the next byte, made right as for 2;
///           8 to a document that is empty
///
/// Any error is fine. A trap, memory beyond the limit and five seconds without an answer are findings.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDocument(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    switch start[0] % 9 {
    case 0: load(Data(bytes))
    case 1: apply(Data(bytes), isOneChunk: false)
    case 2: load(chunk(bytes))
    case 3: apply(chunk(bytes), isOneChunk: true)
    case 4: receive([Data(bytes)])
    case 5:
        let first = min(Int(bytes[0]), bytes.count - 1)
        receive([Data(bytes[1..<1 + first]), Data(bytes[(1 + first)...])])
    case 7: receive([message(with: chunk(bytes))])
    case 8: receiveFirst(message(with: chunk(bytes)))
    default: _ = try? SyncState(bytes: Data(bytes)).encode()
    }
    return 0
}

/// A sync message that carries one chunk.
private func message(with chunk: Data) -> Data {
    Data([0x42, 0, 0, 1, 0, 0, 1]) + length(chunk.count) + chunk
}

private func length(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = count
    while rest >= 0x80 {
        bytes.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
    }
    return bytes + [UInt8(rest)]
}

/// The first byte as the type of a chunk, the others as its content.
private func chunk(_ bytes: [UInt8]) -> Data {
    let body = [bytes[0]] + length(bytes.count - 1) + bytes.dropFirst()
    var digest = [UInt8](repeating: 0, count: 32)
    tl_sha256(body, body.count, nil, 0, &digest)
    return Data([0x85, 0x6F, 0x4A, 0x83] + digest.prefix(4) + body)
}

private func load(_ data: Data) {
    guard let document = try? Document(data) else { return }
    look(document)
    let saved = document.save()
    guard let again = try? Document(saved), again.heads() == document.heads() else {
        fatalError("the loaded document differs from the saved one")
    }
}

/// - Parameter isOneChunk: Whether it is applied as a whole or not at all. Of several chunks, those
///   before the first invalid one are applied.
private func apply(_ data: Data, isOneChunk: Bool) {
    let document = Document()
    do {
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        try document.spliceText(obj: text, start: 0, delete: 0, value: "some text")
        try document.mark(obj: text, start: 1, end: 4, expand: .both, name: "bold", value: true)
        try document.put(obj: .ROOT, key: "counter", value: .Counter(1))
    } catch {
        fatalError("an edit failed: \(error)")
    }
    let before = document.heads()
    if (try? document.applyEncodedChangesWithPatches(encoded: data)) == nil {
        guard !isOneChunk || document.heads() == before else {
            fatalError("a refused change changed something")
        }
    }
    look(document)
    _ = document.save()
}

private func receive(_ messages: [Data]) {
    let document = Document()
    try? document.put(obj: .ROOT, key: "a", value: 1)
    let state = SyncState()
    for message in messages {
        _ = try? document.receiveSyncMessageWithPatches(state: state, message: message)
        _ = document.generateSyncMessage(state: state)
        _ = state.theirHeads
    }
    look(document)
}

/// Handles the first message about a document as a server that does not have it.
private func receiveFirst(_ message: Data) {
    let document = Document()
    let state = SyncState()
    _ = try? document.receiveSyncMessage(state: state, message: message)
    _ = document.generateSyncMessage(state: state)
    let saved = document.save()
    guard (try? Document(saved)) != nil || document.heads().isEmpty else {
        fatalError("the document saved after receiving does not load")
    }
}

/// Reads what there is, and edits it: no document that was read may be dangerous.
private func look(_ document: Document) {
    var waiting: [(ObjId, ObjType)] = [(.ROOT, .Map)]
    var seen = 0
    let history = document.getHistory()
    while let (object, type) = waiting.popLast(), seen < 40 {
        seen += 1
        _ = try? document.path(obj: object)
        switch type {
        case .Map:
            for key in document.keys(obj: object).prefix(20) {
                for case .Object(let child, let childType)
                    in (try? document.getAll(obj: object, key: key)) ?? []
                {
                    waiting.append((child, childType))
                }
                try? document.increment(obj: object, key: key, by: .max)
            }
        case .List:
            for case .Object(let child, let childType) in (try? document.values(obj: object)) ?? []
            {
                waiting.append((child, childType))
            }
            try? document.splice(obj: object, start: 0, delete: 1, values: ["x"])
        case .Text:
            _ = try? document.text(obj: object)
            _ = try? document.marks(obj: object)
            let cursor = try? document.cursor(obj: object, position: 1)
            try? document.spliceText(obj: object, start: 0, delete: 1, value: "né")
            try? document.updateText(obj: object, value: "other")
            if let cursor { _ = try? document.position(obj: object, cursor: cursor) }
        }
    }
    for hash in history.prefix(5) {
        _ = document.change(hash: hash)
        _ = document.difference(from: [], to: [hash])
        _ = document.keysAt(obj: .ROOT, heads: [hash])
        _ = try? document.forkAt(heads: [hash])
    }
}
