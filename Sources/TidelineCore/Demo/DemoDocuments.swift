import Automerge
import DocumentStore
import Foundation
import Replication

/// The demo's documents: a plan and a shopping list that three devices edit, and a receipt. The
/// plan has branches in its history, formatted text, a counter, and a conflict about a price.
struct DemoDocuments: Sendable {
    private let clock: DemoClock

    /// Creates the documents.
    ///
    /// - Parameter end: The time of the last edit.
    init(end: Timestamp) { clock = DemoClock(end: end) }

    private static let plan = UUID(uuidString: "7B0E4C52-5A1D-4E8B-9C55-1A2B3C4D5E01")
    private static let shopping = UUID(uuidString: "7B0E4C52-5A1D-4E8B-9C55-1A2B3C4D5E02")

    private struct Device {
        let store: AutomergeStore
        let actor: ActorId

        func open(_ id: UUID) throws -> Automerge.Document {
            guard let document = try store.openDocument(id) else {
                throw CoreError(.noAnswer, "the demo's document \(id) does not exist")
            }
            document.automerge.actor = actor
            return document.automerge
        }
    }

    /// Writes the documents of the story.
    ///
    /// - Throws: `ReplicationError` if the package can't be written.
    func build(in path: String) throws {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        configuration.clock = clock.hybrid()
        let package = try StorePackage(opening: path)
        let devices = try DemoStore.cast.enumerated().map { number, device in
            Device(
                store: try AutomergeStore(
                    package, device: DeviceID(device.id), configuration: configuration),
                actor: ActorId(data: Data(repeating: UInt8(number + 1), count: 16)) ?? ActorId())
        }
        guard let plan = Self.plan, let shopping = Self.shopping else { return }
        clock.set(daysBeforeEnd: 12)
        try begin(plan, shopping, on: devices[0])
        try exchange(devices)
        clock.set(daysBeforeEnd: 9)
        try branch(plan, devices)
        try exchange(devices)
        clock.set(daysBeforeEnd: 4)
        try shop(shopping, devices)
        try exchange(devices)
        clock.set(daysBeforeEnd: 1)
        let kitchen = try devices[2].open(plan)
        try kitchen.put(obj: .ROOT, key: "decided", value: .Boolean(true))
        commit(kitchen, "Mark the plan as decided")
        try devices[2].store.save()
        for device in devices { try device.store.close() }
    }

    private func begin(_ plan: UUID, _ shopping: UUID, on anna: Device) throws {
        let document = Automerge.Document()
        document.actor = anna.actor
        try document.put(obj: .ROOT, key: "title", value: .String("Summer by the sea"))
        try document.put(obj: .ROOT, key: "nights", value: .Counter(7))
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        try document.spliceText(
            obj: text, start: 0, delete: 0,
            value: "We leave on Friday after school. The tide is low at six.")
        try document.mark(
            obj: text, start: 12, end: 18, expand: .none, name: "bold", value: .Boolean(true))
        let todos = try document.putObject(obj: .ROOT, key: "todos", ty: .List)
        for (index, title) in ["Book the ferry", "Water the plants", "Find the kite"].enumerated() {
            let todo = try document.insertObject(obj: todos, index: UInt64(index), ty: .Map)
            try document.put(obj: todo, key: "title", value: .String(title))
            try document.put(obj: todo, key: "done", value: .Boolean(false))
        }
        commit(document, "Plan the trip")
        _ = try anna.store.newWorkspace(plan, named: "Summer by the sea", index: document)
        let list = Automerge.Document()
        list.actor = anna.actor
        let items = try list.putObject(obj: .ROOT, key: "items", ty: .Map)
        for item in ["bread", "olives", "お茶"] {
            try list.put(obj: items, key: item, value: .Counter(1))
        }
        commit(list, "Start the list")
        _ = try anna.store.newWorkspace(shopping, named: "Shopping", index: list)
        let receipts = Automerge.Document()
        receipts.actor = anna.actor
        try receipts.put(
            obj: .ROOT, key: "ferry.pdf", value: .Bytes(Data((0..<600).map { UInt8($0 % 256) })))
        commit(receipts, "Add the receipt")
        _ = try anna.store.newDocument(in: plan, content: receipts)
    }

    /// Lets two devices edit the same plan offline.
    private func branch(_ plan: UUID, _ devices: [Device]) throws {
        let (anna, ben) = (try devices[0].open(plan), try devices[1].open(plan))
        guard case .Object(let text, _)? = try anna.get(obj: .ROOT, key: "text"),
            case .Object(let todos, _)? = try anna.get(obj: .ROOT, key: "todos")
        else { return }
        try anna.put(obj: .ROOT, key: "price", value: .String("480 €"))
        try anna.increment(obj: .ROOT, key: "nights", by: 1)
        try anna.spliceText(obj: text, start: 12, delete: 6, value: "Thursday")
        commit(anna, "Leave a day earlier")
        try ben.put(obj: .ROOT, key: "price", value: .String("455 €"))
        try ben.increment(obj: .ROOT, key: "nights", by: 2)
        let length = ben.length(obj: text)
        try ben.spliceText(obj: text, start: length, delete: 0, value: " Bring the kite!")
        try ben.mark(
            obj: text, start: length + 1, end: length + 16, expand: .after, name: "comment",
            value: .String("it is in the cellar"))
        commit(ben, "Mention the kite")
        if case .Object(let first, _)? = try ben.get(obj: todos, index: 0) {
            try ben.put(obj: first, key: "done", value: .Boolean(true))
        }
        commit(ben, "Book the ferry")
    }

    private func shop(_ shopping: UUID, _ devices: [Device]) throws {
        for (number, device) in devices.enumerated() {
            let list = try device.open(shopping)
            guard case .Object(let items, _)? = try list.get(obj: .ROOT, key: "items") else {
                continue
            }
            try list.increment(obj: items, key: "bread", by: Int64(number + 1))
            try list.put(obj: items, key: "item \(number + 1)", value: .Counter(2))
            if number == 1 { try list.delete(obj: items, key: "olives") }
            commit(list, number == 1 ? "Remove the olives" : "Add bread")
        }
    }

    private func commit(_ document: Automerge.Document, _ message: String) {
        document.commitWith(message: message, timestamp: clock.now.date)
        clock.advance(milliseconds: 70_000)
    }

    /// Exchanges changes, as the sync service does while all devices are online.
    private func exchange(_ devices: [Device]) throws {
        for device in devices { try device.store.save() }
        for device in devices { try device.store.sync() }
    }
}
