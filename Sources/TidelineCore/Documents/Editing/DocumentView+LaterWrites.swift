import Automerge
import Replication

/// The checks before an undo: whether the places of its steps have been written since the change.
extension DocumentView {
    /// Returns the first place that has been written since the change `hash`, as an error with code
    /// `.builtOn`; `nil` if there is none.
    func obstacle(to patches: [Patch], since hash: ChangeHash) throws -> EditError? {
        var made: Set<ObjId> = []
        do {
            for patch in patches {
                if !made.contains(patch.action.object) {
                    try requireUntouched(patch, since: hash)
                }
                made.formUnion(patch.action.madeObjects)
            }
        } catch let error as EditError where error.code == .builtOn {
            return error
        }
        return nil
    }

    /// Checks that the target of a step hasn't been written since the change `hash`.
    ///
    /// - Throws: ``EditError`` with code `.builtOn` if the target has been written.
    private func requireUntouched(_ patch: Patch, since hash: ChangeHash) throws {
        if case .Conflict = patch.action { return }
        let object = patch.action.object
        guard try object == .ROOT || !document.path(obj: object).isEmpty else {
            throw builtOn(patch.path.last.map { JSONPointer.step($0.prop) } ?? "the value")
        }
        switch patch.action {
        case .Put(let object, .Key(let key), _), .DeleteMap(let object, let key):
            let then = try document.place(.Key(key), of: object, at: [hash])
            guard try same(then, try? document.place(.Key(key), of: object, at: nil), hash) else {
                throw builtOn(key)
            }
        case .Put(let list, .Index(let index), _):
            try requireElements(of: list, from: index, count: 1, since: hash)
        case .DeleteSeq(let range):
            guard document.objectType(obj: range.obj) == .List else { return }
            try requireElements(
                of: range.obj, from: range.index, count: range.length, since: hash)
        case .Increment(let map, .Key(let key), _):
            let then = try document.place(.Key(key), of: map, at: [hash])
            let now = try document.place(.Key(key), of: map, at: nil)
            guard let then, then.winner.operation == now?.winner.operation else {
                throw builtOn(key)
            }
        case .Increment(let list, .Index(let index), _):
            let then = try document.place(.Index(index), of: list, at: [hash])
            let now = try document.places(of: list, at: nil)
            guard let then, now.contains(where: { $0.winner.operation == then.winner.operation })
            else { throw builtOn(String(index)) }
        case .Insert, .SpliceText, .Marks, .Conflict: break
        }
    }

    /// Checks that the items of a step haven't changed. Items are identified by the operations that
    /// wrote them, because their indexes may have changed.
    private func requireElements(
        of list: ObjId, from index: UInt64, count: UInt64, since hash: ChangeHash
    ) throws {
        let start = Int(clamping: index)
        let (end, overflow) = start.addingReportingOverflow(Int(clamping: count))
        guard !overflow else { throw builtOn("list") }
        let then = try document.elements(of: list, in: start..<end, at: [hash])
        let now = Dictionary(
            keepingFirst: try document.places(of: list, at: nil).map { ($0.winner.operation, $0) })
        for place in then {
            guard try same(place, now[place.winner.operation], hash) else {
                throw builtOn(JSONPointer.step(place.prop))
            }
        }
    }

    /// Returns whether a place still has the value that a change wrote, and no concurrent values.
    private func same(
        _ then: WrittenPlace?, _ now: WrittenPlace?, _ hash: ChangeHash
    ) throws -> Bool {
        guard let then, let now else { return then == nil && now == nil }
        guard then.winner.operation == now.winner.operation, now.others.isEmpty else {
            return false
        }
        guard case .object = then.winner.content else { return true }
        return try json(of: then.winner.content, at: Heads([hash]))
            == json(of: now.winner.content, at: nil)
    }

    private func builtOn(_ name: String) -> EditError {
        EditError(.builtOn, "can't undo: \(name) has been written again in the meantime")
    }

    /// Returns, for each object that steps change, the object that is now at its place.
    ///
    /// - Parameters:
    ///   - then: The document after the change to undo.
    ///   - device: The device that made the change.
    /// - Returns: `nil` if a target of the steps is in conflict, doesn't have its value in `then`,
    ///   or was written again by another device.
    func restoredObjects(
        of patches: [Patch], since then: DocumentView, by device: DeviceID?
    ) throws -> [ObjId: ObjId]? {
        var made: Set<ObjId> = []
        var objects: [ObjId: ObjId] = [:]
        var checked: Set<Name> = []
        let conflicted = Set(try conflictsInside(at: nil).inside.keys)
        for patch in patches {
            let object = patch.action.object
            if case .Conflict = patch.action { continue }
            if !made.contains(object) {
                let path = try then.document.path(obj: object)
                if path.isEmpty {
                    guard object == .ROOT else { return nil }
                    objects[object] = .ROOT
                } else {
                    let place = try? written(at: JSONPointer.pointer(path.map(\.prop)))
                    guard case .object(let found, _)? = place?.winner.content else { return nil }
                    objects[object] = found
                }
                let scope = scope(of: patch.action, path)
                if checked.insert(Name(scope)).inserted {
                    guard try hasContent(of: then, at: scope, by: device, except: conflicted)
                    else { return nil }
                }
            }
            made.formUnion(patch.action.madeObjects)
        }
        return objects
    }

    /// Returns the pointer of the value that a step depends on. It ends before the first index of a
    /// list item or position in a text.
    private func scope(of action: PatchAction, _ path: [PathElement]) -> String {
        JSONPointer.pointer(
            action.place(inObjectAt: path).prefix { if case .Key = $0 { true } else { false } })
    }

    /// Returns whether a place has the same content as in another state of the document, and no
    /// concurrent values. A place that was written again counts only if `device` or an unknown
    /// device wrote it.
    ///
    /// - Parameter conflicted: The maps and lists that contain concurrent values.
    private func hasContent(
        of then: DocumentView, at pointer: String, by device: DeviceID?,
        except conflicted: Set<ObjId>
    ) throws -> Bool {
        let old = try? then.written(at: pointer)
        let new = try? written(at: pointer)
        guard let old, let new else { return old == nil && new == nil }
        guard new.others.isEmpty else { return false }
        if new.winner.operation != old.winner.operation,
            case .device(let writer) = author(of: new.winner.operation.actor), writer != device
        {
            return false
        }
        let (content, current) = (old.winner.content, new.winner.content)
        if case (.object(_, let type), .object(let object, let currentType)) = (content, current) {
            return try type == currentType && !conflicted.contains(object)
                && then.json(of: content, at: nil) == json(of: current, at: nil)
        }
        return content == current
    }
}

extension PatchAction {
    /// The object that the action changes.
    fileprivate var object: ObjId {
        switch self {
        case .Put(let object, _, _), .Insert(let object, _, _, _), .Increment(let object, _, _),
            .SpliceText(let object, _, _, _), .DeleteMap(let object, _), .Marks(let object, _),
            .Conflict(let object, _):
            object
        case .DeleteSeq(let range): range.obj
        }
    }

    /// The objects that the action restores.
    fileprivate var madeObjects: [ObjId] {
        let values: [Value] =
            switch self {
            case .Put(_, _, let value): [value]
            case .Insert(_, _, let values, _): values
            default: []
            }
        return values.compactMap { value in
            if case .Object(let object, _) = value { object } else { nil }
        }
    }
}
