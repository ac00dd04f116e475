import Automerge
import Foundation

/// Undo of a change: a new change that keeps all later changes.
extension DocumentView {
    /// Undoes a change with a new one.
    ///
    /// Later edits of a text and increments of a counter are kept.
    ///
    /// - Throws: ``EditError``: `.notFound` for an unknown change, `.builtOn` if a value has been
    ///   written again since the change, `.unsupported` for a change that can't be undone.
    func undo(_ hash: ChangeHash, on date: Date) throws {
        guard let number = document.changeNumber(of: hash),
            let change = document.recordedChanges(number..<number + 1).first
        else { throw EditError(.notFound, "the change is no longer in the document") }
        let steps = document.comparison(from: [hash], to: Set(change.dependencies))
        guard steps.leftOut == 0 else {
            throw EditError(.unsupported, "can't undo: the value is nested too deep")
        }
        let before = heads
        if before.hashes == [hash] {
            try play(steps.patches)
            document.commitWith(timestamp: date)
        } else {
            for patch in steps.patches { try requireUntouched(patch, since: hash) }
            // The positions in the steps are positions in the document at the time of the change.
            // Merging adapts them to the current document.
            let then = DocumentView(try document.forkAt(heads: [hash]))
            try then.play(steps.patches)
            then.document.commitWith(timestamp: date)
            try document.merge(other: then.document)
        }
        guard heads != before else {
            throw EditError(
                .unsupported,
                "can't undo: the edit resolved a conflict with the winning value, and "
                    + "other devices wrote the other values")
        }
    }

    /// Applies steps as operations of this document. Restored objects become new objects.
    private func play(_ patches: [Patch]) throws {
        var made: [ObjId: ObjId] = [:]
        for patch in patches { try play(patch.action, &made) }
    }

    private func play(_ action: PatchAction, _ made: inout [ObjId: ObjId]) throws {
        switch action {
        case .Put(let object, .Key(let key), let value):
            let map = made[object] ?? object
            switch value {
            case .Object(let old, let type):
                made[old] = try document.putObject(obj: map, key: key, ty: type)
            case .Scalar(let scalar): try document.put(obj: map, key: key, value: scalar)
            }
        case .Put(let object, .Index(let index), let value):
            let list = made[object] ?? object
            switch value {
            case .Object(let old, let type):
                made[old] = try document.putObject(obj: list, index: index, ty: type)
            case .Scalar(let scalar): try document.put(obj: list, index: index, value: scalar)
            }
        case .Insert(let object, let start, let values, _):
            let list = made[object] ?? object
            for (offset, value) in values.enumerated() {
                let index = start + UInt64(offset)
                switch value {
                case .Object(let old, let type):
                    made[old] = try document.insertObject(obj: list, index: index, ty: type)
                case .Scalar(let scalar):
                    try document.insert(obj: list, index: index, value: scalar)
                }
            }
        case .SpliceText(let object, let index, let text, let marks):
            let id = made[object] ?? object
            let before = document.length(obj: id)
            try document.spliceText(obj: id, start: index, delete: 0, value: text)
            let end = index + (document.length(obj: id) - before)
            for (name, value) in marks {
                try mark(id, Mark(start: index, end: end, name: name, value: value))
            }
        case .Increment(let object, .Key(let key), let amount):
            try document.increment(obj: made[object] ?? object, key: key, by: amount)
        case .Increment(let object, .Index(let index), let amount):
            try document.increment(obj: made[object] ?? object, index: index, by: amount)
        case .DeleteMap(let object, let key):
            try document.delete(obj: made[object] ?? object, key: key)
        case .DeleteSeq(let range):
            let object = made[range.obj] ?? range.obj
            if document.objectType(obj: object) == .Text {
                try document.spliceText(
                    obj: object, start: range.index, delete: Int64(clamping: range.length),
                    value: "")
            } else {
                for _ in 0..<range.length { try document.delete(obj: object, index: range.index) }
            }
        case .Marks(let object, let marks):
            for each in marks { try mark(made[object] ?? object, each) }
        // Concurrent values have several writers, so a single writer can't restore them.
        case .Conflict: break
        }
    }

    private func mark(_ text: ObjId, _ mark: Mark) throws {
        guard case .Scalar(let value) = mark.value else { return }
        try document.mark(
            obj: text, start: mark.start, end: mark.end, expand: .none, name: mark.name,
            value: value)
    }

    // MARK: Later writes

    /// Checks that the target of a step hasn't changed since the change `hash`.
    ///
    /// - Throws: ``EditError`` with code `.builtOn` if it has.
    private func requireUntouched(_ patch: Patch, since hash: ChangeHash) throws {
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
        case .Insert, .SpliceText, .Increment, .Marks, .Conflict: break
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
            try document.places(of: list, at: nil).map { ($0.winner.operation, $0) },
            uniquingKeysWith: { first, _ in first })
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
}
